package load

import (
	"os"
	"testing"
	"time"
)

// The packages, dependencies included, are counted if loading takes long.
func TestCountIfSlow(t *testing.T) {
	counted := make(chan int, 1)
	l := &loader{dir: t.TempDir(), env: append(os.Environ(), "GOWORK=off"), counted: func(n int) { counted <- n }}
	stop := l.countIfSlow(t.Context(), []target{{pattern: "errors"}})
	if n := <-counted; n < 5 {
		t.Errorf("%d packages", n)
	}
	stop()

	l.slow = time.Hour
	stop = l.countIfSlow(t.Context(), []target{{pattern: "errors"}})
	stop()
	select {
	case n := <-counted:
		t.Errorf("counted %d packages after the end", n)
	default:
	}
}
