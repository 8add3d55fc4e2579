//go:build unix

package trust

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Root is a user like any other. Only root can create files of others; other users test with files
// of root.
func TestOwned(t *testing.T) {
	dir := tree(t, "file", "link -> file", "theirs", "folder/", "m/go.mod", "m/in", "m/link -> in")
	for _, name := range []string{"file", "link", "folder"} {
		if err := Owned(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if os.Geteuid() != 0 {
		if e, ok := errors.AsType[*OwnerError](Owned("/")); !ok || e.Owner != 0 {
			t.Errorf("/ is not that of root: %v", e)
		}
		return
	}
	const other = 65534
	for _, name := range []string{"theirs", "folder", "link", "m/link"} {
		if err := os.Lchown(filepath.Join(dir, name), other, other); err != nil {
			t.Skip(err)
		}
		if e, ok := errors.AsType[*OwnerError](Owned(filepath.Join(dir, name))); !ok || e.Owner != other || filepath.Base(e.Path) != filepath.Base(name) {
			t.Errorf("%s: %v", name, e)
		}
	}
	// Another user's link is not followed, unless it stays in its module.
	if _, err := Follow(dir, "link"); !errors.As(err, new(*OwnerError)) {
		t.Errorf("link: %v", err)
	}
	if real, err := Follow(dir, "m/link"); err != nil || filepath.Base(real) != "in" {
		t.Errorf("m/link: %s, %v", real, err)
	}
}
