package jsonrpc

import (
	"math/rand/v2"
	"testing"
)

// The end of a string is found wherever its quotes and backslashes are, in the part that is
// searched by eight bytes at a time and after it.
func TestStringEnd(t *testing.T) {
	// naive reads byte by byte.
	naive := func(data []byte, start int) int {
		for i := start + 1; i < len(data); i++ {
			switch data[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
		return -1
	}
	random := rand.New(rand.NewPCG(1, 2))
	const bytes = "aaaaaaaa\\\"\x02\xa2\xdc{}"
	for range 200_000 {
		data := make([]byte, 1+random.IntN(60))
		for i := range data {
			data[i] = 'a'
			if random.IntN(3) == 0 {
				data[i] = bytes[random.IntN(len(bytes))]
			}
		}
		start := random.IntN(len(data))
		data[start] = '"'
		for i := range start { // without a backslash before the string
			if data[i] == '\\' {
				data[i] = 'a'
			}
		}
		if got, want := stringEnd(data, start), naive(data, start); got != want {
			t.Fatalf("%q from %d: %d, want %d", data, start, got, want)
		}
	}
}
