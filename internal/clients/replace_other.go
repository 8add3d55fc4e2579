//go:build !unix

package clients

import (
	"io/fs"
	"os"
)

// keepOwner does nothing: the system chooses the owner of a new file.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

func syncDir(string) {}
