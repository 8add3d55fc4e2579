package schema

import (
	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/keyword"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// unwritable returns why generated code cannot write a default as a Go expression, ""
// where it can. At the top, and behind one pointer there, a method or a function of the
// type may make the value; inside of another value nothing can.
func unwritable(t *model.Type, text string, top bool) (hint, problem string) {
	v, err := jsontext.Decode(text)
	if err != nil {
		return "", ""
	}
	return unwritableValue(t, v, top)
}

func unwritableValue(t *model.Type, v any, top bool) (hint, problem string) {
	if v == nil {
		return "", ""
	}
	switch t.Kind {
	case model.Text, model.JSON, model.Converted:
		if !top {
			return "let the function choose what a missing value means", "a default cannot hold a " + t.Name + ", which only a function of its type can make"
		}
		if t.Kind == model.Converted && t.Convert.Methods == model.Invalid {
			return unwritableValue(t.Elem, v, false)
		}
	case model.Pointer:
		return unwritableValue(t.Elem, v, top && t.Elem.Kind != model.Pointer && (t.Elem.Kind != model.Converted || t.Elem.Convert.Methods != model.Invalid))
	case model.Flagged:
		return unwritableValue(t.Elem, v, false)
	case model.Union, model.Reflect:
		return "let the function choose what a missing value means", "a default cannot hold " + keyword.KindName(t)
	case model.Slice, model.Array:
		list, _ := v.([]any)
		for _, e := range list {
			if hint, problem := unwritableValue(t.Elem, e, false); problem != "" {
				return hint, problem
			}
		}
	case model.Map:
		object, _ := v.(map[string]any)
		if t.Key.Kind == model.Text && len(object) > 0 {
			return "let the function choose what a missing value means", "a default cannot hold keys of type " + t.Key.Name + ", which only a method of their type can make"
		}
		for _, key := range sortedKeys(object) {
			if hint, problem := unwritableValue(t.Elem, object[key], false); problem != "" {
				return hint, problem
			}
		}
	case model.Struct:
		object, _ := v.(map[string]any)
		for _, f := range t.Fields {
			member, ok := object[f.Name]
			if !ok || member == nil {
				if f.Default != nil {
					if hint, problem := unwritable(f.Type, f.Default.JSON, false); problem != "" {
						return hint, problem
					}
				}
				continue
			}
			if f.Quoted {
				return "let the function choose what a missing value means", "a default cannot hold the field " + f.Name + ", which is in a string"
			}
			if hint, problem := unwritableValue(f.Type, member, false); problem != "" {
				return hint, problem
			}
		}
	}
	return "", ""
}
