package mcphttp

import "testing"

// A Last-Event-ID that the server has not written is refused.
func TestParseEventID(t *testing.T) {
	for text, want := range map[string][2]int{
		"0-0": {0, 0}, "1-2": {1, 2}, " 1-2\t": {1, 2}, "17-305": {17, 305}, "1-2-1": {1, 2}, "1-2-30": {1, 2},
	} {
		if number, seq, ok := parseEventID([]string{text}); !ok || number != want[0] || seq != want[1] {
			t.Errorf("%q: %d, %d, %t, want %v", text, number, seq, ok, want)
		}
	}
	for _, values := range [][]string{
		nil, {}, {"1-2", "1-2"}, {""}, {"-"}, {"1"}, {"1-"}, {"-1"}, {"-1-2"}, {"1--2"}, {"a-1"}, {"1-a"}, {"1-2-"}, {"1-2-0"},
		{"1-2--1"}, {"1-2-a"}, {"1-2-3-4"}, {"1 -2"}, {"99999999999999999999-1"}, {"1-99999999999999999999"}, {"1-2-99999999999999999999"},
	} {
		if number, seq, ok := parseEventID(values); ok {
			t.Errorf("%q: %d, %d", values, number, seq)
		}
	}
}
