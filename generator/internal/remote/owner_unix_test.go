//go:build unix

package remote

import (
	"errors"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
)

// A file of another user is not read, even by root, nor is a file in the directory of another user.
func TestFindOwner(t *testing.T) {
	if os.Geteuid() != 0 { // only root can make files of other users; this file belongs to root
		_, err := found(t, place(t, map[string]string{".mcp.json -> /etc/passwd": ""}))
		if err == nil || !strings.Contains(err.Error(), ".mcp.json is not read: /etc belongs to root") {
			t.Error(err)
		}
		return
	}
	name := "number 65534"
	if u, err := user.LookupId("65534"); err == nil {
		name = u.Username
	}
	for theirs, want := range map[string]string{".mcp.json": "it belongs to ", "real.json": "real.json belongs to ", ".": "DIR belongs to ", "link": "it belongs to "} {
		files := map[string]string{".mcp.json": entryOf, "a/b/x": ""}
		chown := theirs
		if theirs == "real.json" || theirs == "link" {
			files = map[string]string{"real.json": entryOf, ".mcp.json -> real.json": "", "a/b/x": ""}
			if theirs == "link" {
				chown = ".mcp.json"
			}
		}
		dir := place(t, files)
		const other = 65534
		if err := os.Lchown(filepath.Join(dir, chown), other, other); err != nil {
			t.Skip(err)
		}
		for _, at := range []string{".", "a/b"} {
			_, err := found(t, filepath.Join(dir, at))
			e, ok := errors.AsType[*ConfigError](err)
			if !ok || !strings.Contains(e.Message, filepath.Join(dir, ".mcp.json")+" is not read: ") || !strings.Contains(e.Message, strings.ReplaceAll(want, "DIR", dir)) || e.Hint == "" {
				t.Errorf("%s, in %s: %v", theirs, at, err)
			}
			if ok && !strings.Contains(e.Message, name) {
				t.Errorf("the owner is not named: %s", e.Message)
			}
		}
	}
}
