//go:build cost

package pattern

import (
	"strings"
	"testing"
	"time"
)

// TestOneStepForEachCharacter compares the time for a megabyte of text with the time for many short
// texts.
func TestOneStepForEachCharacter(t *testing.T) {
	for _, e := range backtracking {
		m, err := Compile(e)
		if err != nil {
			t.Fatal(err)
		}
		short, long := strings.Repeat("a", 16)+"!", strings.Repeat("a", 1<<20)+"!"
		few, many := time.Hour, time.Hour
		for range 5 {
			start := time.Now()
			for range len(long) / len(short) {
				m.Match(short)
			}
			between := time.Now()
			m.Match(long)
			few, many = min(few, between.Sub(start)), min(many, time.Since(between))
		}
		if many > 10*few {
			t.Errorf("%s: %v for a megabyte of short texts, %v for a long one", e, few, many)
		}
	}
}
