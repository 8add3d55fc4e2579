package directive

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// declaration is the declaration, or another place, that a comment group belongs to.
type declaration struct {
	target Target
	node   ast.Node
	name   *ast.Ident
	named  *ast.Ident // the function that a variable names, otherwise nil
	parent *ast.TypeSpec
	symbol string
	doc    *ast.CommentGroup
	// wrong describes a place where directives are not allowed, such as "behind field Title"; hint
	// names a place where they are.
	wrong, hint string
	reported    bool
	// each is set for a group of variables: its members, in order.
	each []*declaration
	// others receives the directives that a group cannot have: its only member, or a wrong place.
	others *declaration
}

// declarations maps a comment group to the declaration that it belongs to. Other groups are
// missing.
type declarations map[*ast.CommentGroup]*declaration

func (p declarations) add(g *ast.CommentGroup, at *declaration) {
	if g != nil && p[g] == nil {
		p[g] = at
	}
}

func (p declarations) behind(g *ast.CommentGroup, what string) {
	p.add(g, &declaration{wrong: "behind " + what, hint: "put it into a line of its own, directly above the declaration"})
}

func declarationsOf(f *ast.File) declarations {
	p := declarations{}
	p.add(f.Doc, &declaration{target: Package, node: f, name: f.Name, symbol: f.Name.Name, doc: f.Doc})
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			p.function(decl)
		case *ast.GenDecl:
			p.general(decl)
		}
	}
	return p
}

func (p declarations) function(decl *ast.FuncDecl) {
	at := &declaration{target: Func, node: decl, name: decl.Name, symbol: decl.Name.Name, doc: decl.Doc}
	if decl.Recv != nil {
		at.target, at.symbol = Method, receiverName(decl.Recv)+"."+decl.Name.Name
	}
	p.add(decl.Doc, at)
	p.types(decl.Type, at.symbol)
}

func receiverName(recv *ast.FieldList) string {
	if len(recv.List) == 0 {
		return "?"
	}
	star := false
	for t := recv.List[0].Type; ; {
		switch x := t.(type) {
		case *ast.ParenExpr:
			t = x.X
		case *ast.StarExpr:
			star, t = true, x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			if star {
				return "(*" + x.Name + ")"
			}
			return x.Name
		default:
			return "?"
		}
	}
}

func (p declarations) general(decl *ast.GenDecl) {
	var group *declaration
	if decl.Tok == token.VAR && decl.Lparen.IsValid() && decl.Doc != nil && len(decl.Specs) > 0 {
		group = &declaration{target: VarGroup, node: decl, name: ast.NewIdent("_"), symbol: "a group of variables", doc: decl.Doc}
		p.add(decl.Doc, group)
	}
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			at := &declaration{target: Type, node: spec, name: spec.Name, symbol: spec.Name.Name, doc: spec.Doc}
			p.spec(decl, spec.Doc, at)
			p.behind(spec.Comment, "type "+at.symbol)
			p.typeExpr(spec.Type, at.symbol, spec)
		case *ast.ValueSpec:
			at := &declaration{target: Var, node: spec, name: spec.Names[0], symbol: spec.Names[0].Name, doc: spec.Doc}
			if decl.Tok == token.CONST {
				at.target = Const
			} else if short, symbol := functionOf(spec); short != nil {
				at.named, at.symbol = short, symbol
			}
			if group != nil {
				group.each = append(group.each, at)
			}
			p.spec(decl, spec.Doc, at)
			p.behind(spec.Comment, at.symbol)
			if spec.Type != nil {
				p.types(spec.Type, at.symbol)
			}
		case *ast.ImportSpec:
			p.add(spec.Doc, &declaration{wrong: "on an import", hint: "directives of the package belong directly above the package clause"})
			p.behind(spec.Comment, "an import")
		}
	}
	if decl.Tok == token.IMPORT {
		p.add(decl.Doc, &declaration{wrong: "on an import", hint: "directives of the package belong directly above the package clause"})
		return
	}
	whole := &declaration{wrong: "on a group of declarations", hint: "put it directly above the one that it is about, inside the parentheses"}
	p.add(decl.Doc, whole)
	if group == nil {
		return
	}
	if group.others = whole; len(group.each) == 1 {
		group.others = group.each[0]
	}
}

// functionOf returns the function that is the value of a variable without a name, and the whole
// value as it is written, or nil for other specs.
func functionOf(spec *ast.ValueSpec) (name *ast.Ident, symbol string) {
	if spec.Names[0].Name != "_" || len(spec.Values) != 1 {
		return nil, ""
	}
	value := ast.Unparen(spec.Values[0])
	symbol = types.ExprString(value)
	switch x := value.(type) {
	case *ast.IndexExpr:
		value = ast.Unparen(x.X)
	case *ast.IndexListExpr:
		value = ast.Unparen(x.X)
	}
	switch x := value.(type) {
	case *ast.SelectorExpr:
		return x.Sel, symbol
	case *ast.Ident:
		return x, symbol
	}
	return nil, ""
}

// spec registers the comment of a spec, and the comment of its declaration if the declaration
// consists of this spec only.
func (p declarations) spec(decl *ast.GenDecl, doc *ast.CommentGroup, at *declaration) {
	p.add(doc, at)
	if len(decl.Specs) == 1 {
		if at.doc == nil {
			at.doc = decl.Doc
		}
		p.add(decl.Doc, at)
	}
}

// types registers the comments of the struct and interface types inside a node other than a type
// declaration.
func (p declarations) types(n ast.Node, symbol string) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			p.typeExpr(n, symbol, nil)
			return false
		case *ast.InterfaceType:
			p.typeExpr(n, symbol, nil)
			return false
		case *ast.FuncLit:
			return false
		}
		return true
	})
}

func (p declarations) typeExpr(t ast.Expr, symbol string, parent *ast.TypeSpec) {
	switch t := ast.Unparen(t).(type) {
	case *ast.StructType:
		for _, field := range t.Fields.List {
			name := embeddedName(field.Type)
			if len(field.Names) > 0 {
				name = field.Names[0]
			}
			at := &declaration{target: Field, node: field, name: name, parent: parent, symbol: symbol + "." + name.Name, doc: field.Doc}
			p.add(field.Doc, at)
			p.behind(field.Comment, "field "+at.symbol)
			p.types(field.Type, at.symbol)
		}
	case *ast.InterfaceType:
		for _, m := range t.Methods.List {
			at := &declaration{target: InterfaceMethod, node: m, parent: parent, doc: m.Doc}
			switch {
			case len(m.Names) == 0:
				at.wrong, at.hint = "on an embedded interface", "put it on a method that the interface declares"
			case parent == nil:
				at.wrong, at.hint = "on a method of an interface without a name", "declare the interface as a type of its own"
			default:
				at.name, at.symbol = m.Names[0], symbol+"."+m.Names[0].Name
			}
			p.add(m.Doc, at)
			p.behind(m.Comment, "an interface method")
			p.types(m.Type, at.symbol)
		}
	default:
		p.types(t, symbol)
	}
}

func embeddedName(t ast.Expr) *ast.Ident {
	switch t := ast.Unparen(t).(type) {
	case *ast.Ident:
		return t
	case *ast.StarExpr:
		return embeddedName(t.X)
	case *ast.SelectorExpr:
		return t.Sel
	case *ast.IndexExpr:
		return embeddedName(t.X)
	case *ast.IndexListExpr:
		return embeddedName(t.X)
	}
	return ast.NewIdent("?")
}

// floating describes the position of a comment that does not belong to a declaration.
func floating(fset *token.FileSet, f *ast.File, g *ast.CommentGroup) *declaration {
	for _, decl := range f.Decls {
		if g.Pos() < decl.Pos() || g.Pos() >= decl.End() {
			continue
		}
		at := &declaration{wrong: "inside of a declaration", hint: "move it directly above the declaration that it is about"}
		if fn, ok := decl.(*ast.FuncDecl); ok {
			switch {
			case fn.Body != nil && g.Pos() > fn.Body.Lbrace:
				at.wrong, at.hint = "in the body of "+fn.Name.Name, "move it into the doc comment of "+fn.Name.Name
			default:
				at.target, at.wrong = Param, "in the signature of "+fn.Name.Name
				at.hint = "describe the parameter by a plain comment here, or by //mcp:arg in the doc comment of " + fn.Name.Name
			}
		} else if in := enclosingFunc(decl, g.Pos()); in {
			at.wrong = "in the body of a function"
		}
		return at
	}
	at := &declaration{wrong: "not above a declaration", hint: "move it directly above the declaration that it is about, without an empty line between them"}
	if g.End() < f.Package {
		at.hint = "move it directly above the package clause, without an empty line between them"
		return at
	}
	next := slices.IndexFunc(f.Decls, func(d ast.Decl) bool { return d.Pos() > g.End() })
	if next < 0 {
		return at
	}
	if name := declName(f.Decls[next]); name != "" && fset.Position(f.Decls[next].Pos()).Line-fset.Position(g.End()).Line <= 3 {
		at.hint = "move it directly above " + name + ", without an empty line between them"
	}
	return at
}

// enclosingFunc reports whether pos is in a function literal of the node.
func enclosingFunc(n ast.Node, pos token.Pos) (in bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if fn, ok := n.(*ast.FuncLit); ok && fn.Body.Lbrace < pos && pos < fn.Body.Rbrace {
			in = true
		}
		return !in
	})
	return in
}

func declName(decl ast.Decl) string {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		return "func " + decl.Name.Name
	case *ast.GenDecl:
		if len(decl.Specs) == 1 {
			switch spec := decl.Specs[0].(type) {
			case *ast.TypeSpec:
				return "type " + spec.Name.Name
			case *ast.ValueSpec:
				return spec.Names[0].Name
			}
		}
	}
	return ""
}
