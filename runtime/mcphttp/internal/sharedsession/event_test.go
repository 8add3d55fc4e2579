package sharedsession

import "testing"

// The number of an event without data is a random number of 32 bits, whatever the size of int is.
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
