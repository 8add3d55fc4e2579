//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly && !windows

package stdio

import (
	"fmt"
	"os"
)

// restoreEarly has nothing to do: package mcpstdout has kept nothing.
func restoreEarly() {}

// shield exchanges the standard streams of package os, which is all that
// can be done everywhere. The result restore puts them back.
func shield() (in, out *os.File, restore func(), err error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("open null device: %w", err)
	}
	stdin, stdout := os.Stdin, os.Stdout
	os.Stdin, os.Stdout = null, os.Stderr
	restore = func() {
		os.Stdin, os.Stdout = stdin, stdout
		null.Close()
	}
	return stdin, stdout, restore, nil
}
