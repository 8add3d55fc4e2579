package analyze

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/page"
)

// This file checks the HTML of pages whose text is known when code is generated: of embedded files,
// constants, and variables that begin with a constant. The HTML of functions is known when they
// run.

// checkPage reports the defects of the page that a value is.
func (a *analyzer) checkPage(ui *model.PageUI, set *directive.Set, at diag.Place) bool {
	text, known := a.pageText(set, at)
	if !known {
		return true
	}
	if text.problem != nil {
		a.diags.Errorf(at.Pos, at.Subject, "the page cannot be read: %v", text.problem).Hint = "the line //go:embed above the value names the file"
		return false
	}
	problems := page.Check(text.html, page.Policy{Connect: ui.Connect, Load: ui.Load, Frames: ui.Frames, Base: ui.Base})
	for _, p := range problems {
		pos, where := text.position(p.Offset)
		d := a.diags.Errorf(pos, at.Subject, "%s%s", where, p.Message)
		d.Hint = p.Hint
		if pos.Filename != at.Pos.Filename {
			_ = d.Relate(at.Pos, "the resource")
		}
	}
	return len(problems) == 0
}

// pageText is the HTML of a page.
type pageText struct {
	html    string
	file    string         // of an embedded file
	begin   token.Position // of a literal without escapes: its first byte
	value   token.Position // of any other value
	problem error
}

// position returns the position of a byte of the page in its source. where names the line of the
// page if the source does not show it.
func (t *pageText) position(offset int) (pos token.Position, where string) {
	before := t.html[:offset]
	line := strings.Count(before, "\n")
	column := offset - strings.LastIndexByte(before, '\n')
	switch {
	case t.file != "":
		return token.Position{Filename: t.file, Offset: offset, Line: 1 + line, Column: column}, ""
	case t.begin.IsValid():
		pos = t.begin
		if line == 0 {
			column += pos.Column - 1
		}
		pos.Line, pos.Column, pos.Offset = pos.Line+line, column, pos.Offset+offset
		return pos, ""
	}
	return t.value, fmt.Sprintf("line %d of the page: ", 1+line)
}

// pageText returns the text of a value, if it is known.
func (a *analyzer) pageText(set *directive.Set, at diag.Place) (text *pageText, known bool) {
	spec, ok := set.Node.(*ast.ValueSpec)
	if !ok {
		return nil, false
	}
	if pattern := embedPattern(set.Doc, spec.Doc); pattern != "" {
		name := filepath.Join(filepath.Dir(a.pkg.Position(spec.Pos()).Filename), filepath.FromSlash(pattern))
		if matches, err := filepath.Glob(name); err == nil && len(matches) == 1 {
			name = matches[0]
		}
		content, err := os.ReadFile(name)
		return &pageText{html: string(content), file: name, problem: err}, true
	}
	if len(spec.Values) != 1 {
		return nil, false
	}
	value := ast.Unparen(spec.Values[0])
	if conversion, ok := value.(*ast.CallExpr); ok && len(conversion.Args) == 1 && a.pkg.Info.Types[conversion.Fun].IsType() {
		value = ast.Unparen(conversion.Args[0]) // []byte("...")
	}
	tv := a.pkg.Info.Types[value]
	if tv.Value == nil || tv.Value.Kind() != constant.String {
		return nil, false
	}
	text = &pageText{html: constant.StringVal(tv.Value), value: a.pkg.Position(value.Pos())}
	if literal, ok := value.(*ast.BasicLit); ok && strings.HasPrefix(literal.Value, "`") && literal.Value[1:len(literal.Value)-1] == text.html {
		text.begin = a.pkg.Position(literal.Pos() + 1)
	}
	return text, true
}

// embedPattern returns the pattern of a line //go:embed, or "".
func embedPattern(groups ...*ast.CommentGroup) string {
	for _, group := range groups {
		if group == nil {
			continue
		}
		for _, c := range group.List {
			rest, ok := strings.CutPrefix(c.Text, "//go:embed")
			if !ok || rest == strings.TrimLeft(rest, " \t") {
				continue
			}
			pattern := strings.TrimSpace(rest)
			if quoted, err := strconv.Unquote(pattern); err == nil {
				pattern = quoted
			}
			return strings.TrimPrefix(pattern, "all:")
		}
	}
	return ""
}
