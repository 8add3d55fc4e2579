package vet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/mcpgen/mcpgen/generator/internal/analyze"
	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/load"
)

// NewAnalyzer returns the rules as an analyzer, for go vet -vettool and for other drivers. Its
// flags set the fields of o. It reports the errors of the generator, too, since a package with
// errors cannot be checked.
func NewAnalyzer(o *Options) *analysis.Analyzer {
	a := &analysis.Analyzer{
		Name: "mcpgen",
		Doc:  "look at the contracts of //mcp: directives\n\nmcpgen help vet lists the rules.",
		Run:  func(pass *analysis.Pass) (any, error) { return nil, run(pass, o) },
	}
	o.Register(&a.Flags)
	return a
}

func run(pass *analysis.Pass, o *Options) error {
	pkg := fromPass(pass)
	sets, _ := pkg.Directives()
	if len(sets) == 0 {
		return nil
	}
	from := slices.ContainsFunc(sets, func(set *directive.Set) bool { return set.Get("from") != nil })
	var diags diag.List
	loaded := pkg
	if from {
		// Their source is not part of the pass.
		all, found, err := load.Load(context.Background(), load.Config{Dir: pkg.Dir})
		switch {
		case err != nil:
			return fmt.Errorf("load %s for its //mcp:from: %w", pkg.Path, err)
		case len(all) != 1: // the list contains the reason
			return fmt.Errorf("load %s for its //mcp:from: got %s", pkg.Path, count(len(all), "package"))
		}
		loaded = all[0]
		diags.Append(found)
	} else {
		check(pass, pkg)
	}
	emitsNothing := analyze.EmitsNothing(loaded)
	understood := &diags
	if emitsNothing {
		// The package that emits it checks its types.
		analyze.CheckNotEmitted(loaded, &diags)
		understood = &diag.List{}
	}
	m := analyze.Package(loaded, load.NewDocs(loaded), understood)
	if emitsNothing && understood.HasErrors() && !diags.HasErrors() {
		return nil
	}
	if diags.HasErrors() {
		for _, d := range diags.All() {
			if d.Severity == diag.Error {
				pass.Report(analysis.Diagnostic{Pos: position(pkg, d.Pos), Message: message(pkg, d)})
			}
		}
		return nil
	}
	if m.Empty() {
		return nil
	}
	found, err := Package(loaded, m, o)
	if err != nil {
		return err
	}
	for _, f := range found {
		d := analysis.Diagnostic{Pos: position(pkg, f.Pos), Category: f.Rule, Message: message(pkg, f.Diagnostic())}
		if f.Fix != nil && !from {
			d.SuggestedFixes = []analysis.SuggestedFix{{
				Message:   f.Fix.Message,
				TextEdits: []analysis.TextEdit{{Pos: f.Fix.Pos, End: f.Fix.End, NewText: []byte(f.Fix.Text)}},
			}}
		}
		pass.Report(d)
	}
	return nil
}

// check type-checks the files again, as the analysis needs them: without the declarations of the
// generated file. Imported packages come from the pass.
func check(pass *analysis.Pass, p *load.Package) {
	p.Info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{}, FileVersions: map[*ast.File]string{},
	}
	config := &types.Config{
		Importer: passImporter{pass}, Sizes: pass.TypesSizes, GoVersion: pass.Pkg.GoVersion(), FakeImportC: true,
		Error: func(err error) {
			if e, ok := errors.AsType[types.Error](err); ok {
				p.TypeErrors = append(p.TypeErrors, e)
			}
		},
	}
	p.Types, _ = config.Check(p.Path, p.Fset, p.Files, p.Info) // TypeErrors contains the errors
}

// passImporter returns the packages that the files of a pass import.
type passImporter struct{ pass *analysis.Pass }

func (i passImporter) Import(path string) (*types.Package, error) {
	for _, f := range i.pass.Files {
		for _, spec := range f.Imports {
			name := i.pass.TypesInfo.PkgNameOf(spec)
			if written, err := strconv.Unquote(spec.Path.Value); err == nil && written == path && name != nil {
				return name.Imported(), nil
			}
		}
	}
	return nil, fmt.Errorf("package %s is not imported", path)
}

// fromPass returns the package of a pass, without its tests and its generated file, and without
// types.
func fromPass(pass *analysis.Pass) *load.Package {
	p := &load.Package{
		Path: pass.Pkg.Path(), Name: pass.Pkg.Name(), Fset: pass.Fset, Sizes: pass.TypesSizes, Listed: pass.IgnoredFiles,
	}
	if pass.Module != nil {
		p.Module = pass.Module.Path
	}
	for _, f := range pass.Files {
		name := pass.Fset.File(f.FileStart).Name()
		switch base := filepath.Base(name); {
		case strings.HasSuffix(base, "_test.go"):
		case base == load.GeneratedFile && ast.IsGenerated(f):
		default:
			p.Files = append(p.Files, f)
			p.Dir = filepath.Dir(name)
		}
	}
	slices.SortFunc(p.Files, func(a, b *ast.File) int {
		return cmp.Compare(p.Fset.File(a.FileStart).Name(), p.Fset.File(b.FileStart).Name())
	})
	p.Generated = filepath.Join(p.Dir, load.GeneratedFile)
	return p
}

// position converts a position to a token.Pos. Positions outside the files of the package become
// the beginning of the package.
func position(p *load.Package, at token.Position) token.Pos {
	if f := fileOf(p, at); f != nil {
		if file := p.Fset.File(f.FileStart); at.Line >= 1 && at.Line <= file.LineCount() {
			return file.LineStart(at.Line) + token.Pos(max(0, at.Column-1))
		}
	}
	return p.Files[0].Package
}

func fileOf(p *load.Package, at token.Position) *ast.File {
	for _, f := range p.Files {
		if p.Position(f.Package).Filename == at.Filename {
			return f
		}
	}
	return nil
}

// message returns a diagnostic as a single string for drivers.
func message(p *load.Package, d *diag.Diagnostic) string {
	text := d.Text()
	if d.Rule != "" {
		text += " [" + d.Rule + "]"
	}
	if d.Pos.IsValid() && fileOf(p, d.Pos) == nil {
		text = d.Pos.String() + ": " + text
	}
	if d.Hint != "" {
		text += "\n\thint: " + d.Hint
	}
	return text
}
