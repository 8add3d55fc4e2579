package wire

import (
	"os"
	"reflect"
	"strconv"
	"testing"
)

// tries is how many random values a test tries: n, or as many as MCPGEN_LONG in the environment
// says.
func tries(n int) int {
	if long, err := strconv.Atoi(os.Getenv("MCPGEN_LONG")); err == nil {
		return long
	}
	return n
}

// Tries is for the tests outside of the package.
var Tries = tries

// equal fails the test where two values differ.
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
