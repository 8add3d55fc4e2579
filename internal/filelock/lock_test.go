package filelock_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mcpgen/mcpgen/internal/filelock"
)

// Concurrent callers take turns, and waiting ends with the context.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var held atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			unlock, err := filelock.Lock(t.Context(), path)
			if err != nil {
				t.Error(err)
				return
			}
			defer unlock()
			if n := held.Add(1); n != 1 {
				t.Errorf("%d have the lock", n)
			}
			held.Add(-1)
		})
	}
	all.Wait()
	unlock, err := filelock.Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	if _, err := filelock.Lock(ctx, path); !errors.Is(err, enough) {
		t.Error(err)
	}
	unlock()
	if _, err := filelock.Lock(t.Context(), filepath.Join(path, "below", "a", "file")); err == nil {
		t.Error("a path below a file is locked")
	}
	if _, err := os.Stat(path); err != nil {
		t.Log("the file is gone, as on systems without locks:", err)
	}
}
