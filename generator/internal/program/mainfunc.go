package program

import (
	"fmt"
	"go/ast"
	"go/types"
	"strconv"

	"github.com/mcpgen/mcpgen/internal/regularfile"
)

// hideMain renames the main function of the package in overlaid copies of its files. The new name
// is as long as the old one, so that positions in compiler errors and panics match the user's file.
func (t *Target) hideMain(o *overlay) error {
	uses := t.mainIdents()
	if len(uses) == 0 {
		return nil // a package main without main: the program's main is the only one
	}
	name := t.unusedName()
	for file, offsets := range uses {
		text, err := regularfile.Read(file)
		if err != nil {
			return fmt.Errorf("read file with func main: %w", err)
		}
		for _, at := range offsets {
			if at+len(name) > len(text) || string(text[at:at+len(name)]) != "main" {
				return fmt.Errorf("rename func main: %s changed while it was read", file)
			}
			copy(text[at:], name)
		}
		if err := o.add(file, text); err != nil {
			return err
		}
	}
	return nil
}

// mainIdents returns the byte offsets, by file, of the identifiers that refer to func main.
func (t *Target) mainIdents() map[string][]int {
	found := make(map[string][]int)
	add := func(id *ast.Ident) {
		// Positions in the file on disk, not adjusted by //line comments.
		p := t.Fset.PositionFor(id.Pos(), false)
		found[p.Filename] = append(found[p.Filename], p.Offset)
	}
	var object types.Object
	for _, file := range t.Files {
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "main" {
				add(fn.Name)
				if t.Info != nil {
					object = t.Info.Defs[fn.Name]
				}
			}
		}
	}
	if object == nil {
		return found
	}
	for id, used := range t.Info.Uses {
		if used == object {
			add(id)
		}
	}
	return found
}

// unusedName returns an identifier as long as main that the package does not use.
func (t *Target) unusedName() string {
	taken := make(map[string]bool)
	for _, file := range t.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				taken[id.Name] = true
			}
			return true
		})
	}
	for n := int64(36 * 36); ; n++ { // three digits in base 36
		if name := "m" + strconv.FormatInt(n, 36); !taken[name] {
			return name
		}
	}
}
