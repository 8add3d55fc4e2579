package schema

import (
	"cmp"
	"encoding/json"
	"go/types"

	"github.com/invopop/jsonschema"

	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// object renders the members of a struct. Arguments are closed, since the decoder refuses other
// members. Results are open: a client that validates with an older list then accepts a result of a
// newer server, which may contain one more member.
func (w *renderer) object(s *jsonschema.Schema, t *model.Type) {
	if s.Properties == nil {
		s.Properties = jsonschema.NewProperties()
	}
	if !w.output {
		s.AdditionalProperties = jsonschema.FalseSchema
	}
	for _, f := range t.Fields {
		s.Properties.Set(f.Name, w.field(f))
		if Required(f, w.output) {
			s.Required = append(s.Required, f.Name)
		}
	}
}

// union renders the implementations of a sealed interface.
func (w *renderer) union(s *jsonschema.Schema, t *model.Type) {
	for _, v := range t.Union.Variants {
		w.count++
		variant := &jsonschema.Schema{Type: "object", Description: v.Type.Doc, Properties: jsonschema.NewProperties()}
		variant.Properties.Set(t.Union.Discriminator, &jsonschema.Schema{Type: "string", Const: json.RawMessage(jsontext.Quote(v.Name))})
		variant.Required = []string{t.Union.Discriminator}
		w.object(variant, v.Type)
		s.OneOf = append(s.OneOf, variant)
	}
}

// canBeEmpty reports whether encoding/json ever omits a value of the type for omitempty: structs
// and arrays with elements are never empty.
func canBeEmpty(t *model.Type) bool {
	if t.Go == nil {
		return false
	}
	switch u := t.Go.Underlying().(type) {
	case *types.Struct:
		return false
	case *types.Array:
		return u.Len() == 0
	}
	return true
}

// field renders a member.
func (w *renderer) field(f *model.Field) *jsonschema.Schema {
	t := base(f.Type)
	description := f.Description
	if w.output && f.Foreign {
		description = ""
	}
	var s *jsonschema.Schema
	if f.Quoted {
		s = &jsonschema.Schema{Type: "string"}
		s.Description = w.enum(s, t, &model.Rules{}, cmp.Or(description, t.Doc), jsontext.Quote)
		if s.Enum == nil {
			s.Pattern = quotedPattern(t)
		}
	} else {
		s = w.schema(t, &f.Rules, cmp.Or(description, wrapperDoc(f.Type)))
	}
	if MemberNull(f, w.output) {
		s = nullable(t, s)
	}
	s.Title = cmp.Or(f.Title, s.Title)
	if len(f.Examples) > 0 {
		delete(s.Extras, "examples") // from a schema written by hand
	}
	if f.Deprecated {
		delete(s.Extras, "deprecated")
	}
	s.ReadOnly, s.WriteOnly, s.Deprecated = f.ReadOnly, f.WriteOnly, f.Deprecated
	for _, e := range f.Examples {
		s.Examples = append(s.Examples, json.RawMessage(onWire(f, e)))
	}
	if f.Default != nil && !w.output {
		s.Default = json.RawMessage(onWire(f, f.Default.JSON))
	}
	if f.Rules.Header != "" && !w.output {
		s.Extras = map[string]any{headerKeyword: json.RawMessage(jsontext.Quote(f.Rules.Header))}
	}
	for _, e := range f.Extras {
		if s.Extras == nil {
			s.Extras = map[string]any{}
		}
		s.Extras[e.Key] = json.RawMessage(e.JSON)
	}
	return s
}

// wrapperDoc returns the doc comment of a type that is not rendered itself: a converted type, or a
// value with a flag.
func wrapperDoc(t *model.Type) string {
	for ; t.Elem != nil; t = t.Elem {
		switch t.Kind {
		case model.Converted, model.Flagged:
			if t.Doc != "" {
				return t.Doc
			}
		case model.Pointer:
		default:
			return ""
		}
	}
	return ""
}

// onWire returns a value in the form of the member: in a string with the option ",string".
func onWire(f *model.Field, text string) string {
	if f.Quoted {
		return jsontext.Quote(text)
	}
	return text
}

// quotedPattern returns the pattern for the string of a field with the option ",string".
func quotedPattern(t *model.Type) string {
	switch t.Kind {
	case model.Bool:
		return `^(true|false)$`
	case model.Int:
		return `^-?(0|[1-9][0-9]*)$`
	case model.Uint:
		return `^(0|[1-9][0-9]*)$`
	case model.Float, model.Number:
		return `^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`
	}
	return `^"([^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"$`
}

// packageName returns the name of the package that declares a type.
func packageName(t *model.Type) string {
	if named, ok := types.Unalias(t.Go).(*types.Named); ok && named.Obj().Pkg() != nil {
		return named.Obj().Pkg().Name()
	}
	return "type"
}
