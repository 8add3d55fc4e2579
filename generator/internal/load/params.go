package load

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/internal/regularfile"
)

// ParamComments returns the comments on the parameters and named results of a signature by their
// names: behind one, up to the end of the line; above one, on separate lines; or between slashes
// and stars next to it. If several are on one line, the comment at its end describes the last one.
// Parameters declared together, as in "a, b int", share a comment.
func (p *Package) ParamComments(fn *ast.FuncType) map[string]string {
	f := p.File(fn.Pos())
	if f == nil {
		return nil
	}
	return paramComments(p.Fset, f, fn)
}

func paramComments(fset *token.FileSet, f *ast.File, fn *ast.FuncType) map[string]string {
	s := &signature{fset: fset, comments: map[string][]string{}}
	for _, list := range []*ast.FieldList{fn.Params, fn.Results} {
		if list == nil || !list.Opening.IsValid() || list.NumFields() == 0 {
			continue
		}
		for _, g := range f.Comments {
			if list.Opening < g.Pos() && g.End() <= list.Closing {
				s.group(list, g)
			}
		}
	}
	texts := map[string]string{}
	for name, parts := range s.comments {
		texts[name] = strings.Join(parts, " ")
	}
	return texts
}

type signature struct {
	fset     *token.FileSet
	src      []byte // content of the file, read on first use
	comments map[string][]string
}

// group assigns a group of comments to the parameter that it describes. A line comment ends its
// line, so the parser joins the comments behind two parameters on two lines; group separates them
// first.
func (s *signature) group(list *ast.FieldList, g *ast.CommentGroup) {
	own := []*ast.Comment{}
	flush := func() {
		if len(own) == 0 {
			return
		}
		last := own[len(own)-1]
		for _, field := range list.List {
			if field.Pos() > last.Pos() {
				if s.line(field.Pos()) <= s.line(last.End())+1 {
					s.give(field, own)
				}
				break
			}
		}
		own = own[:0]
	}
	for _, c := range g.List {
		var behind, within, next *ast.Field
		for _, field := range list.List {
			switch {
			case field.End() <= c.Pos():
				if s.line(field.End()) == s.line(c.Pos()) {
					behind = field
				}
			case field.Pos() < c.Pos():
				within = field
			case next == nil:
				next = field
			}
		}
		endsLine := next == nil || s.line(next.Pos()) > s.line(c.End())
		switch {
		case within != nil:
			if inStruct(within, c.Pos()) {
				continue
			}
			flush()
			s.give(within, []*ast.Comment{c})
		case behind != nil && (endsLine || !s.comma(behind.End(), c.Pos())):
			flush()
			s.give(behind, []*ast.Comment{c})
		case next != nil && !endsLine:
			own = append(own, c)
			flush()
		default:
			own = append(own, c)
		}
	}
	flush()
}

// inStruct reports whether pos is inside a struct or function type of the field, whose comments do
// not describe the parameter.
func inStruct(field *ast.Field, pos token.Pos) (in bool) {
	ast.Inspect(field.Type, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.StructType, *ast.InterfaceType, *ast.FuncType:
			in = in || n.Pos() < pos && pos < n.End()
		}
		return !in
	})
	return in
}

func (s *signature) give(field *ast.Field, list []*ast.Comment) {
	text := strings.Join(strings.Fields(directive.DocText(&ast.CommentGroup{List: list})), " ")
	if text == "" {
		return
	}
	for _, id := range field.Names {
		s.comments[id.Name] = append(s.comments[id.Name], text)
	}
}

func (s *signature) line(pos token.Pos) int { return s.fset.PositionFor(pos, false).Line }

// comma reports whether the source contains a comma between two places of a line. The syntax tree
// does not contain commas.
func (s *signature) comma(from, to token.Pos) bool {
	file := s.fset.File(from)
	if s.src == nil {
		s.src, _ = regularfile.Read(file.Name())
	}
	start, end := file.Offset(from), file.Offset(to)
	return start <= end && end <= len(s.src) && strings.Contains(string(s.src[start:end]), ",")
}
