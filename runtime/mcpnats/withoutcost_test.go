//go:build cost

package mcpnats_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"
)

// Without servers each method fails within some seconds.
func TestTimeWithoutServers(t *testing.T) {
	for name, took := range withoutServers(t) {
		if took > 8*time.Second {
			t.Errorf("%s fails after %v", name, took)
		}
	}
}

// A missing copy of a session is noticed immediately, and not only after the timeout of an answer.
func TestTimeOfMissingCopies(t *testing.T) {
	one, _ := two(t)
	s := one.Sessions()
	if _, err := s.Create(t.Context(), "x", bytes.Repeat([]byte("x"), 10), time.Hour); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		begin := time.Now()
		if taken, err := s.Send(t.Context(), "x", fmt.Sprint("copy", i), []byte("m")); taken || err != nil {
			t.Errorf("Send: %t, %v", taken, err)
		}
		if took := time.Since(begin); took > 250*time.Millisecond {
			t.Errorf("Send takes %v", took)
		}
	}
}
