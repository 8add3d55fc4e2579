//go:build unix

package trust

import (
	"io/fs"
	"os"
	"syscall"
)

// Owned returns an *OwnerError unless a file belongs to the user of this process. For a link, it
// checks the owner of the link itself. Root is a user like any other: it does not trust files of
// others.
func Owned(path string) error { return owned(path, false) }

// ownLink is like Owned for a link, which root may have created: /tmp is one on some systems.
func ownLink(path string) error { return owned(path, true) }

func owned(path string, orRoot bool) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if uid, ok := owner(info); ok && uid != os.Geteuid() && !(orRoot && uid == 0) {
		return &OwnerError{path, uid}
	}
	return nil
}

// owner returns the user ID of a file's owner.
func owner(info fs.FileInfo) (uid int, ok bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}
