package load

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Constant returns the expression by which the source declares a constant of any package, or the
// expression of the preceding constant that it repeats. It returns nil if the source is not
// available.
func (d *Docs) Constant(k *types.Const) ast.Expr {
	if k.Pkg() == nil || !k.Pos().IsValid() {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fset == nil {
		return nil
	}
	file, _ := d.find(k)
	if file == nil || file.syntax == nil {
		return nil
	}
	if file.consts == nil {
		file.consts = ConstantsOf(file.syntax)
	}
	return file.consts[k.Name()]
}

// ConstantsOf returns the expressions of the constants that a file declares at package level, by
// their names.
func ConstantsOf(file *ast.File) map[string]ast.Expr {
	exprs := map[string]ast.Expr{}
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		var values []ast.Expr
		for _, spec := range group.Specs {
			spec, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}
			if len(spec.Values) > 0 {
				values = spec.Values
			}
			for i, name := range spec.Names {
				if i < len(values) {
					exprs[name.Name] = values[i]
				}
			}
		}
	}
	return exprs
}
