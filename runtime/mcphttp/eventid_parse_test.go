package mcphttp

import "testing"

// A Last-Event-ID is one that the server has written, or it is refused.
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

// The number of an event without data is random, of 32 bits, whatever int has.
func TestParseSequence(t *testing.T) {
	for text, want := range map[string]uint64{"0": 0, "7-1": 7, "7-2147483648": 7, "7-4294967296": 7, "4611686018427387903": 1<<62 - 1} {
		if seq, ok := parseSequence(text); !ok || seq != want {
			t.Errorf("%q: %d, %t, want %d", text, seq, ok, want)
		}
	}
	for _, text := range []string{"", "-", "7-", "7-0", "7--1", "7-+1", "7-x", "7-1-1", "7-18446744073709551616", "-7", "4611686018427387904"} {
		if seq, ok := parseSequence(text); ok {
			t.Errorf("%q: %d", text, seq)
		}
	}
}
