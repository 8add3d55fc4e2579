package pages_test

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestOldestGo compares the oldest Go version in the documents and the workflow with go.mod, which
// is the same in all modules.
func TestOldestGo(t *testing.T) {
	line := regexp.MustCompile(`(?m)^go (1\.\d+)(\.0)?$`)
	oldest := line.FindStringSubmatch(read(t, "go.mod"))
	if oldest == nil {
		t.Fatal("go.mod has no go line of the first release of a version")
	}
	modules := 0
	err := filepath.WalkDir(root(t), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() == "generated" || d.Name() == "out" || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.Name() != "go.mod":
			return nil
		}
		modules++
		relative, err := filepath.Rel(root(t), path)
		if err != nil {
			return err
		}
		if got := line.FindStringSubmatch(read(t, filepath.ToSlash(relative))); got == nil || got[1] != oldest[1] {
			t.Errorf("%s: %q, and go.mod of the root has %s", relative, got, oldest[1])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if modules < 5 {
		t.Errorf("only %d modules", modules)
	}
	for page, text := range map[string]string{
		"README.md": "Go " + oldest[1] + " or newer", "docs/start/guide.md": "Go " + oldest[1] + " or newer", "docs/decide/versioning.md": "Go " + oldest[1] + ", as in `go.mod`",
		"CONTRIBUTING.md": "Go " + oldest[1], "docs/serve/deployment.md": "golang:" + oldest[1],
	} {
		if !strings.Contains(read(t, page), text) {
			t.Errorf("%s does not have %q", page, text)
		}
	}
	for name, text := range workflows(t) {
		if strings.Contains(text, "setup-go@") && !strings.Contains(text, "go-version-file: go.mod") {
			t.Errorf("%s does not test the oldest Go", name)
		}
	}
}
