package analyze

import (
	"go/types"
	"reflect"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// isMember reports whether //mcp:result names a field of the only value, a struct.
func (a *analyzer) isMember(v *model.ResultValue, dir *directive.Directive) bool {
	return len(dir.Words()) == 1 && dir.Name() != "_" && structOf(v.Type) != nil
}

// structOf returns the struct behind a type or a pointer to it, or nil.
func structOf(t types.Type) *types.Struct {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	s, _ := t.Underlying().(*types.Struct)
	return s
}

// memberResult makes a field of a struct the result, such as JSON200 of the responses that clients
// generated from OpenAPI return.
func (a *analyzer) memberResult(res *model.Result, t types.Type, d declared, single singleResult, at diag.Place) bool {
	dir := d.set.Get("result")
	word := dir.Words()[0]
	at.Pos = word.Pos
	var names []string
	var field *types.Var
	m := &model.ResultMember{Name: word.Value}
	u := structOf(t)
	for i := range u.NumFields() {
		v := u.Field(i)
		switch {
		case v.Name() == word.Value && a.types.WriteOnly(reflect.StructTag(u.Tag(i))):
			a.diags.Errorf(at.Pos, at.Subject, "%s is writeOnly, so it cannot be the result", word.Value).Hint = "name another field"
			return false
		case !v.Exported() && v.Pkg() != a.out.Types:
			continue
		case v.Name() == word.Value:
			field = v
		case v.Name() == "HTTPResponse":
			m.Response = isResponse(v.Type())
		}
		m.Body = m.Body || v.Name() == "Body" && isBytes(v.Type())
		names = append(names, v.Name())
	}
	if field == nil {
		hint := "name a field of the struct, or delete the line: the only value is the whole result"
		if near := diag.Nearest(word.Value, names); near != "" {
			hint = "did you mean " + near + "?"
		}
		a.diags.Errorf(at.Pos, at.Subject, "%s has no field %s", a.shortType(t), word.Value).Hint = hint
		return false
	}
	_, m.Pointer = types.Unalias(t).(*types.Pointer)
	m.Type, res.Member = field.Type(), m
	if m.Response && field.Name() == "Body" && m.Body && !a.types.EncodesText(m.Type) && d.dir.Word == "tool" && !d.dir.Has("mime") {
		res.Kind = model.ResultText
		return true
	}
	return single(res, m.Type, at)
}

// isResponse recognizes *http.Response.
func isResponse(t types.Type) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return false
	}
	named, ok := types.Unalias(p.Elem()).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "net/http" && named.Obj().Name() == "Response"
}
