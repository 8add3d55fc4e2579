package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/analyze"
	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/pipeline"
	"github.com/mcpgen/mcpgen/internal/regularfile"
)

const toolDirective = "//mcp:tool"

// target is a function, method or interface method that a directive can be applied to.
type target struct {
	name string // Search, Store.Search
	file *ast.File
	at   ast.Node // the declaration that gets the directive
	doc  **ast.CommentGroup
	fn   *types.Func
}

// targets returns the functions and methods of a package, in order of file and position. Generated
// files are left out.
func targets(p *load.Package) []*target {
	var all []*target
	for _, file := range p.Files {
		if ast.IsGenerated(file) {
			continue
		}
		add := func(owner string, id *ast.Ident, at ast.Node, doc **ast.CommentGroup) {
			fn, ok := p.Info.Defs[id].(*types.Func)
			if !ok || id.Name == "_" {
				return
			}
			name := id.Name
			if owner != "" {
				name = owner + "." + name
			}
			all = append(all, &target{name: name, file: file, at: at, doc: doc, fn: fn})
		}
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				owner := ""
				if decl.Recv != nil && len(decl.Recv.List) == 1 {
					owner = typeName(decl.Recv.List[0].Type)
				}
				add(owner, decl.Name, decl, &decl.Doc)
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					spec, ok := spec.(*ast.TypeSpec)
					if !ok {
						continue
					}
					iface, ok := spec.Type.(*ast.InterfaceType)
					if !ok {
						continue
					}
					for _, f := range iface.Methods.List {
						if len(f.Names) == 1 {
							add(spec.Name.Name, f.Names[0], f, &f.Doc)
						}
					}
				}
			}
		}
	}
	return all
}

// typeName returns the name of a receiver's type.
func typeName(t ast.Expr) string {
	for {
		switch e := t.(type) {
		case *ast.StarExpr:
			t = e.X
		case *ast.ParenExpr:
			t = e.X
		case *ast.IndexExpr:
			t = e.X
		case *ast.IndexListExpr:
			t = e.X
		case *ast.Ident:
			return e.Name
		default:
			return ""
		}
	}
}

// annotated returns the first //mcp: directive above the function, or "".
func (s *target) annotated() string {
	if *s.doc != nil {
		for _, c := range (*s.doc).List {
			if strings.HasPrefix(c.Text, "//mcp:") {
				word, _, _ := strings.Cut(c.Text, " ")
				return word
			}
		}
	}
	return ""
}

// pretend adds //mcp:tool to the function in the syntax tree, and returns a function that removes
// it.
func (s *target) pretend() (undo func()) {
	doc, comments := *s.doc, s.file.Comments
	made := &ast.CommentGroup{List: []*ast.Comment{{Slash: s.start(), Text: toolDirective}}}
	all := slices.Clone(comments)
	if doc != nil {
		made.List = append(slices.Clone(doc.List), made.List...)
		all[slices.Index(all, doc)] = made
	} else {
		i, _ := slices.BinarySearchFunc(all, s.start(), func(g *ast.CommentGroup, pos token.Pos) int { return cmp.Compare(g.Pos(), pos) })
		all = slices.Insert(all, i, made)
	}
	*s.doc, s.file.Comments = made, all
	return func() { *s.doc, s.file.Comments = doc, comments }
}

// trial analyses a package as if more of its functions were annotated.
type trial struct {
	pkg  *load.Package
	docs *load.Docs
}

func (t *trial) analyze(more ...*target) (*model.Package, *diag.List) {
	t.pkg.Edited()
	for _, s := range more {
		defer s.pretend()()
	}
	diags := &diag.List{}
	return analyze.Package(t.pkg, t.docs, diags), diags
}

// maxProposals limits the number of proposed functions: a longer list does not help.
const maxProposals = 8

// propose returns exported functions that would be suitable tools, the likeliest first, at most so
// many, and reports whether there are more.
func (t *trial) propose(all []*target, most int) (best []*target, more bool) {
	likely := slices.DeleteFunc(slices.Clone(all), func(s *target) bool { return s.annotated() != "" || !s.candidate() })
	slices.SortStableFunc(likely, func(a, b *target) int { return cmp.Compare(b.score(), a.score()) })
	for _, s := range likely {
		if _, diags := t.analyze(s); diags.HasErrors() {
			continue
		}
		if len(best) == most {
			return best, true
		}
		best = append(best, s)
	}
	return best, false
}

// standardMethods are methods that the standard library calls.
var standardMethods = regexp.MustCompile(`^(String|GoString|Error|Unwrap|Is|As|Close|Read|Write|Seek|ReadFrom|WriteTo|ReadAt|WriteAt|ServeHTTP|RoundTrip|Len|Less|Swap|Push|Pop|Scan|Value|Format|Lock|Unlock|RLock|RUnlock|Next|Marshal.*|Unmarshal.*|AppendText|AppendBinary|Gob(En|De)code|LogValue|Set|Generate|RegisterMCP|NewMCPServer)$`)

// candidate reports whether a function may be meant for callers, by its name and place alone.
func (s *target) candidate() bool {
	if !s.fn.Exported() || s.servesFramework() {
		return false
	}
	recv := s.fn.Signature().Recv()
	if recv != nil {
		owner, _, _ := strings.Cut(s.name, ".")
		return ast.IsExported(owner) && !standardMethods.MatchString(s.fn.Name()) && !types.IsInterface(recv.Type()) && !isError(recv.Type())
	}
	name := s.fn.Name()
	for _, prefix := range []string{"New", "Must", "With", "Register"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && (rest == "" || ast.IsExported(rest)) {
			return false
		}
	}
	return !standardMethods.MatchString(name)
}

// isError reports whether a type, or a pointer to it, implements error: its methods describe a
// failure.
func isError(t types.Type) bool {
	iface, _ := types.Universe.Lookup("error").Type().Underlying().(*types.Interface)
	if _, isPointer := types.Unalias(t).(*types.Pointer); !isPointer {
		t = types.NewPointer(t)
	}
	return types.Implements(t, iface)
}

// servesFramework reports whether a function is a handler for a framework: a parameter contains the
// request of HTTP, of a command line or of another MCP library, which no client of a tool can send.
func (s *target) servesFramework() bool {
	for p := range s.fn.Signature().Params().Variables() {
		t := types.Unalias(p.Type())
		if ptr, ok := t.(*types.Pointer); ok {
			t = types.Unalias(ptr.Elem())
		}
		named, ok := t.(*types.Named)
		if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg() == s.fn.Pkg() {
			continue
		}
		switch path := named.Obj().Pkg().Path(); named.Obj().Name() {
		case "Context":
			if path != "context" {
				return true // echo, gin, iris, chi, cli and others
			}
		case "Ctx", "RequestCtx", "CallToolRequest": // fiber, fasthttp, and MCP libraries
			return true
		case "Request", "ResponseWriter":
			if path == "net/http" || path == "connectrpc.com/connect" {
				return true
			}
		case "Command":
			if strings.Contains(path, "cobra") || strings.Contains(path, "/cli") {
				return true
			}
		}
	}
	return false
}

// score returns a higher number for a better candidate: a function with a comment, parameters and
// results.
func (s *target) score() int {
	n := 0
	sig := s.fn.Signature()
	if *s.doc != nil && strings.TrimSpace((*s.doc).Text()) != "" {
		n += 2
	}
	if r := sig.Results(); r.Len() > 0 {
		n++
		if types.Identical(r.At(r.Len()-1).Type(), types.Universe.Lookup("error").Type()) {
			n += 2
		}
	}
	if p := sig.Params(); p.Len() > 0 {
		n++
		if types.TypeString(p.At(0).Type(), nil) == "context.Context" {
			n += 2
		}
	}
	return n
}

// signature returns the text behind the name, for people.
func (s *target) signature(p *load.Package) string {
	var b bytes.Buffer
	types.WriteSignature(&b, s.fn.Signature(), func(other *types.Package) string {
		if other == p.Types {
			return ""
		}
		return other.Name()
	})
	return tagText.ReplaceAllString(b.String(), "")
}

// choose finds the functions named on the command line: Search, Store.Search or (*Store).Search. If
// it cannot find one, it returns a message and a hint.
func choose(all []*target, names []string) (chosen []*target, message, hint string) {
	for _, name := range names {
		plain := strings.NewReplacer("(", "", ")", "", "*", "").Replace(strings.TrimSpace(name))
		var found []*target
		var near, known []string
		for _, s := range all {
			known = append(known, s.name)
			switch {
			case s.name == plain:
				found = []*target{s}
			case s.fn.Name() == plain && !slices.ContainsFunc(found, func(f *target) bool { return f.name == plain }):
				found = append(found, s)
			}
		}
		switch {
		case len(found) == 1:
			if !slices.Contains(chosen, found[0]) {
				chosen = append(chosen, found[0])
			}
			continue
		case len(found) > 1:
			for _, s := range found {
				near = append(near, s.name)
			}
			return nil, fmt.Sprintf("-annotate %s: there is more than one %s", name, plain), "name one of " + strings.Join(near, ", ")
		}
		hint = "the package has no function of its own that could be annotated"
		if n := diag.Nearest(plain, known); n != "" {
			hint = "did you mean " + n + "?"
		} else if len(known) > 0 {
			hint = "name a function as Search and a method as Store.Search"
		}
		return nil, fmt.Sprintf("-annotate %s: the package has no such function", name), hint
	}
	return chosen, "", ""
}

// edit contains the old and the new content of a source file.
type edit struct {
	path      string
	old, text []byte
	names     []string // annotated functions in the file
}

// insertions adds //mcp:tool above functions. All other bytes are unchanged.
func insertions(p *load.Package, chosen []*target) ([]*edit, *diag.Diagnostic) {
	byFile := map[*ast.File][]*target{}
	for _, s := range chosen {
		byFile[s.file] = append(byFile[s.file], s)
	}
	var edits []*edit
	for _, file := range p.Files {
		here := byFile[file]
		if len(here) == 0 {
			continue
		}
		path := p.Fset.File(file.FileStart).Name()
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real // a symbolic link stays one
		}
		src, err := regularfile.Read(path)
		if err != nil {
			return nil, &diag.Diagnostic{Message: fmt.Sprintf("read source: %v", err)}
		}
		e := &edit{path: path, old: src, text: src}
		slices.SortFunc(here, func(a, b *target) int { return cmp.Compare(b.fn.Pos(), a.fn.Pos()) })
		for _, s := range here {
			text, ok := insert(e.text, p.Fset.PositionFor(s.start(), false).Offset, *s.doc)
			if !ok {
				return nil, &diag.Diagnostic{
					Pos: p.Position(s.start()), Message: s.name + " shares its line with other code, so no comment can precede it",
					Hint: "put it into a line of its own; gofmt does that",
				}
			}
			e.text = text
			e.names = append(e.names, s.name)
		}
		slices.Reverse(e.names)
		edits = append(edits, e)
	}
	return edits, nil
}

// start returns the position of the declaration itself, behind its comment.
func (s *target) start() token.Pos {
	switch n := s.at.(type) {
	case *ast.FuncDecl:
		return n.Type.Func
	case *ast.Field:
		return n.Names[0].Pos()
	}
	return s.at.Pos()
}

// directiveLine matches a comment that gofmt keeps at the end of a doc comment, apart from the
// text.
var directiveLine = regexp.MustCompile(`^//([a-z0-9]+:[a-z0-9]|(line|extern|export) |nolint)`)

// insert inserts the directive above the declaration at an offset, behind its doc comment, as gofmt
// places it. It returns false if other code precedes the declaration on its line.
func insert(src []byte, offset int, doc *ast.CommentGroup) (text []byte, ok bool) {
	start := bytes.LastIndexByte(src[:offset], '\n') + 1
	indent := src[start:offset]
	if len(bytes.Trim(indent, " \t")) > 0 || start == 0 {
		return nil, false
	}
	end := "\n"
	if bytes.HasSuffix(src[:start], []byte("\r\n")) {
		end = "\r\n"
	}
	var line bytes.Buffer
	if doc != nil {
		last := doc.List[len(doc.List)-1].Text
		if strings.HasPrefix(last, "//") && strings.TrimSpace(last) != "//" && !directiveLine.MatchString(last) {
			fmt.Fprintf(&line, "%s//%s", indent, end)
		}
	}
	fmt.Fprintf(&line, "%s%s%s", indent, toolDirective, end)
	return slices.Concat(src[:start], line.Bytes(), src[start:]), true
}

// write replaces the file, unless it was changed in the meantime.
func (e *edit) write() error {
	now, err := regularfile.Read(e.path)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, e.old) {
		return fmt.Errorf("write %s: the file has changed in the meantime", e.path)
	}
	return pipeline.Replace(e.path, e.text)
}
