package vet

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/mcpgen/mcpgen/generator/internal/load"
)

// platformConstants are constants of the standard library whose values differ from system to system.
var platformConstants = map[string]bool{
	"math.MaxInt": true, "math.MinInt": true, "math.MaxUint": true, "math/bits.UintSize": true, "strconv.IntSize": true,
	"runtime.GOOS": true, "runtime.GOARCH": true, "unsafe.Sizeof": true, "unsafe.Offsetof": true, "unsafe.Alignof": true,
}

// platformLength is an array of the source whose length differs from system to system.
type platformLength struct {
	array types.Type
	why   string
}

// platformLengths finds these arrays in the packages whose source is read.
func (c *checker) platformLengths() []platformLength {
	var all []platformLength
	for _, p := range c.sources {
		for _, file := range p.Files {
			ast.Inspect(file, func(n ast.Node) bool {
				if a, ok := n.(*ast.ArrayType); ok && a.Len != nil {
					if why := platformValue(p, a.Len, map[types.Object]bool{}); why != "" {
						all = append(all, platformLength{p.Info.TypeOf(a), why})
					}
				}
				return true
			})
		}
	}
	return all
}

// platformValue returns what in a constant expression differs from system to system, "" if nothing does.
func platformValue(p *load.Package, expr ast.Expr, seen map[types.Object]bool) (why string) {
	ast.Inspect(expr, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || why != "" {
			return why == ""
		}
		obj := p.Info.Uses[id]
		if obj == nil || obj.Pkg() == nil || seen[obj] {
			return true
		}
		seen[obj] = true
		name := obj.Pkg().Path() + "." + obj.Name()
		_, constant := obj.(*types.Const)
		switch {
		case platformConstants[name]:
			why = name
		case constant:
			if constraint := p.ConstraintAt(obj.Pos()); constraint != "" {
				why = "the constant " + obj.Name() + ", declared in a file with a build constraint (" + constraint + ")"
			} else if value := initializer(p, obj); value != nil {
				why = platformValue(p, value, seen)
			}
		}
		return why == ""
	})
	return why
}

// initializer returns the expression of a constant of the package, nil if it has none of its own.
func initializer(p *load.Package, obj types.Object) ast.Expr {
	for _, file := range p.Files {
		for _, decl := range file.Decls {
			group, ok := decl.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			for _, spec := range group.Specs {
				spec := spec.(*ast.ValueSpec)
				for i, name := range spec.Names {
					if p.Info.Defs[name] == obj && i < len(spec.Values) {
						return spec.Values[i]
					}
				}
			}
		}
	}
	return nil
}
