//go:build cost

package cli

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// Once the bookstore is cached, its tools are completed while a person types.
func TestCompletionTime(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the cache directory has another variable")
	}
	keepGoCache(t)
	const most = 300 * time.Millisecond
	best := time.Hour
	for i := range 6 {
		c, out, _ := inExamples(t)
		began := time.Now()
		code := c.run([]string{"completion", "fish", "--", "mcpgen", "call", "./bookstore", "search_books", "sort="})
		if took := time.Since(began); i > 0 { // the first call loads the package
			best = min(best, took)
		}
		if code != exitDone || !strings.Contains(out.String(), "sort=price\n") {
			t.Fatalf("exit code %d, %q", code, out)
		}
	}
	t.Logf("%v", best)
	if best > most {
		t.Errorf("%v, want at most %v", best, most)
	}
}
