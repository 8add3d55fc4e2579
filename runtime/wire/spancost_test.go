//go:build cost

package wire

import (
	"testing"
	"time"
)

// TestVariantTime compares the time for objects whose kind comes last, at every depth, with the
// time for reading them strictly.
func TestVariantTime(t *testing.T) {
	took := func(f func()) time.Duration {
		start := time.Now()
		f()
		return time.Since(start)
	}
	for name, text := range kindLast() {
		slow, quick := time.Hour, time.Hour
		for range 5 {
			slow = min(slow, took(func() { decodeKindLast(t, name, text) }))
			quick = min(quick, took(func() {
				if err := Valid([]byte(text), 2000); err != nil {
					t.Fatal(err)
				}
			}))
		}
		t.Logf("%s: %v, reading strictly %v", name, slow, quick)
		if slow > 40*quick {
			t.Errorf("%s: %v, reading strictly takes %v", name, slow, quick)
		}
	}
}
