package mcpskill_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// TestContract finds a skill once in the contract of a server: among the skills, with its files.
func TestContract(t *testing.T) {
	file := filepath.Join(t.TempDir(), "contract.json")
	t.Setenv(mcptest.UpdateEnv, "1")
	mcptest.Contract(t, server([]mcp.Feature{refunds()}), file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if s := string(text); !strings.Contains(s, `"skills": [`) || !strings.Contains(s, `"uri": "skill://acme/refunds/templates/de/mail.md"`) || strings.Contains(s, `"mimeType"`) {
		t.Errorf("%s", s)
	}
}
