package emit

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// Only this file handles code that jennifer prints differently: imports with needless aliases, in
// one group; sorted keyed values; lists, JSON and escaped strings on one line; declarations without
// a blank line between them.

// lineWidth is the width, in characters, at which lines are wrapped; a line that cannot be broken
// may be longer.
const lineWidth = 112

// commentWidth is the same for the words of comments.
const commentWidth = 77

// code is the type of the expressions and statements that the emitters build.
type code = *jen.Statement

// file collects the declarations of one file.
type file struct {
	path, name string // of the package
	imports    *imports
	aliases    *model.Aliases // for types that the file cannot name
	body       []jen.Code
	long       []string // placeholders, each with its replacement
	structs    []*unnamedStruct
	tagged     bool // types are printed with the tags of unnamed structs
}

func newFile(p *model.Package, reserved []string) *file {
	return &file{path: p.Path, name: p.Name, imports: newImports(p.Types, reserved), aliases: p.Aliases}
}

// add appends a declaration with its doc comment.
func (f *file) add(doc string, declaration jen.Code) {
	f.body = append(f.body, jen.Line())
	for _, line := range breakText(doc, commentWidth) {
		f.body = append(f.body, jen.Comment("// "+strings.TrimSuffix(line, " ")))
	}
	f.body = append(f.body, declaration)
}

// addBare appends a declaration without a comment.
func (f *file) addBare(declaration jen.Code) { f.body = append(f.body, jen.Line(), declaration) }

// addBelow is like addBare, directly under a declaration of the same kind.
func (f *file) addBelow(declaration jen.Code) { f.body = append(f.body, declaration) }

// render returns the file.
func (f *file) render(header string) (*Printed, error) {
	file := jen.NewFile(f.name)
	file.NoFormat = true
	file.HeaderComment(header)
	file.Add(f.imports.declaration())
	for _, c := range f.body {
		file.Add(c)
	}
	var out bytes.Buffer
	if err := file.Render(&out); err != nil {
		return nil, fmt.Errorf("render declarations: %w", err)
	}
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, "", out.Bytes(), parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parse generated file: %w", err)
	}
	return &Printed{File: parsed, fset: fset, long: f.long}, nil
}

// Printed is a generated file.
type Printed struct {
	File *ast.File // the declarations and names of the file; the positions mean nothing
	fset *token.FileSet
	long []string // see file
}

// Format returns the text of the file. It is like go/format, which would parse the file once more.
func (p *Printed) Format() ([]byte, error) {
	ast.SortImports(p.fset, p.File)
	var formatted bytes.Buffer
	if err := (&printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8}).Fprint(&formatted, p.fset, p.File); err != nil {
		return nil, fmt.Errorf("format generated file: %w", err)
	}
	if len(p.long) == 0 {
		return formatted.Bytes(), nil
	}
	return []byte(strings.NewReplacer(p.long...).Replace(formatted.String())), nil
}

// longText is like rawText, for a text whose lines after the first begin with so many tabs. It
// returns a placeholder, since the time of go/format grows with the square of the number of parts.
// The placeholder has two lines: whether there are several decides on the layout around them.
func (f *file) longText(parts []string, tabs int) code {
	text := rawText(parts)
	if len(parts) < 3 {
		return text
	}
	first, last := fmt.Sprintf("text %d of mcpgen", len(f.long)), "its end"
	line := " +\n" + strings.Repeat("\t", tabs)
	f.long = append(f.long, strconv.Quote(first)+line+strconv.Quote(last), strings.ReplaceAll(source(text), " +\n", line))
	return infix(" +\n", jen.Lit(first), jen.Lit(last))
}

// qualified returns the name of a declaration in another package. jen.Qual names packages when the
// file is rendered, which is too late for width, and for local names that must differ.
func (f *file) qualified(path, pkg, name string) code {
	if path == f.path {
		return jen.Id(name)
	}
	return verbatim(f.imports.use(path, pkg) + "." + name)
}

// declared is like qualified, for a loaded package, or nil for the package of the file.
func (f *file) declared(p *types.Package, name string) code {
	if p == nil {
		return jen.Id(name)
	}
	return f.qualified(p.Path(), p.Name(), name)
}

// imports gives each package a unique name in the file.
type imports struct {
	own   *types.Package
	taken map[string]bool   // by declarations, local names and other imports
	names map[string]string // by path, for packages in use
	plain map[string]bool   // paths whose name is the package's own
}

func newImports(own *types.Package, reserved []string) *imports {
	m := &imports{own: own, taken: map[string]bool{}, names: map[string]string{}, plain: map[string]bool{}}
	for _, name := range reserved {
		m.taken[name] = true
	}
	return m
}

// use returns the name under which the file knows a package.
func (m *imports) use(path, name string) string {
	if known, ok := m.names[path]; ok {
		return known
	}
	chosen := name
	if !m.free(chosen) {
		chosen = alias(path, name)
	}
	for i := 2; !m.free(chosen); i++ {
		chosen = alias(path, name) + strconv.Itoa(i)
	}
	m.taken[chosen] = true
	m.names[path] = chosen
	m.plain[path] = chosen == name
	return chosen
}

func (m *imports) free(name string) bool {
	return !m.taken[name] && !token.IsKeyword(name) && types.Universe.Lookup(name) == nil && token.IsIdentifier(name) &&
		(m.own == nil || m.own.Scope().Lookup(name) == nil)
}

// alias returns another name for a package: the name of its parent directory, std for the standard
// library, or mcp for the packages of the runtime, followed by its own.
func alias(path, name string) string {
	elems := strings.Split(path, "/")
	switch path {
	case mcpPath:
		return "mcpruntime"
	case implPath:
		return "mcpruntimeimpl"
	case wirePath:
		return "mcpwire"
	}
	if !strings.Contains(elems[0], ".") && !strings.Contains(path, "/internal/") {
		return "std" + name
	}
	parent := ""
	if len(elems) > 1 {
		for _, r := range strings.ToLower(elems[len(elems)-2]) {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' && parent != "" {
				parent += string(r)
			}
		}
	}
	if parent == "" {
		parent = "other"
	}
	return parent + name
}

// declaration returns the import declaration, grouped like goimports: the standard library, then
// the others.
func (m *imports) declaration() code {
	var standard, others []jen.Code
	for _, path := range slices.Sorted(maps.Keys(m.names)) {
		spec := jen.Lit(path)
		if !m.plain[path] {
			spec = jen.Id(m.names[path]).Lit(path)
		}
		if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
			others = append(others, spec)
		} else {
			standard = append(standard, spec)
		}
	}
	switch {
	case len(standard)+len(others) == 1:
		return jen.Id("import").Add(standard...).Add(others...)
	case len(standard) > 0:
		standard = append(standard, jen.Line())
	}
	return jen.Id("import").Defs(append(standard, others...)...)
}

// keyed returns name: value, for composite.
func keyed(name string, value jen.Code) code { return jen.Id(name).Op(":").Add(value) }

// composite is like jen.Values, over several lines if wrap is set.
func composite(wrap bool, items ...jen.Code) code {
	if wrap {
		return wrapped("{", "}", items...)
	}
	return jen.Values(items...)
}

// inline returns a function body on one line.
func inline(statement jen.Code) code { return jen.Values(statement) }

// breakParams breaks long parameter lists over lines.
func breakParams(params ...jen.Code) code {
	if c := jen.Params(params...); width(c) <= lineWidth-30 {
		return c
	}
	return wrapped("(", ")", params...)
}

// breakArgs breaks a long call over lines.
func breakArgs(fn code, before int, args []jen.Code) code {
	n := before + width(fn)
	for _, a := range args {
		n += width(a) + len(", ")
	}
	if n > lineWidth {
		return fn.Add(wrapped("(", ")", args...))
	}
	return fn.Call(args...)
}

// verbatim returns Go source for which jennifer has no function.
func verbatim(source string) code { return jen.Id(source) }

// integer returns a number. jen.Lit converts numbers of other types than int.
func integer(n int64) code { return verbatim(strconv.FormatInt(n, 10)) }

// infix joins expressions with an operator.
func infix(operator string, list ...jen.Code) code {
	return jen.Custom(jen.Options{Separator: operator}, list...)
}

// wrapped returns a list in brackets, with each item on a separate line.
func wrapped(open, closing string, items ...jen.Code) code {
	return jen.Custom(jen.Options{Open: open, Close: closing, Separator: ",", Multi: true}, items...)
}

// stringSlice omits the space of jen.Index().String(), which width would count.
func stringSlice() code { return verbatim("[]string") }

// define declares a variable of the package.
func define(name string, value jen.Code) code { return jen.Var().Id(name).Op("=").Add(value) }

// source returns the source of an expression, not yet formatted.
func source(c jen.Code) string {
	var b bytes.Buffer
	f := jen.NewFile("p")
	f.NoFormat = true
	f.Add(c)
	if err := f.Render(&b); err != nil {
		return ""
	}
	return strings.TrimSpace(strings.TrimPrefix(b.String(), "package p"))
}

// width returns the approximate length of an expression's source.
func width(c jen.Code) int { return len(source(c)) }

// text returns a string literal; a long one is broken behind a newline or a space.
func text(s string) code {
	if utf8.RuneCountInString(s) < lineWidth-30 && strings.Count(s, "\n") == 0 {
		return jen.Lit(s)
	}
	var parts []jen.Code
	for _, line := range strings.SplitAfter(s, "\n") {
		for _, part := range breakText(line, lineWidth-20) {
			if part != "" {
				parts = append(parts, jen.Lit(part))
			}
		}
	}
	return infix(" +\n", parts...)
}

// breakText cuts a line behind spaces, so that no part is longer than limit characters unless it is
// one word.
func breakText(s string, limit int) []string {
	var out []string
	for utf8.RuneCountInString(s) > limit {
		cut, n := -1, 0
		for i, r := range s {
			if n++; n > limit && cut >= 0 {
				break
			}
			if r == ' ' && i > 0 {
				cut = i + 1
			}
		}
		if cut < 0 || cut >= len(s) {
			break
		}
		out, s = append(out, s[:cut]), s[cut:]
	}
	return append(out, s)
}

// rawText returns a string constant in backquotes, broken over lines.
func rawText(parts []string) code {
	var list []jen.Code
	for _, part := range parts {
		list = append(list, raw(part))
	}
	return infix(" +\n", list...)
}

// raw returns a text in backquotes. References in it are names of other constants.
func raw(text string) code {
	var list []jen.Code
	for i, piece := range strings.Split(text, reference) {
		switch {
		case i%2 == 1:
			list = append(list, jen.Id(piece))
		case piece == "" && text != "":
		case strings.ContainsAny(piece, "`\r\ufeff"):
			list = append(list, jen.Lit(piece))
		default:
			list = append(list, verbatim("`"+piece+"`"))
		}
	}
	return infix(" + ", list...)
}
