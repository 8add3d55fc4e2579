package analyze

import (
	"cmp"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// encode reads encode= of a tool. With reflection a value gets the form of its Go type, so that
// directives for its members would have no effect. It needs a result without a schema, since no
// schema describes that form.
func (a *analyzer) encode(tool *model.Tool, dir *directive.Directive, s settings, at diag.Place) bool {
	word, set := dir.String("encode")
	if set && word != "json" || !set && (!s.byReflection || tool.Result.Output == nil || tool.Output != model.OutputText) {
		return true
	}
	refuse := func(hint, format string, args ...any) bool {
		place := at
		if set {
			place.Pos = valuePos(dir, "encode")
		}
		a.diags.Errorf(place.Pos, at.Subject, format, args...).Hint = hint
		return false
	}
	switch {
	case tool.Result.Output == nil:
		return refuse("leave encode= out", "encode= is for structured results, and this one has no structured content")
	case tool.Output != model.OutputText:
		return refuse("add output=text, or leave encode=json out", "encode=json needs output=text: the schema of the result describes another form")
	}
	if tool.Result.Short != nil {
		return refuse("leave encode=json out", "encode=json writes a result at once, and shorten and page= need one element after the other")
	}
	if member, what := lostByReflection(tool.Result.Output, "", map[*model.Type]bool{}); what != "" {
		if member == "" {
			member = "the result"
		}
		return refuse("leave it out for this tool: encode=generated", "encode=json: %s of %s would be lost", what, member)
	}
	tool.Result.ByReflection = true
	return true
}

// leftOut returns the name of a member that a directive leaves out, if it is a direct member of the
// struct.
func leftOut(t *model.Type) string {
	s, ok := t.Go.Underlying().(*types.Struct)
	if !ok {
		return "a member"
	}
	for i := range s.NumFields() {
		name, _, _ := strings.Cut(reflect.StructTag(s.Tag(i)).Get("json"), ",")
		name = cmp.Or(name, s.Field(i).Name())
		if name != "-" && s.Field(i).Exported() && !s.Field(i).Embedded() && !slices.ContainsFunc(t.Fields, func(f *model.Field) bool { return f.Name == name }) {
			return name
		}
	}
	return "a member"
}

// lostByReflection returns the path of the first member whose form differs from encoding/json's,
// and the reason.
func lostByReflection(t *model.Type, path string, seen map[*model.Type]bool) (member, what string) {
	if t == nil || seen[t] {
		return "", ""
	}
	seen[t] = true
	switch {
	case len(t.Hidden) > 0:
		return strings.TrimPrefix(path+"."+t.Hidden[0].Name, "."), "the property writeOnly"
	case t.Part:
		return strings.TrimPrefix(path+"."+leftOut(t), "."), "the omission"
	case len(t.Fixed) > 0:
		return path, "what is fixed"
	case t.Kind == model.Union:
		return path, "the discriminator of the union"
	case t.Kind == model.Duration:
		return path, "the text of the duration"
	case t.Kind == model.Flagged:
		return path, "the value without its flag"
	case t.Kind == model.Converted && t.Convert.Methods == model.Invalid:
		return path, "the form by //mcp:encode"
	}
	for _, f := range t.Fields {
		at := f.Name
		if path != "" {
			at = path + "." + f.Name
		}
		if member, what := lostByReflection(f.Type, at, seen); what != "" {
			return member, what
		}
	}
	if t.Kind == model.Slice || t.Kind == model.Array {
		path += "[]"
	} else if t.Kind == model.Map {
		path += ".*"
	}
	return lostByReflection(t.Elem, path, seen)
}
