// Package exactpath compares the names that clients send with the names of directory entries. The
// file systems of Windows and macOS open a file by other names too: in other letters (SECRET.TXT),
// in another normal form of Unicode, and on Windows by a short name (SECRET~1.TXT) or with dots and
// spaces at the end. A rule about names, such as the one for hidden files, would not apply to
// those.
package exactpath

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Needed reports whether the file systems of an operating system, a value of runtime.GOOS, open
// files by names that differ from their directory entries.
func Needed(system string) bool {
	return slices.Contains([]string{"windows", "darwin", "ios"}, system)
}

// Spelled reports whether every part of a slash-separated path is the name of an entry of its
// directory, byte for byte. It reads each directory on the way.
func Spelled(fsys fs.FS, name string) bool {
	dir := "."
	for part := range strings.SplitSeq(name, "/") {
		entries, err := fs.ReadDir(fsys, dir)
		if err != nil || !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == part }) {
			return false
		}
		dir = path.Join(dir, part)
	}
	return true
}
