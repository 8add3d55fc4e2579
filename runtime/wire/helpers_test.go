package wire

import (
	"os"
	"reflect"
	"strconv"
	"testing"
)

// tries returns the number of random values for a test: n, or MCPGEN_LONG from the environment.
func tries(n int) int {
	if long, err := strconv.Atoi(os.Getenv("MCPGEN_LONG")); err == nil {
		return long
	}
	return n
}

// help returns the help in lenient and in strict mode.
func help(lenient bool) Help {
	if lenient {
		return Leniency()
	}
	return Advice()
}

// Tries exports tries to the tests in package wire_test.
var Tries = tries

// equal fails the test if two values differ.
func equal(t testing.TB, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %#v\nwant %#v", got, want)
	}
}

// decode reads a text by one function of the package.
func decode[T any](text string, o Options, v *T, f func(*Decoder, *T)) error {
	d := NewDecoder([]byte(text), o)
	f(d, v)
	return d.Finish()
}

// encode writes a value by one function of the package.
func encode[T any](v *T, f func(*Encoder, *T)) (string, error) {
	e := NewEncoder(nil)
	f(e, v)
	return string(e.Bytes()), e.Err()
}
