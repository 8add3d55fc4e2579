package main

import (
	"bytes"
	"fmt"
	"go/format"
	"go/types"
	"strconv"
	"strings"
)

// writer writes the annotated wrappers of one package.
type writer struct {
	own     *types.Package
	self    string            // import name of own
	imports map[string]string // import path: name
	taken   map[string]bool   // names of imports
	made    bool              // the receivers are created in a separate file
}

// print returns the source of a package that wraps the functions of another package.
func (s *settled) print(wrappers []*wrapper) ([]byte, error) {
	name, own := s.name, s.all.pkg
	w := &writer{made: s.source.make != "", own: own, self: "target", imports: map[string]string{}, taken: map[string]bool{}}
	for named(wrappers, w.self) {
		w.self = "the" + w.self
	}
	w.taken[w.self] = true
	if len(wrappers) > 0 {
		w.imports[own.Path()] = w.self
	}
	var decls bytes.Buffer
	several := receivers(wrappers) > 1
	written := map[*types.Named]bool{}
	for _, wr := range wrappers {
		if wr.kind == handle && !written[wr.recv] {
			w.holder(&decls, wr.recv, several)
		}
		if wr.kind == contract {
			if !written[wr.recv] {
				w.contract(&decls, wr.recv, wrappers, several)
			}
		} else {
			w.function(&decls, wr)
		}
		written[wr.recv] = true
	}
	for _, wr := range s.all.wrappers {
		if w.made && wr.kind == handle && !written[wr.recv] {
			w.holder(&decls, wr.recv, several) // even if all its methods are refused
			written[wr.recv] = true
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Package %s has a tool for every function of %s.\npackage %s\n\nimport (\n", name, own.Path(), name)
	for path, alias := range w.imports {
		fmt.Fprintf(&b, "\t%s %q\n", alias, path)
	}
	fmt.Fprintf(&b, ")\n\n%s", &decls)
	source, err := format.Source(b.Bytes())
	if err != nil {
		return b.Bytes(), fmt.Errorf("wrap %s: %w", own.Path(), err)
	}
	return source, nil
}

// named reports whether any wrapper has a parameter or result with a given name.
func named(wrappers []*wrapper, name string) bool {
	for _, w := range wrappers {
		for v := range w.fn.Signature().Params().Variables() {
			if v.Name() == name {
				return true
			}
		}
		for v := range w.fn.Signature().Results().Variables() {
			if v.Name() == name {
				return true
			}
		}
	}
	return false
}

// receivers counts the types that are passed to RegisterMCP.
func receivers(wrappers []*wrapper) int {
	types := map[*types.Named]bool{}
	for _, w := range wrappers {
		if w.kind == handle || w.kind == contract {
			types[w.recv] = true
		}
	}
	return len(types)
}

// qualifier returns the name of a package in a type, and imports the package.
func (w *writer) qualifier(pkg *types.Package) string {
	if name := w.imports[pkg.Path()]; name != "" {
		return name
	}
	name := pkg.Name()
	for i := 2; w.taken[name]; i++ {
		name = pkg.Name() + strconv.Itoa(i)
	}
	w.taken[name] = true
	w.imports[pkg.Path()] = name
	return name
}

func (w *writer) typ(t types.Type) string { return types.TypeString(t, w.qualifier) }

// typeParams returns the type parameters with their constraints, and without.
func (w *writer) typeParams(list *types.TypeParamList) (declared, used string) {
	if list.Len() == 0 {
		return "", ""
	}
	var d, u []string
	for p := range list.TypeParams() {
		d = append(d, p.Obj().Name()+" "+w.typ(p.Constraint()))
		u = append(u, p.Obj().Name())
	}
	return "[" + strings.Join(d, ", ") + "]", "[" + strings.Join(u, ", ") + "]"
}

// holder declares a type with a receiver of the other package. With several receivers, the method
// names begin with the type name.
func (w *writer) holder(b *bytes.Buffer, t *types.Named, several bool) {
	declared, used := w.typeParams(t.TypeParams())
	name := t.Obj().Name()
	fmt.Fprintf(b, "// %s holds a %s.\n%stype %s%s struct{ it *%s.%s%s }\n\n", name, name, prefix(name, several), name, declared, w.self, name, used)
	if declared == "" && !w.made {
		fmt.Fprintf(b, "// New%s holds one that is not connected to anything.\nfunc New%s() *%s { return &%s{new(%s.%s)} }\n\n", name, name, name, name, w.self, name)
	}
}

// contract declares an interface with the annotated methods of another interface.
func (w *writer) contract(b *bytes.Buffer, t *types.Named, wrappers []*wrapper, several bool) {
	declared, _ := w.typeParams(t.TypeParams())
	name := t.Obj().Name()
	fmt.Fprintf(b, "// %s has the methods of %s.%s.\n%stype %s%s interface {\n", name, w.own.Name(), name, prefix(name, several), name, declared)
	for _, wr := range wrappers {
		if wr.recv != t {
			continue
		}
		b.WriteString(comment(wr, "\t"))
		params, _ := w.params(wr.fn.Signature(), nil)
		fmt.Fprintf(b, "\t%s(%s) %s\n", wr.name, strings.Join(params, ", "), w.results(wr.fn.Signature()))
	}
	b.WriteString("}\n\n")
}

func prefix(name string, several bool) string {
	if !several {
		return ""
	}
	return "//\n//mcp:defaults prefix=" + strings.ToLower(name) + "\n"
}

// function declares a wrapper that calls the original.
func (w *writer) function(b *bytes.Buffer, wr *wrapper) {
	sig := wr.fn.Signature()
	taken := map[string]bool{}
	for v := range sig.Params().Variables() {
		taken[v.Name()] = true
	}
	for v := range sig.Results().Variables() {
		taken[v.Name()] = true
	}
	free := func(name, otherwise string) string {
		if name == "" || name == "_" || taken[name] {
			return otherwise
		}
		return name
	}
	params, args := w.params(sig, taken)
	head, callee := "func "+wr.name, w.self+"."+wr.fn.Name()
	switch wr.kind {
	case plain:
		declared, used := w.typeParams(sig.TypeParams())
		head, callee = head+declared, callee+used
	case argument:
		declared, used := w.typeParams(wr.recv.TypeParams())
		name := free(sig.Recv().Name(), "receiver")
		if name == w.self {
			name = "receiver"
		}
		star := ""
		if types.NewMethodSet(wr.recv).Lookup(wr.fn.Pkg(), wr.fn.Name()) == nil {
			star = "*"
		}
		head, callee = head+declared, name+"."+wr.fn.Name()
		params = append([]string{name + " " + star + w.self + "." + wr.recv.Obj().Name() + used}, params...)
	case handle:
		_, used := w.typeParams(wr.recv.TypeParams())
		name := free("h", "holder")
		head = fmt.Sprintf("func (%s *%s%s) %s", name, wr.recv.Obj().Name(), used, wr.name)
		callee = name + ".it." + wr.fn.Name()
	}
	returns := ""
	if sig.Results().Len() > 0 {
		returns = "return "
	}
	fmt.Fprintf(b, "%s%s(%s) %s {\n\t%s%s(%s)\n}\n\n", comment(wr, ""), head, strings.Join(params, ", "), w.results(sig), returns, callee, strings.Join(args, ", "))
}

// params returns the parameters as declared, and as passed on. An unnamed parameter gets a name, so
// that the wrapper can pass it on.
func (w *writer) params(sig *types.Signature, taken map[string]bool) (params, args []string) {
	for i := range sig.Params().Len() {
		v := sig.Params().At(i)
		name, typ, dots := v.Name(), w.typ(v.Type()), ""
		if name == "" || name == "_" {
			for name = "p" + strconv.Itoa(i+1); taken[name]; {
				name += "_"
			}
		}
		if sig.Variadic() && i == sig.Params().Len()-1 {
			dots = "..."
			if slice, ok := v.Type().(*types.Slice); ok {
				typ = "..." + w.typ(slice.Elem())
			}
		}
		params = append(params, name+" "+typ)
		args = append(args, name+dots)
	}
	return params, args
}

func (w *writer) results(sig *types.Signature) string {
	var out []string
	for v := range sig.Results().Variables() {
		out = append(out, strings.TrimSpace(v.Name()+" "+w.typ(v.Type())))
	}
	if len(out) == 0 {
		return ""
	}
	return "(" + strings.Join(out, ", ") + ")"
}

// comment returns the doc comment of the original, adapted to the wrapper, and the directive.
func comment(wr *wrapper, indent string) string {
	var b strings.Builder
	text := strings.TrimSuffix(wr.doc, "\n")
	if rest, ok := strings.CutPrefix(text, wr.fn.Name()+" "); ok {
		text = wr.name + " " + rest
	}
	if text != "" {
		for line := range strings.Lines(text) {
			b.WriteString(strings.TrimRight(indent+"// "+strings.TrimRight(line, "\n"), " ") + "\n")
		}
		b.WriteString(indent + "//\n")
	}
	b.WriteString(indent + "//mcp:tool\n")
	if wr.result != "" {
		b.WriteString(indent + "//mcp:result " + wr.result + "\n")
	}
	return b.String()
}
