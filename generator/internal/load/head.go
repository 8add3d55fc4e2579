package load

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/mcpgen/mcpgen/internal/regularfile"
)

// heads contains the heads of source files, by file name. A head contains the parts that the go
// command needs to find a package, its files and its imports. Heads replace sources to avoid
// compiling a package whose export data is not read.
type heads map[string][]byte

// headsOf returns the heads of the packages that are read as source, for all files of a package or
// for none: a package is compiled if it needs another tool than the compiler, or if one of its
// files cannot be parsed or replaced by an overlay.
func (l *loader) headsOf(ctx context.Context, roots []target, generated hidden) heads {
	all := heads{}
	if overlayOf(l.env) != "" {
		return all // it may replace any file
	}
	for _, t := range roots {
		if t.dir != "" && !inStandardLibrary(t.dir) && !l.inModuleCache(ctx, t.dir) {
			maps.Copy(all, l.headsIn(t.dir, generated))
		}
	}
	return all
}

// inStandardLibrary reports whether a directory belongs to the standard library, for which the go
// command has special rules.
func inStandardLibrary(dir string) bool {
	module := ModulePath(moduleRoot(dir))
	return module == "std" || module == "cmd"
}

// otherTools are the endings of files that the compiler does not read.
var otherTools = []string{".s", ".S", ".sx", ".syso", ".swig", ".swigcxx"}

// headsIn returns the heads of the files of a directory, or nil if one of them has no head.
func (l *loader) headsIn(dir string, generated hidden) heads {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	found := heads{}
	for i, e := range entries {
		name := filepath.Join(dir, e.Name())
		if slices.Contains(otherTools, filepath.Ext(name)) {
			return nil
		}
		if !sourceFile(e.Name()) || generated[name] {
			continue
		}
		src, err := regularfile.Read(name)
		if err != nil {
			return nil
		}
		if found[name] = l.parsed.head(name, src, i); found[name] == nil {
			return nil
		}
	}
	return found
}

// head returns the constraints of a source file, its settings for debugging, its package clause,
// its imports and its embedded files, each on its line, since messages of the go command name
// lines, and its main function without a body. It returns nil for a file that cannot be parsed or
// imports "C". The index distinguishes the files of a package.
func (p parsedFiles) head(name string, src []byte, index int) []byte {
	f, err := p.parse(name, src)
	if err != nil || slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool { return importPath(s) == "C" }) {
		return nil
	}
	w := headWriter{file: p.fset.File(f.FileStart)}
	for _, group := range f.Comments {
		for _, c := range group.List {
			if c.Pos() < f.Package {
				w.add(c.Pos(), headComment(c.Text))
			}
		}
	}
	w.add(f.Package, "package "+f.Name.Name+";")
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.GenDecl:
			if decl.Tok == token.IMPORT {
				w.imports(decl)
			}
		case *ast.FuncDecl:
			if f.Name.Name == "main" && decl.Name.Name == "main" && decl.Recv == nil {
				w.end += "func main() {}\n"
			}
		}
	}
	if w.embeds {
		w.embedded(f, fmt.Sprintf("embedded%d_", index))
	}
	return w.write()
}

// headComment returns the part of a comment above the package clause that is kept: a directive, or
// its markers, since a line of constraints counts only if an empty line follows its comment.
func headComment(text string) string {
	line, isLine := strings.CutPrefix(text, "//")
	switch {
	case !isLine:
		return "/*" + strings.Repeat("\n", strings.Count(text, "\n")) + "*/"
	case strings.HasPrefix(line, "go:"), strings.HasPrefix(line, "line "), strings.HasPrefix(strings.TrimSpace(line), "+build"):
		return text
	}
	return "//"
}

// headWriter writes pieces of a file at their original positions.
type headWriter struct {
	file   *token.File
	embeds bool // package embed is imported by this name
	pieces []headPiece
	end    string // code whose position does not matter, so that an edit elsewhere changes nothing
}

type headPiece struct {
	pos  token.Pos
	text string
}

func (w *headWriter) add(pos token.Pos, text string) {
	w.pieces = append(w.pieces, headPiece{pos, text})
}

// at returns a position in the file itself, independent of //line comments.
func (w *headWriter) at(pos token.Pos) token.Position { return w.file.PositionFor(pos, false) }

func (w *headWriter) imports(decl *ast.GenDecl) {
	w.add(decl.TokPos, "import ")
	if decl.Lparen.IsValid() {
		w.add(decl.Lparen, "(")
	}
	for _, spec := range decl.Specs {
		spec := spec.(*ast.ImportSpec)
		name := "_"
		if importPath(spec) == "embed" && !w.embeds {
			name, w.embeds = "embed", true
		}
		w.add(spec.Pos(), name+spec.Path.Value+";")
	}
	if decl.Rparen.IsValid() {
		w.add(decl.Rparen, ");")
	}
}

// embedded adds the //go:embed lines, each with a variable of a type that fits any pattern.
func (w *headWriter) embedded(f *ast.File, prefix string) {
	variable := func(line int) string { return fmt.Sprintf("var %s%d embed.FS", prefix, line) }
	lines := map[int]bool{}
	for _, group := range f.Comments {
		for _, c := range group.List {
			if rest, ok := strings.CutPrefix(c.Text, "//go:embed"); ok && c.Pos() > f.Package && strings.TrimLeft(rest, " \t") != rest {
				w.add(c.Pos(), c.Text)
				lines[w.at(c.Pos()).Line] = true
			}
		}
	}
	for line := range lines {
		if line++; !lines[line] && line <= w.file.LineCount() {
			w.add(w.file.LineStart(line), variable(line))
		}
	}
	w.end += variable(0) + "\n" // package embed is used, whatever else the file contains
}

// write returns the pieces with the lines between them, and at their columns if there is room.
func (w *headWriter) write() []byte {
	slices.SortStableFunc(w.pieces, func(a, b headPiece) int { return cmp.Compare(a.pos, b.pos) })
	var out bytes.Buffer
	line, column := 1, 1
	for _, p := range w.pieces {
		at := w.at(p.pos)
		for ; line < at.Line; line++ {
			out.WriteByte('\n')
			column = 1
		}
		for ; column < at.Column; column++ {
			out.WriteByte(' ')
		}
		out.WriteString(p.text)
		line += strings.Count(p.text, "\n")
		column += len(p.text)
	}
	out.WriteByte('\n')
	out.WriteString(w.end)
	return out.Bytes()
}

// without returns the heads of the packages that no package without heads imports, directly or
// indirectly, and reports whether there are others. Only packages count that could not be compiled:
// the declarations that they refer to are not in a head.
func (h heads) without(loaded []*packages.Package) (rest heads, dropped bool) {
	has := func(p *packages.Package) bool {
		return slices.ContainsFunc(p.GoFiles, func(name string) bool { return h[name] != nil })
	}
	var failed []*packages.Package
	packages.Visit(loaded, nil, func(p *packages.Package) {
		if p.ExportFile != "" || has(p) {
			return
		}
		for _, imp := range p.Imports {
			if has(imp) {
				failed = append(failed, p)
				return
			}
		}
	})
	rest = maps.Clone(h)
	packages.Visit(failed, nil, func(imp *packages.Package) {
		for _, name := range slices.Concat(imp.GoFiles, imp.IgnoredFiles) {
			delete(rest, name)
		}
	})
	return rest, len(failed) > 0
}
