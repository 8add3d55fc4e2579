package layout

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
)

// clause is put in front of a declaration, so that it can be parsed.
const clause = "package p\n\n"

// parse is Append for any form.
func (p *Printer) parse(to []byte, declaration string) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", clause+declaration, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return to, fmt.Errorf("parse generated declaration: %w", err)
	}
	ast.SortImports(fset, f)
	var out bytes.Buffer
	if err := (&printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8}).Fprint(&out, fset, f); err != nil {
		return to, fmt.Errorf("format generated declaration: %w", err)
	}
	p.names, p.declared = p.names[:0], p.declared[:0]
	for _, decl := range f.Decls {
		p.names = append(p.names, namesOf(decl)...)
		p.declared = append(p.declared, declaredBy(decl)...)
	}
	return append(to, out.Bytes()[len(clause):]...), nil
}

// namesOf returns the names of a declaration, see [Printer.Names].
func namesOf(decl ast.Decl) (names []Name) {
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr: // the member may have the name of a declaration
			ast.Inspect(n.X, visit)
			if x, ok := n.X.(*ast.Ident); ok {
				names = append(names, Name{x.Name, n.Sel.Name})
			}
			return false
		case *ast.KeyValueExpr: // as may this one
			if _, ok := n.Key.(*ast.Ident); ok {
				ast.Inspect(n.Value, visit)
				return false
			}
		case *ast.Ident:
			names = append(names, Name{Name: n.Name})
		}
		return true
	}
	ast.Inspect(decl, visit)
	return names
}

// declaredBy returns the names that a declaration declares in its package.
func declaredBy(decl ast.Decl) (names []string) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}
