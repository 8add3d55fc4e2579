//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly && !windows

package stdio

import (
	"fmt"
	"os"
)

// restoreEarly does nothing: package mcpstdout has not kept anything.
func restoreEarly() {}

// shield replaces the standard streams of package os, which is all that every system allows.
// restore puts the old ones back.
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
