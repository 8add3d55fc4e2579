package load

import (
	"go/token"
	"path/filepath"
	"testing"
)

// TestOnce checks that a source file is parsed once, and scanned for directives once.
func TestOnce(t *testing.T) {
	p := one(t, write(t, `
-- go.mod --
module example.com/m
go 1.26
-- a.go --
// Package m is small.
//
//mcp:defaults output=text
package m

// Find finds.
//
//mcp:tool
func Find() string { return "" }
-- b.go --
package m
`))
	times := map[string]int{}
	p.Fset.Iterate(func(f *token.File) bool {
		times[filepath.Base(f.Name())]++
		return true
	})
	if times["a.go"] != 1 || times["b.go"] != 1 {
		t.Errorf("parsed %v", times)
	}
	first, found := p.Directives()
	again, same := p.Directives()
	if len(first) != 2 || &first[0] != &again[0] || found != same {
		t.Errorf("scanned again: %v, %v", first, again)
	}
	p.Edited()
	if edited, _ := p.Directives(); &edited[0] == &first[0] {
		t.Error("an edited package is not scanned again")
	}
}
