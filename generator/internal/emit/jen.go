package emit

import (
	"bytes"
	"fmt"
	"go/format"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// Only this file deals with jennifer's output that differs from what is wanted: imports
// with needless aliases, sorted struct fields and keyed values, JSON in escaped strings
// on one line, declarations without a blank line between them.

// lineWidth is where lines are wrapped, in characters; a line that cannot be
// broken may be longer.
const lineWidth = 112

// commentWidth is the same for the text of comments.
const commentWidth = 77

// code is what the emitters build.
type code = *jen.Statement

// file collects the declarations of one file.
type file struct {
	pkg     *types.Package
	name    string
	imports *imports
	aliases *model.Aliases // of types that have no name here
	body    *jen.File
	long    []string // placeholders, each with the text that takes its place
}

func newFile(name string, pkg *types.Package, reserved []string) *file {
	body := jen.NewFile(name)
	body.NoFormat = true
	return &file{pkg: pkg, name: name, imports: newImports(pkg, reserved), body: body}
}

// add appends a declaration with its doc comment.
func (f *file) add(doc string, declaration ...jen.Code) {
	f.body.Line()
	for _, line := range breakText(doc, commentWidth) {
		f.body.Comment("// " + strings.TrimSuffix(line, " "))
	}
	for _, d := range declaration {
		f.body.Add(d)
	}
}

// addBare appends a declaration without a comment.
func (f *file) addBare(declaration code) {
	f.body.Line()
	f.body.Add(declaration)
}

// render returns the formatted file.
func (f *file) render(header string) ([]byte, error) {
	var body bytes.Buffer
	if err := f.body.Render(&body); err != nil {
		return nil, fmt.Errorf("render declarations: %w", err)
	}
	// What jennifer writes above the declarations is written anew, with the
	// imports grouped as goimports does.
	_, declarations, _ := strings.Cut(body.String(), "\n\n")
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s\n\npackage %s\n\n%s\n%s", header, f.name, f.imports.declaration(), declarations)
	formatted, err := format.Source(out.Bytes())
	if err != nil {
		return nil, fmt.Errorf("format generated file: %w", err)
	}
	if len(f.long) == 0 {
		return formatted, nil
	}
	return []byte(strings.NewReplacer(f.long...).Replace(string(formatted))), nil
}

// longText is rawText for the value of a constant. The time that go/format takes grows
// with the square of the parts, so it gets a placeholder for many.
func (f *file) longText(parts []string) code {
	text := rawText(parts)
	if len(parts) < 16 {
		return text
	}
	placeholder := fmt.Sprintf("%q", fmt.Sprintf("text %d of mcpgen", len(f.long)))
	f.long = append(f.long, placeholder, strings.ReplaceAll(source(text), " +\n", " +\n\t"))
	return id(placeholder)
}

// imports gives each package a name in the file that clashes with nothing.
type imports struct {
	own   *types.Package
	taken map[string]bool   // by declarations, local names and other imports
	names map[string]string // by path, of those in use
	plain map[string]bool   // paths whose name is that of the package
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

// alias is another name for a package: that of the directory around it and its
// own, std for the standard library, mcp for the packages of the runtime.
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

// declaration is the import declaration: the standard library, then the others.
func (m *imports) declaration() string {
	var groups [2][]string
	for path := range m.names {
		i := 0
		if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
			i = 1
		}
		groups[i] = append(groups[i], path)
	}
	var s strings.Builder
	if len(groups[0])+len(groups[1]) == 1 {
		path := append(groups[0], groups[1]...)[0]
		return "import " + m.spec(path)
	}
	s.WriteString("import (\n")
	for i, group := range groups {
		slices.Sort(group)
		if i > 0 && len(groups[0]) > 0 {
			s.WriteString("\n")
		}
		for _, path := range group {
			s.WriteString(m.spec(path))
		}
	}
	s.WriteString(")\n")
	return s.String()
}

// spec is the line of one import.
func (m *imports) spec(path string) string {
	if m.plain[path] {
		return strconv.Quote(path) + "\n"
	}
	return m.names[path] + " " + strconv.Quote(path) + "\n"
}

// id is an identifier, or any other Go source.
func id(source string) code { return jen.Id(source) }

// call is a call on one line.
func call(fn code, args ...jen.Code) code { return fn.Add(list("(", ")", false, args...)) }

// callWrapped is call with each argument on a line of its own.
func callWrapped(fn code, args ...jen.Code) code { return fn.Add(list("(", ")", true, args...)) }

// composite is {a, b}, in the order given.
func composite(multi bool, items ...jen.Code) code {
	return list("{", "}", multi && len(items) > 0, items...)
}

func list(open, closing string, multi bool, items ...jen.Code) code {
	return jen.Custom(jen.Options{Open: open, Close: closing, Separator: ",", Multi: multi}, items...)
}

// keyed is name: value, for composite.
func keyed(name string, value jen.Code) code { return id(name).Op(":").Add(value) }

// structType is a struct type with its fields in the order given.
func structType(fields ...jen.Code) code {
	return id("struct").Add(jen.Custom(jen.Options{Open: "{", Close: "}", Multi: len(fields) > 0}, fields...))
}

// source is the source of an expression, not yet formatted.
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

// width is the length of the source of an expression, roughly.
func width(c jen.Code) int { return len(source(c)) }

// text is a string literal; a long one is broken behind a newline or a space.
func text(s string) code {
	if utf8.RuneCountInString(s) < lineWidth-30 && strings.Count(s, "\n") == 0 {
		return id(strconv.Quote(s))
	}
	var parts []string
	for _, line := range strings.SplitAfter(s, "\n") {
		for _, part := range breakText(line, lineWidth-20) {
			if part != "" {
				parts = append(parts, strconv.Quote(part))
			}
		}
	}
	return id(strings.Join(parts, " +\n"))
}

// breakText cuts a line behind spaces, so that no part is longer than limit
// characters unless it is one word.
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

// rawText is a string constant in backquotes, broken over lines.
func rawText(parts []string) code {
	var s strings.Builder
	for i, part := range parts {
		if i > 0 {
			s.WriteString(" +\n")
		}
		s.WriteString(rawPart(part))
	}
	return id(s.String())
}

// rawPart is a part of a constant: text in backquotes, and names of other constants.
func rawPart(part string) string {
	var joined []string
	for i, piece := range strings.Split(part, reference) {
		switch {
		case i%2 == 1:
			joined = append(joined, piece)
		case piece == "" && part != "":
		case strings.ContainsAny(piece, "`\r\ufeff"):
			joined = append(joined, strconv.Quote(piece))
		default:
			joined = append(joined, "`"+piece+"`")
		}
	}
	return strings.Join(joined, " + ")
}
