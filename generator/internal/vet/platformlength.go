package vet

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// platformConstants are constants of the standard library whose values differ from system to
// system.
var platformConstants = map[string]bool{
	"math.MaxInt": true, "math.MinInt": true, "math.MaxUint": true, "math/bits.UintSize": true, "strconv.IntSize": true,
	"runtime.GOOS": true, "runtime.GOARCH": true, "unsafe.Sizeof": true, "unsafe.Offsetof": true, "unsafe.Alignof": true,
	"os.O_APPEND": true, "os.O_CREATE": true, "os.O_EXCL": true, "os.O_SYNC": true, "os.O_TRUNC": true,
	"os.PathSeparator": true, "os.PathListSeparator": true, "path/filepath.Separator": true, "path/filepath.ListSeparator": true, "os.DevNull": true,
}

// platformLength is an array in the source whose length differs from system to system.
type platformLength struct {
	array types.Type
	at    token.Position
	why   string
}

// platformLengths finds such arrays in the packages that are read as source.
func (c *checker) platformLengths() []platformLength {
	var all []platformLength
	for _, p := range c.sources {
		for _, file := range p.Files {
			ast.Inspect(file, func(n ast.Node) bool {
				if a, ok := n.(*ast.ArrayType); ok && a.Len != nil {
					if why := c.platformValue(p, a.Len, map[types.Object]bool{}); why != "" {
						all = append(all, platformLength{p.Info.TypeOf(a), p.Position(a.Lbrack), why})
					}
				}
				return true
			})
		}
	}
	return all
}

// length checks the length of an array.
func (w *platformWalk) length(t *model.Type) {
	if t.Kind != model.Array || t.Go == nil {
		return
	}
	array := t.Go.Underlying()
	named, ok := types.Unalias(t.Go).(*types.Named)
	if ok {
		array = named.Origin().Underlying() // the array as the source declares it
	}
	for _, length := range w.lengths {
		if length.array == array || !ok && types.Identical(length.array, array) {
			w.report(length.at, length.at, "write the length as a number, or use a slice; elsewhere the contract is another one, and the generated file does not compile",
				"the length of %s depends on %s", types.TypeString(t.Go, w.c.qualifier), length.why)
			return
		}
	}
}

// constantDiffers returns the reason why the value of a constant in the sources differs from system
// to system, or "".
func (c *checker) constantDiffers(k *types.Const) string {
	p := c.source(k.Pkg())
	if p == nil {
		return ""
	}
	value := initializer(p, k)
	if value == nil {
		return ""
	}
	return c.platformValue(p, value, map[types.Object]bool{k: true})
}

// platformValue returns the part of a constant expression that differs from system to system, or
// "".
func (c *checker) platformValue(p *load.Package, expr ast.Expr, seen map[types.Object]bool) (why string) {
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
			home := c.source(obj.Pkg())
			if constraint := c.constraint(obj); constraint != "" {
				why = "the constant " + obj.Name() + ", declared in a file with a build constraint (" + constraint + ")"
			} else if home != nil {
				if value := initializer(home, obj); value != nil {
					why = c.platformValue(home, value, seen)
				}
			}
		}
		return why == ""
	})
	return why
}

// initializer returns the expression of a constant of the package, which may be the expression of a
// preceding constant, or nil.
func initializer(p *load.Package, obj types.Object) ast.Expr {
	file := p.File(obj.Pos())
	if file == nil {
		return nil
	}
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		var values []ast.Expr
		for _, spec := range group.Specs {
			spec := spec.(*ast.ValueSpec)
			if len(spec.Values) > 0 || spec.Type != nil {
				values = spec.Values
			}
			for i, name := range spec.Names {
				if p.Info.Defs[name] == obj && i < len(values) {
					return values[i]
				}
			}
		}
	}
	return nil
}
