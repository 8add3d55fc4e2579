package load

import (
	"go/ast"
	"go/build"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io"
	"path/filepath"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/internal/regularfile"
)

// Constraint returns the build constraint of a file of the package, or "" if every build includes
// the file: "//go:build linux", or "the name tool_linux.go". The generated file has only the
// constraint that all files share, by their names or their comments, so it must not use
// declarations of a file with another constraint. Constraints on the version of Go do not count.
func (p *Package) Constraint(f *ast.File) string {
	return constraintOf(f, p.Fset.File(f.FileStart).Name())
}

// ConstraintAt is like Constraint, for the file of any package that contains a position. It returns
// "" for the shared constraint, see [Package.SharedConstraint]. If the file cannot be read, only
// its name counts.
func (p *Package) ConstraintAt(pos token.Pos, shared string) string {
	file := p.Fset.File(pos)
	if file == nil {
		return ""
	}
	f, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		f = &ast.File{}
	}
	return constraintBeside(f, file.Name(), shared)
}

// constraintBeside is like constraintOf, but returns "" for the constraint of the generated file.
func constraintBeside(f *ast.File, path, shared string) string {
	if shared != "" && buildLine(f, path) == shared {
		return ""
	}
	return constraintOf(f, path)
}

// buildLine returns the constraint of a file, by its name and its comment, as a //go:build line for
// another file, or "" if every build includes the file.
func buildLine(f *ast.File, path string) string {
	line := constraintOf(f, path)
	name := strings.Join(nameTags(filepath.Base(path)), " && ")
	switch expr, ok := strings.CutPrefix(line, "//go:build "); {
	case name == "":
		return line
	case !ok || expr == name:
		return "//go:build " + name
	default:
		return "//go:build " + name + " && (" + expr + ")"
	}
}

func constraintOf(f *ast.File, path string) string {
	for _, g := range f.Comments {
		if g.Pos() > f.Package {
			break
		}
		for _, c := range g.List {
			if !constraint.IsGoBuild(c.Text) {
				continue
			}
			if expr, err := constraint.Parse(c.Text); err == nil && !versionOnly(expr) {
				return strings.TrimSpace(c.Text)
			}
		}
	}
	if name := filepath.Base(path); namedForPlatform(name) {
		return "the name " + name
	}
	return ""
}

// versionOnly reports whether every tag of the constraint is a version of Go.
func versionOnly(x constraint.Expr) bool {
	switch x := x.(type) {
	case *constraint.TagExpr:
		return strings.HasPrefix(x.Tag, "go1.")
	case *constraint.NotExpr:
		return false
	case *constraint.AndExpr:
		return versionOnly(x.X) && versionOnly(x.Y)
	case *constraint.OrExpr:
		return versionOnly(x.X) && versionOnly(x.Y)
	}
	return false
}

// namedForPlatform reports whether a file name alone, by _GOOS or _GOARCH, excludes a file from
// some builds: it is tried with a platform that does not exist.
func namedForPlatform(name string) bool { return !builtFor(name, "none") }

// builtFor reports whether a file's name allows a build for an architecture on a system that does
// not exist.
func builtFor(name, arch string) bool {
	ctx := build.Context{
		GOOS: "none", GOARCH: arch, Compiler: "gc",
		OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("package p\n")), nil },
	}
	match, err := ctx.MatchFile("", name)
	return err != nil || match
}

// nameTags returns the build tags that the name of a file implies: linux and amd64 for
// a_linux_amd64.go.
func nameTags(name string) []string {
	if !namedForPlatform(name) {
		return nil
	}
	words := strings.Split(strings.Split(name, ".")[0], "_")[1:]
	if last := len(words) - 1; words[last] == "test" {
		words = words[:last]
	}
	last := words[len(words)-1]
	if n := len(words); n > 1 && !builtFor("a_"+words[n-2]+"_"+last+".go", last) {
		return words[n-2:]
	}
	return []string{last}
}

// excluded parses the ignored Go files that contain directives and would be part of the package
// under other constraints.
func excluded(p *Package, ignored []string) []*ast.File {
	var files []*ast.File
	for _, name := range ignored {
		if !sourceFile(filepath.Base(name)) || filepath.Base(name) == GeneratedFile {
			continue
		}
		src, err := regularfile.Read(name)
		if err != nil || !mentions(src) {
			continue
		}
		f, err := parser.ParseFile(p.Fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		// "ignore" marks programs that are run by themselves.
		if err == nil && f.Name.Name == p.Name && p.Constraint(f) != "//go:build ignore" {
			files = append(files, f)
		}
	}
	return files
}

// SharedConstraint returns the //go:build line for the constraint that all files of the package
// share, by their names or their comments, or "" if they share none. The generated file contains
// the line.
func (p *Package) SharedConstraint() string {
	shared := ""
	for i, f := range p.Files {
		line := buildLine(f, p.Fset.File(f.FileStart).Name())
		if line == "" || i > 0 && line != shared {
			return ""
		}
		shared = line
	}
	return shared
}

// CheckConstraints reports the annotated declarations that some builds exclude: among sets, which
// were scanned from Files, and in the files that the constraints exclude from this build. The
// generated file itself has the constraint shared.
func (p *Package) CheckConstraints(shared string, sets []*directive.Set, diags *diag.List) {
	var unused diag.List // misspelt directives of excluded files are not reported in this run
	var all []*directive.Set
	all = append(all, sets...)
	for _, f := range p.Excluded {
		all = append(all, directive.ScanFile(p.Fset, f, &unused)...)
	}
	for _, set := range all {
		why := constraintBeside(set.File, p.Fset.File(set.File.FileStart).Name(), shared)
		if why == "" && p.isExcluded(set.File) {
			why = `import "C", and cgo is not enabled`
		}
		for _, d := range set.Directives {
			if spec := directive.Lookup(d.Word); why == "" || spec == nil || !spec.Feature {
				continue
			}
			e := diags.Errorf(d.Pos, "//mcp:"+d.Word, "applies to %s in a file with a build constraint (%s)", set.Symbol, why)
			e.Hint = "move " + set.Name + " to a file that every build includes, and call the code for the platform from there"
			if own := p.SharedConstraint(); own != shared && own != "" {
				e.Hint += "; or write " + own + " into every file of the package with //mcp:from"
			}
		}
	}
}

func (p *Package) isExcluded(f *ast.File) bool {
	for _, e := range p.Excluded {
		if e == f {
			return true
		}
	}
	return false
}
