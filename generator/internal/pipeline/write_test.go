package pipeline_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

const shop = `
-- b.go --
// Package shop is a shop.
//
//mcp:server
//mcp:defaults closedworld
package shop

import "errors"

// ErrEmpty says so.
//
//mcp:error nothing is left
var ErrEmpty = errors.New("empty")

// Buy buys.
//
//mcp:tool
func Buy(item Item, count int) (Item, error) { return item, ErrEmpty }
-- a.go --
package shop

// Item is for sale.
type Item struct {
	Name string ` + "`json:\"name\"`" + `
	Size Size   ` + "`json:\"size\"`" + `
}

// Size is how big an item is.
type Size string

const (
	Small Size = "small"
	Large Size = "large"
)

// Sell sells.
//
//mcp:tool readonly
func (s *Store) Sell(item Item) (left int, ok bool) { return 0, false }

// Store is a store.
type Store struct{}
`

func files(archive string) []txtar.File { return txtar.Parse([]byte(archive)).Files }

// TestSecondRunWritesNothing also checks that a run over the written file, and over a broken one,
// prints the same source.
func TestSecondRunWritesNothing(t *testing.T) {
	dir := module(t, files(shop))
	res := generate(t, dir)
	written, err := res.Write()
	if err != nil || len(written) != 1 {
		t.Fatalf("first run wrote %v, err %v", written, err)
	}
	path := filepath.Join(dir, "mcp_gen.go")
	first, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	written, err = generate(t, dir).Write()
	if err != nil || len(written) != 0 {
		t.Errorf("second run wrote %v, err %v", written, err)
	}
	after, err := os.Stat(path)
	if err != nil || !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
		t.Errorf("second run touched the file: %v, err %v", after, err)
	}

	broken := append([]byte("<<<<<<< ours\n"), first...)
	if err := os.WriteFile(path, broken, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := generate(t, dir).Write(); err != nil {
		t.Fatal(err)
	}
	again, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(again, first) {
		t.Errorf("run over a conflicted file printed something else, err %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's permissions changed: %v, err %v", info, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			t.Errorf("%s was left behind", e.Name())
		}
	}
}

// TestFileNamesDoNotMatter moves the declarations to files in another order.
func TestFileNamesDoNotMatter(t *testing.T) {
	one := generate(t, module(t, files(shop)))
	swapped := strings.NewReplacer("-- b.go --", "-- a.go --", "-- a.go --", "-- b.go --").Replace(shop)
	two := generate(t, module(t, files(swapped)))
	if len(one.Packages) != 1 || len(two.Packages) != 1 {
		t.Fatalf("packages: %d and %d", len(one.Packages), len(two.Packages))
	}
	if !bytes.Equal(one.Packages[0].Source, two.Packages[0].Source) {
		t.Errorf("the names of the source files change the output:\n%s\n---\n%s", one.Packages[0].Source, two.Packages[0].Source)
	}
}

// TestForeignFileIsKept puts a file of the user at the path.
func TestForeignFileIsKept(t *testing.T) {
	own := "package shop\n\n// Mine is mine.\nvar Mine = 1\n"
	dir := module(t, append(files(shop), txtar.File{Name: "mcp_gen.go", Data: []byte(own)}))
	res := generate(t, dir)
	if !res.Diagnostics.HasErrors() {
		t.Error("no error was reported")
	}
	if written, err := res.Write(); err == nil || len(written) > 0 {
		t.Errorf("Write wrote %v, err %v", written, err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "mcp_gen.go")); err != nil || string(data) != own {
		t.Errorf("the file is now %q, err %v", data, err)
	}
}

// TestReadOnlyDirectory checks that the error of a failed write contains the path.
func TestReadOnlyDirectory(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write anywhere")
	}
	dir := module(t, files(shop))
	res := generate(t, dir)
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chmod(dir, 0o755) }()
	if _, err := res.Write(); err == nil || !strings.Contains(err.Error(), "mcp_gen.go") {
		t.Errorf("err = %v", err)
	}
}
