package cli

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/analyze"
	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/schema"
)

// exposedPath splits the value of -expose into the import path and the name of a type, or "". An
// exported name begins with a capital, an element of a path such as yaml.v3 does not.
func exposedPath(value string) (path, typeName string) {
	i := strings.LastIndexByte(value, '.')
	if i < strings.LastIndexByte(value, '/') || i < 0 || !ast.IsExported(value[i+1:]) {
		return value, ""
	}
	return value[:i], value[i+1:]
}

// find returns the package of a directory, and the package that -expose names.
func (i *initCommand) find(pkgs []*load.Package, dir string) (own, named *load.Package) {
	if i.expose == "" {
		return pkgs[0], nil
	}
	path, _ := exposedPath(i.expose)
	for _, p := range pkgs {
		if p.Path == path {
			named = p
		}
		if sameFile(p.Dir, dir) {
			own = p
		}
	}
	return own, named
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// exposure is a function that may become a member of the group.
type exposure struct {
	owner string // name of the type; "" for a function
	name  string
	value string // (*db.Queries).GetBook
	why   string // reason why it cannot be a tool, or ""
	old   string // deprecation in its doc comment, or ""
	keys  string // keys of its directive
	fn    *types.Func
}

func (e *exposure) isTool() bool { return e.why == "" && e.old == "" }

// markDeprecated marks the functions whose doc comment, or whose type's doc comment, contains a
// deprecation. A type that the user named is wanted.
func markDeprecated(p *load.Package, all []*exposure, typeName string) {
	docs := load.NewDocs(p)
	for _, e := range all {
		e.old = deprecation(docs.Of(e.fn))
		if e.old == "" && e.owner != "" && e.owner != typeName {
			e.old = deprecation(docs.Of(p.Types.Scope().Lookup(e.owner)))
		}
	}
}

// deprecation returns the paragraph of a doc comment that begins with "Deprecated:", on one line,
// or "" (go.dev/wiki/Deprecated).
func deprecation(doc string) string {
	for paragraph := range strings.SplitSeq(doc, "\n\n") {
		if strings.HasPrefix(paragraph, "Deprecated: ") {
			return strings.Join(strings.Fields(paragraph), " ")
		}
	}
	return ""
}

// planExposed plans the file with the functions of another package. If it returns false, the
// command exits with the code.
func (i *initCommand) planExposed() (code int, ok bool) {
	c := i.c
	refuse := func(message, hint string) (int, bool) {
		c.diagnostic(diag.Diagnostic{Message: "-expose " + i.expose + ": " + message, Hint: hint})
		return exitFound, false
	}
	path, typeName := exposedPath(i.expose)
	own := i.exposed.Path == i.pkg.Path
	switch {
	case i.exposed.Name == "main" && !own:
		return refuse(path+" is a program, which cannot be imported", "move the functions into a package that can be imported")
	case !schema.Importable(i.pkg.Path, path):
		return refuse(path+" is in an internal package that this package cannot import", "work in a package below the directory that holds internal")
	case !own && i.exposed.Uses(i.pkg.Path):
		return refuse(path+" imports "+i.pkg.Path+", which therefore cannot import it", "work in a package that the other does not import")
	}
	qualifier := i.importName() + "."
	if own {
		qualifier = ""
	}
	all, problem := exposures(i.exposed, typeName, qualifier)
	if problem != "" {
		return refuse(problem, "name an exported type of the package, or the package alone")
	}
	markDeprecated(i.exposed, all, typeName)
	name := i.exposedFile(typeName)
	if _, err := os.Lstat(filepath.Join(i.pkg.Dir, name)); err == nil {
		return refuse(name+" is there already, and is left as it is", "delete it to have it written anew")
	}
	if err := i.tryExposed(all, name); err != nil {
		return c.fail(err), false
	}
	count := 0
	for _, e := range all {
		if e.isTool() {
			count++
		}
	}
	if count == 0 {
		why := "it has no exported functions"
		if len(all) > 0 {
			why = "none of its functions can be a tool; the first is " + all[0].value + ": " + cmp.Or(all[0].why, all[0].old)
		}
		return refuse(why, "write functions of your own that call those")
	}
	text, err := i.exposedSource(all)
	if err != nil {
		return c.fail(err), false
	}
	p, docs, err := i.withFile(name, text)
	if err != nil {
		return c.fail(err), false
	}
	diags := &diag.List{}
	if i.model = analyze.Package(p, docs, diags); diags.HasErrors() {
		c.diagnostics(diags)
		return exitFound, false
	}
	i.files = append(i.files, newFile{filepath.Join(i.pkg.Dir, name), string(text), fmt.Sprintf("%s of %s", functions(count), i.expose)})
	return exitDone, true
}

func functions(n int) string {
	if n == 1 {
		return "1 function"
	}
	return fmt.Sprint(n, " functions")
}

// exposedFile returns the name of the file. No suffix of it denotes a platform or a test.
func (i *initCommand) exposedFile(typeName string) string {
	name := i.exposed.Name
	if typeName != "" {
		name += "_" + analyze.PublishedName("", typeName)
	}
	return name + "_exposed.go"
}

// importName returns the name by which the file imports the other package: its own, unless a
// declaration of the package uses it.
func (i *initCommand) importName() string {
	name := i.exposed.Name
	for i.pkg.Types.Scope().Lookup(name) != nil {
		name += "pkg"
	}
	return name
}

// exposures returns the functions of a package and the methods of its types, or of one type. A type
// whose fields are all exported is data, and its methods count only if the user named it.
func exposures(p *load.Package, typeName, qualifier string) (all []*exposure, problem string) {
	scope := p.Types.Scope()
	if typeName != "" {
		obj, ok := scope.Lookup(typeName).(*types.TypeName)
		if !ok {
			return nil, fmt.Sprintf("package %s has no type %s", p.Path, typeName)
		}
		all = methodsOf(obj, qualifier)
		inOrder(p, all)
		return all, ""
	}
	for _, name := range scope.Names() {
		if !ast.IsExported(name) {
			continue
		}
		switch obj := scope.Lookup(name).(type) {
		case *types.Func:
			e := &exposure{name: name, value: qualifier + name, fn: obj}
			if s := (&target{name: name, fn: obj}); !s.candidate() {
				e.why = "it has the name of a constructor or of an option"
			} else if obj.Signature().TypeParams().Len() > 0 {
				e.why = "it is generic: name an instance, such as " + e.value + "[int]"
			}
			all = append(all, e)
		case *types.TypeName:
			if named, ok := obj.Type().(*types.Named); ok && !obj.IsAlias() && keepsState(named) {
				all = append(all, methodsOf(obj, qualifier)...)
			}
		}
	}
	inOrder(p, all)
	return all, ""
}

// inOrder sorts functions in order of files and lines, with functions that are declared in other
// packages last.
func inOrder(p *load.Package, all []*exposure) {
	slices.SortStableFunc(all, func(a, b *exposure) int {
		if own := a.fn.Pkg() == p.Types; own != (b.fn.Pkg() == p.Types) {
			if own {
				return -1
			}
			return 1
		}
		x, y := p.Position(a.fn.Pos()), p.Position(b.fn.Pos())
		return cmp.Or(cmp.Compare(x.Filename, y.Filename), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column), cmp.Compare(a.owner, b.owner))
	})
}

// keepsState reports whether a type is a struct with unexported fields.
func keepsState(named *types.Named) bool {
	st, ok := named.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for v := range st.Fields() {
		if !v.Exported() {
			return true
		}
	}
	return st.NumFields() == 0
}

// methodsOf returns the methods of a type, including promoted ones.
func methodsOf(obj *types.TypeName, qualifier string) []*exposure {
	t := obj.Type()
	value := qualifier + obj.Name()
	if !types.IsInterface(t) {
		t, value = types.NewPointer(t), "(*"+value+")"
	}
	generic := false
	if named, ok := obj.Type().(*types.Named); ok {
		generic = named.TypeParams().Len() > 0 && named.TypeArgs().Len() == 0
	}
	var all []*exposure
	for m := range types.NewMethodSet(t).Methods() {
		fn, ok := m.Obj().(*types.Func)
		if !ok || !fn.Exported() {
			continue
		}
		e := &exposure{owner: obj.Name(), name: fn.Name(), value: value + "." + fn.Name(), fn: fn}
		switch {
		case generic:
			e.why = "its type is generic: name an instance, such as " + qualifier + obj.Name() + "[int]"
		case standardMethods.MatchString(fn.Name()):
			e.why = "it has the name of a method which the standard library calls"
		case returns(fn, t):
			e.why = "it returns " + strings.Trim(value, "()") + " itself"
		}
		all = append(all, e)
	}
	return all
}

func returns(fn *types.Func, t types.Type) bool {
	for v := range fn.Signature().Results().Variables() {
		if types.Identical(v.Type(), t) {
			return true
		}
	}
	return false
}

// withFile returns the package with one more file, which imports the other package.
func (i *initCommand) withFile(name string, src []byte) (*load.Package, *load.Docs, error) {
	if i.exposed.Path == i.pkg.Path {
		p, err := i.pkg.With(name, src)
		return p, load.NewDocs(p), err
	}
	p, err := i.pkg.With(name, src, i.exposed)
	return p, load.NewDocs(p, i.exposed), err
}

// tryExposed determines which functions can be tools, each by itself, and gives functions with the
// same name different ones.
func (i *initCommand) tryExposed(all []*exposure, name string) error {
	src, err := i.exposedSource(slices.DeleteFunc(slices.Clone(all), func(e *exposure) bool { return !e.isTool() }))
	if err != nil {
		return err
	}
	p, docs, err := i.withFile(name, src)
	if err != nil {
		return err
	}
	file := p.Files[len(p.Files)-1]
	var group *ast.GenDecl
	for _, decl := range file.Decls {
		if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.VAR {
			group = g
		}
	}
	specs := map[string]ast.Spec{}
	for _, spec := range group.Specs {
		if v, ok := spec.(*ast.ValueSpec); ok && len(v.Values) == 1 {
			specs[types.ExprString(v.Values[0])] = spec
		}
	}
	try := func(some ...ast.Spec) *diag.List {
		group.Specs = some
		diags := &diag.List{}
		analyze.Package(p, docs, diags)
		return diags
	}
	before := map[string]bool{}
	for _, d := range try().All() {
		before[d.Pos.String()+d.Text()] = true
	}
	for _, e := range all {
		if e.isTool() {
			e.why = firstError(try(specs[e.value]), before)
		}
	}
	named := map[string]int{}
	for _, e := range all {
		if e.isTool() {
			named[e.name]++
		}
	}
	for _, e := range all {
		if e.isTool() && named[e.name] > 1 && e.owner != "" {
			e.keys = " name=" + analyze.PublishedName(e.owner, e.name)
		}
	}
	return nil
}

// names matches hints to name parameters or results with a directive.
var names = regexp.MustCompile(`//mcp:(params|result) `)

// firstError returns the message of the first error that is not in before, or "".
func firstError(diags *diag.List, before map[string]bool) string {
	for _, d := range diags.All() {
		if d.Severity == diag.Error && !before[d.Pos.String()+d.Text()] {
			_, text, found := strings.Cut(d.Text(), ": ")
			if !found {
				text = d.Text()
			}
			text = strings.Join(strings.Fields(text), " ")
			if names.MatchString(d.Hint) { // the hint does not require a change of the function
				text += "; " + d.Hint
			}
			return text
		}
	}
	return ""
}

// exposedSource returns the file with the group.
func (i *initCommand) exposedSource(all []*exposure) ([]byte, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\n", i.pkg.Name)
	if i.exposed.Path != i.pkg.Path {
		alias := ""
		if name := i.importName(); filepath.Base(i.exposed.Path) != name {
			alias = name + " "
		}
		fmt.Fprintf(&b, "import %s%q\n\n", alias, i.exposed.Path)
	}
	fmt.Fprintf(&b, "// Functions of %s.\n//\n// Delete those that no client may call, and add readonly to those that change nothing.\n//\n%s\nvar (\n", i.expose, toolDirective)
	for _, e := range all {
		if !e.isTool() {
			continue
		}
		if e.keys != "" {
			fmt.Fprintf(&b, "\t%s%s\n", toolDirective, e.keys)
		}
		fmt.Fprintf(&b, "\t_ = %s\n", e.value)
	}
	b.WriteString(")\n")
	list := func(header string, of func(*exposure) string) {
		for _, e := range all {
			if text := of(e); text != "" {
				b.WriteString(header)
				header = ""
				fmt.Fprintf(&b, "//   - %s: %s\n", e.value, text)
			}
		}
	}
	list("\n// These cannot be tools as they are:\n//\n", func(e *exposure) string { return e.why })
	list("\n// These are deprecated:\n//\n", func(e *exposure) string {
		if e.why != "" {
			return ""
		}
		return strings.TrimPrefix(e.old, "Deprecated: ")
	})
	return format.Source([]byte(b.String()))
}
