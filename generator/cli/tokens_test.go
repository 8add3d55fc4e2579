package cli

import "testing"

// The tools of mcpfind take few tokens, and are counted if they replace others.
func TestFindTokens(t *testing.T) {
	if n := findTokens(40); n != 0 {
		t.Errorf("40 tools: %d", n)
	}
	if n := findTokens(41); n < 200 || n > 1000 {
		t.Errorf("41 tools: %d", n)
	}
}
