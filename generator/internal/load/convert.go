package load

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/mcpgen/mcpgen/internal/regularfile"
)

// convert makes a Package from a package that go/packages loaded. Reasons why its source cannot be
// read completely are added to the list: otherwise directives would silently be lost.
func (l *loader) convert(ctx context.Context, lp *packages.Package) (*Package, error) {
	p := &Package{
		Path: lp.PkgPath, Name: lp.Name, Dir: lp.Dir,
		Fset: lp.Fset, Types: lp.Types, Info: lp.TypesInfo, Sizes: lp.TypesSizes,
		Errors: lp.Errors, TypeErrors: lp.TypeErrors, Imports: lp.Imports,
	}
	if lp.Module != nil {
		p.Module, p.ModuleDir = lp.Module.Path, lp.Module.Dir
	}
	if len(lp.GoFiles) == 0 {
		return nil, l.nothingIn(ctx, lp)
	}
	if p.Dir == "" {
		p.Dir = filepath.Dir(lp.GoFiles[0])
	}
	p.Generated = filepath.Join(p.Dir, GeneratedFile)
	var err error
	if p.GeneratedState, err = stateOfFile(p.Generated); err != nil {
		return nil, err
	}
	for _, f := range lp.Syntax {
		name := p.Fset.File(f.FileStart).Name()
		// cgo's own files are not in the directory of the package.
		if slices.Contains(lp.GoFiles, name) && !(p.GeneratedState == Ours && filepath.Base(name) == GeneratedFile) {
			p.Files = append(p.Files, f)
		}
	}
	if importsC(lp.GoFiles) {
		l.checkCgo(p, lp)
	} else {
		l.replacedFiles(p, lp)
	}
	slices.SortFunc(p.Files, func(a, b *ast.File) int {
		return cmp.Compare(p.Fset.File(a.FileStart).Name(), p.Fset.File(b.FileStart).Name())
	})
	p.Listed = slices.Concat(lp.GoFiles, lp.IgnoredFiles)
	l.syntaxErrors(p)
	l.missingRuntime(p)
	p.Excluded = excluded(p, lp.IgnoredFiles)
	p.directives = sync.OnceValues(p.scan)
	return p, nil
}

// replacedFiles reports source files that the go command replaces by others for the compiler:
// directives would be lost, and a generated file would seem to be left over.
func (l *loader) replacedFiles(p *Package, lp *packages.Package) {
	if slices.ContainsFunc(p.Errors, func(e packages.Error) bool { return e.Kind != packages.TypeError }) {
		return // its error contains the reason
	}
	for _, name := range lp.GoFiles {
		read := slices.ContainsFunc(p.Files, func(f *ast.File) bool { return p.Fset.File(f.FileStart).Name() == name })
		if !read && filepath.Base(name) != GeneratedFile {
			l.diags.Errorf(token.Position{Filename: name}, "", "the go command compiles another file in its place, so its directives are not read").
				Hint = "remove flags that rewrite source, such as -cover, from GOFLAGS"
		}
	}
}

// nothingIn returns the reason why a package has no files.
func (l *loader) nothingIn(ctx context.Context, lp *packages.Package) error {
	dir := cmp.Or(lp.Dir, lp.PkgPath)
	var tests, sources []string
	entries, _ := os.ReadDir(lp.Dir)
	for _, e := range entries {
		switch name := e.Name(); {
		case strings.HasSuffix(name, "_test.go"):
			tests = append(tests, name)
		case sourceFile(name) && name != GeneratedFile:
			sources = append(sources, name)
		}
	}
	switch {
	case len(sources) > 0 && len(lp.IgnoredFiles) == 0 && len(lp.Errors) > 0, lp.Dir == "" && len(lp.Errors) > 0:
		return l.inEnvironment(ctx, &Error{Message: strings.TrimSpace(lp.Errors[0].Msg)})
	case importsC(lp.IgnoredFiles):
		return &Error{
			Message: fmt.Sprintf("build constraints exclude all Go files in %s", dir),
			Hint:    "set CGO_ENABLED=1: they import \"C\"",
		}
	case len(sources) > 0:
		e := &Error{
			Message: fmt.Sprintf("build constraints exclude all Go files in %s", dir),
			Hint:    "give the tags that it is built with: -tags",
		}
		if slices.ContainsFunc(sources, namedForPlatform) {
			e.Hint = "its files are for other systems: set GOOS and GOARCH, and give tags that they are built with: -tags"
		}
		return e
	case len(tests) > 0:
		return &Error{Message: fmt.Sprintf("there are only tests in %s", dir), Hint: "annotate functions of the package itself"}
	}
	return &Error{Message: fmt.Sprintf("there are no Go files in %s", dir), Hint: "start in the directory of a package, or name one, ./store, or all, ./..."}
}

// syntaxErrors reports the files that could be read only in part, with the first error of each, and
// files of another package.
func (l *loader) syntaxErrors(p *Package) {
	seen := map[string]bool{}
	for _, e := range p.Errors {
		if e.Kind == packages.ParseError {
			l.syntaxError(seen, position(e.Pos), e.Msg)
		}
	}
	for _, f := range p.Files {
		if f.Name.Name != p.Name && f.Name.Name != "" { // the missing clause is reported as an error already
			l.otherPackage(p, p.Position(f.Name.Pos()), f.Name.Name)
		}
	}
	// go list leaves out a file without a build constraint if it cannot read its package clause or
	// imports.
	entries, _ := os.ReadDir(p.Dir)
	for _, e := range entries {
		name := filepath.Join(p.Dir, e.Name())
		if !sourceFile(e.Name()) || e.Name() == GeneratedFile || slices.Contains(p.Listed, name) {
			continue
		}
		fset := token.NewFileSet()
		src, err := regularfile.Read(name)
		if err != nil {
			continue
		}
		f, err := parser.ParseFile(fset, name, src, parser.ImportsOnly)
		switch {
		case err != nil:
			at, message := splitError(err)
			l.syntaxError(seen, at, message)
		case f.Name.Name != p.Name && f.Name.Name != "documentation":
			l.otherPackage(p, fset.Position(f.Name.Pos()), f.Name.Name)
		}
	}
}

// syntaxError reports the first error of a file, since the others follow from it.
func (l *loader) syntaxError(seen map[string]bool, at token.Position, message string) {
	if seen[at.Filename] {
		return
	}
	seen[at.Filename] = true
	l.diags.Errorf(at, "", "syntax error: %s", message).Hint = "fix it first: directives after it cannot be read"
}

func (l *loader) otherPackage(p *Package, at token.Position, name string) {
	l.diags.Errorf(at, "", "the file belongs to package %s, others here to package %s", name, p.Name).Hint = "a directory holds one package"
}

// missingRuntime reports imports of the runtime that cannot be resolved.
func (l *loader) missingRuntime(p *Package) {
	for _, f := range p.Files {
		for _, spec := range f.Imports {
			path := importPath(spec)
			imp := p.Imports[path]
			if !strings.HasPrefix(path+"/", "github.com/mcpgen/mcpgen/runtime/") || imp == nil || len(imp.GoFiles) > 0 {
				continue
			}
			message := "package " + path + " cannot be found"
			if len(imp.Errors) > 0 {
				message, _, _ = strings.Cut(imp.Errors[0].Msg, ";")
			}
			l.diags.Errorf(p.Position(spec.Path.Pos()), "", "%s", message).Hint = getTool
		}
	}
}

// importsC reports whether a file imports "C".
func importsC(files []string) bool {
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			continue
		}
		if slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"C"` }) {
			return true
		}
	}
	return false
}

// checkCgo type-checks the original source of a package that imports "C". go list returns the
// output of cgo instead, and no files if cgo fails, for instance at the call of a function that is
// not generated yet.
func (l *loader) checkCgo(p *Package, lp *packages.Package) {
	p.Files, p.TypeErrors = nil, nil
	p.Errors = slices.DeleteFunc(slices.Clone(p.Errors), func(e packages.Error) bool { return e.Kind != packages.ListError })
	ours := hidden{}
	if p.GeneratedState == Ours {
		ours[p.Generated] = true
	}
	for _, name := range lp.GoFiles {
		if ours[name] {
			continue
		}
		src, err := regularfile.Read(name)
		if err != nil {
			p.Errors = append(p.Errors, packages.Error{Pos: name, Msg: err.Error(), Kind: packages.ParseError})
			continue
		}
		f, err := ours.parse(p.Fset, name, src)
		if err != nil {
			at, message := splitError(err)
			p.Errors = append(p.Errors, packages.Error{Pos: at.String(), Msg: message, Kind: packages.ParseError})
		}
		if f != nil {
			p.Files = append(p.Files, f)
		}
	}
	goVersion := ""
	if lp.Module != nil && lp.Module.GoVersion != "" {
		goVersion = "go" + lp.Module.GoVersion
	}
	p.check(goVersion, nil)
}

// With returns the package with one more file, which may import packages that the others do not.
// name is the name of a file in the directory, which is not read.
func (p *Package) With(name string, src []byte, imports ...*Package) (*Package, error) {
	f, err := hidden{}.parse(p.Fset, filepath.Join(p.Dir, name), src)
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", name, err)
	}
	q := *p
	q.Files, q.directives = append(slices.Clip(p.Files), f), nil
	q.TypeErrors, q.Errors = nil, nil
	more := map[string]*types.Package{}
	for _, imp := range imports {
		more[imp.Path] = imp.Types
	}
	q.check("", more)
	return &q, nil
}

// check type-checks the files. It imports packages from more, or else as the go command loaded
// them.
func (p *Package) check(goVersion string, more map[string]*types.Package) {
	p.Info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}, Scopes: map[ast.Node]*types.Scope{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, FileVersions: map[*ast.File]string{},
	}
	conf := types.Config{
		FakeImportC: true, Sizes: p.Sizes,
		Importer: importerFunc(func(path string) (*types.Package, error) {
			if path == "unsafe" {
				return types.Unsafe, nil
			}
			if imp := more[path]; imp != nil {
				return imp, nil
			}
			if imp := p.Imports[path]; imp != nil && imp.Types != nil && imp.Types.Complete() {
				return imp.Types, nil
			}
			return nil, fmt.Errorf("no types of package %s", path)
		}),
		Error: func(err error) {
			if te, ok := err.(types.Error); ok {
				p.TypeErrors = append(p.TypeErrors, te)
				p.Errors = append(p.Errors, packages.Error{Pos: te.Fset.Position(te.Pos).String(), Msg: te.Msg, Kind: packages.TypeError})
			}
		},
	}
	conf.GoVersion = goVersion
	p.Types = types.NewPackage(p.Path, p.Name)
	_ = types.NewChecker(&conf, p.Fset, p.Types, p.Info).Files(p.Files) // conf.Error received all errors
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }
