package pipeline

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// TestSharingViolations renames a file that other Windows programs keep open.
func TestSharingViolations(t *testing.T) {
	linkError := func(number syscall.Errno) error {
		return &os.LinkError{Op: "rename", Old: ".mcp_gen.go.1", New: "mcp_gen.go", Err: number}
	}
	const always = 1 << 20
	for _, c := range []struct {
		name, system string
		err          error
		failures     int // number of first calls that fail
		renamed      bool
		calls        int // 0 for several
		longest      time.Duration
	}{
		{"free", "windows", nil, 0, true, 1, 0},
		{"access denied for a moment", "windows", linkError(5), 3, true, 4, 10 * time.Millisecond},
		{"sharing violation for a moment", "windows", linkError(32), 10, true, 11, time.Second},
		{"lock violation for a moment", "windows", linkError(33), 1, true, 2, time.Millisecond},
		{"open for long", "windows", linkError(32), always, false, 0, sharingTime + 100*time.Millisecond},
		{"another error", "windows", linkError(3), always, false, 1, 0},
		{"an error without a number", "windows", fs.ErrNotExist, always, false, 1, 0},
		{"the numbers of another system", "linux", linkError(5), always, false, 1, 0},
		{"the numbers of another system", "darwin", linkError(32), always, false, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls, start := 0, time.Now()
				err := renamePatiently(func() error {
					if calls++; calls <= c.failures {
						return c.err
					}
					return nil
				}, c.system)
				if (err == nil) != c.renamed || err != nil && !errors.Is(err, c.err) {
					t.Errorf("error %v", err)
				}
				if took := time.Since(start); calls != c.calls && c.calls != 0 || calls < 2 && c.calls == 0 || took > c.longest {
					t.Errorf("%d calls in %v, want %d in at most %v", calls, took, c.calls, c.longest)
				}
			})
		})
	}
}
