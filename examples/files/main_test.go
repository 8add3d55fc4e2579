package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"secret.txt": "outside", "public/a b.txt": "inside", "public/.hidden": "hidden"} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(filepath.Join(dir, "public"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	c := mcptest.New(t, newServer(root), mcptest.Options{})
	listed := c.Resources()
	if len(listed) != 1 || listed[0].URI != "files:///a%20b.txt" {
		t.Errorf("listed %+v", listed)
	}
	if text := c.Read("files:///a%20b.txt").Contents[0].Text; text != "inside" {
		t.Errorf("read %q", text)
	}
	for _, uri := range []string{"files:///../secret.txt", "files:///..%2Fsecret.txt", "files:///.hidden", "files:///none.txt"} {
		if result, err := c.StartRead(uri).Result(); err == nil {
			t.Errorf("%s is %+v", uri, result)
		}
	}
}
