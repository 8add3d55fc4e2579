package schema

import (
	"errors"

	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/keyword"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// applySchema sets the schema of an argument of type any, or of the elements of a list or map of
// it. A default at the root of the schema is the default of the argument.
func (r *Resolver) applySchema(f *model.Field, k setting) (hint string, err error) {
	t := f.Type
	for t.Kind == model.Slice || t.Kind == model.Array || t.Kind == model.Map {
		t = t.Elem
	}
	if t.IsOptional() && base(t).Kind == model.Any {
		return "use any, which may be nil", errors.New("schema cannot be used on a pointer to any value")
	}
	if hint, err := r.applyRule(f, k); err != nil {
		return hint, err
	}
	rules := &f.Rules
	if t != f.Type {
		return "", nil // defaults of elements are annotations
	}
	text, rest := jsontext.Take(rules.Limit(keyword.AnySchema), "default")
	if text == "" {
		return "", nil
	}
	rules.SetLimit(keyword.AnySchema, rest)
	if f.Default == nil {
		f.Default = &model.Value{JSON: text, Pos: k.pos}
		f.Required = false
	}
	return "", nil
}

// checkDescribed refuses values that contradict the schema of an argument.
func checkDescribed(f *model.Field) (hint, problem string) {
	if f.Nullable && f.Rules.Limit(keyword.AnySchema) != "" {
		return `name null among the types, such as "type":["string","null"]`, "nullable cannot be used with a schema"
	}
	return "", ""
}
