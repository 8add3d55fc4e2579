package schema

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/keyword"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// source is the place where a setting was written, which determines how its value is read.
type source int

const (
	fromTag source = iota
	fromArg
)

// setting is a keyword with its value, from a tag or from //mcp:arg.
type setting struct {
	*keyword.Keyword
	values []string // one; several for enum, examples and default
	source source
	pos    token.Position // zero in a tag
}

func (k setting) value() string { return k.values[0] }

// order returns the position in which a setting is applied: settings that change the type come
// first.
func order(k setting) int {
	switch k.Value {
	case keyword.Format:
		return 0
	case keyword.JSON, keyword.List:
		return 2
	}
	return 1
}

// applyAll applies settings to a field and reports all their errors.
func (r *Resolver) applyAll(s site, f *model.Field, settings []setting) bool {
	slices.SortStableFunc(settings, func(a, b setting) int { return order(a) - order(b) })
	ok, required := true, false
	for _, k := range settings {
		at := s
		if k.pos.IsValid() {
			at.Pos = k.pos
		}
		if hint, err := r.apply(f, k); err != nil {
			r.errorf(at, hint, "%s", err)
			ok = false
		}
		required = required || k.Name == "required"
		if k.Name == "optional" && required || k.Name == "required" && slices.ContainsFunc(settings, func(k setting) bool { return k.Name == "optional" }) {
			r.errorf(at, "keep one of them", "required and optional exclude each other")
			ok = false
			break
		}
		if k.Name == "default" {
			if required && k.source == fromArg {
				r.errorf(at, "keep one of them", "required and default exclude each other: a default is for an argument that is missing")
				ok = false
			}
			f.Required = required
		}
	}
	return ok
}

// apply applies one setting.
func (r *Resolver) apply(f *model.Field, k setting) (hint string, err error) {
	v := k.value()
	switch {
	case k.Set != nil:
		k.Set(f, v)
	case k.Name == keyword.AnySchema:
		return r.applySchema(f, k)
	case k.IsRule():
		if f.Quoted {
			return "check it in the function", fmt.Errorf("%s cannot be used on a number that is written as a string", k.Name)
		}
		return r.applyRule(f, k)
	default:
		return r.applied()[k.Name](f, k)
	}
	return "", nil
}

// applied returns the functions of keywords whose meaning depends on the plan of the type.
func (r *Resolver) applied() map[string]func(*model.Field, setting) (hint string, err error) {
	return map[string]func(*model.Field, setting) (hint string, err error){
		"default":  r.applyDefault,
		"examples": r.applyExamples,
		"header":   applyHeader,
		"type":     checkType,
		"anchor":   ignore, // it names the schema for references, but nothing refers to it
		"omit":     ignore, // omit=false
		"fixed":    ignore, // a field with it is not published, see Fix
		"only":     ignore, // see applyPart
		"inline":   ignore, // inline=false
		"inject":   ignore, // inject=_; a filled field is not published
		"complete": ignore, // it applies to the parameter, not to its schema
	}
}

func ignore(*model.Field, setting) (hint string, err error) { return "", nil }

// checkType accepts the keyword type if it repeats the actual type.
func checkType(f *model.Field, k setting) (hint string, err error) {
	want, is := k.value(), jsonType(base(f.Type))
	hint = "leave it out: the schema is made from the Go type"
	switch {
	case f.Quoted && want == "string" || !f.Quoted && want == is:
		return "", nil
	case is == "":
		return hint, fmt.Errorf("type=%s contradicts the Go type, which accepts any value", want)
	}
	return hint, fmt.Errorf("type=%s contradicts the Go type, which is of type %s", want, is)
}

// base returns the plan of a type's JSON value: of its pointer's target, of the type that it is
// converted to, or of the value beside its flag.
func base(t *model.Type) *model.Type {
	for t.Kind == model.Pointer || t.Kind == model.Flagged || t.Kind == model.Converted {
		t = t.Elem
	}
	return t
}

// jsonType returns the keyword type of a plan, or "".
func jsonType(t *model.Type) string {
	switch t.Kind {
	case model.Bool:
		return "boolean"
	case model.Int, model.Uint:
		return "integer"
	case model.Time:
		if t.UnixUnit() > 0 {
			return "integer"
		}
		return "string"
	case model.Number:
		if t.Whole {
			return "integer"
		}
		return "number"
	case model.Float:
		return "number"
	case model.String, model.Bytes, model.Duration, model.Text, model.Error:
		return "string"
	case model.Slice, model.Array:
		return "array"
	case model.Struct, model.Map:
		return "object"
	}
	return ""
}

// applyDefault sets the default.
func (r *Resolver) applyDefault(f *model.Field, k setting) (string, error) {
	switch t := base(f.Type); t.Kind {
	case model.Reflect, model.Interface, model.Error: // generated code cannot name a function that returns one
		return "let the function choose what a missing value means", fmt.Errorf("default cannot be used on %s", keyword.KindName(t))
	}
	text, hint, err := valueText(f.Type, k)
	if err != nil {
		return hint, fmt.Errorf("default %w", err)
	}
	f.Default = &model.Value{JSON: text, Pos: k.pos}
	f.Required = false
	return "", nil
}

// applyExamples sets the examples: a JSON array, or one value, or several in tags.
func (r *Resolver) applyExamples(f *model.Field, k setting) (string, error) {
	t := base(f.Type)
	f.Examples = nil
	if k.source == fromArg {
		if list, ok := jsontext.Array(k.value()); ok && (t.Kind != model.Slice && t.Kind != model.Array || areArrays(list)) {
			f.Examples = list
			return "", nil
		}
	}
	for _, v := range k.values {
		one := setting{Keyword: k.Keyword, values: []string{v}, source: k.source}
		if t.Kind == model.Slice {
			// In tags the examples may be values of the elements.
			if _, ok := jsontext.Array(v); !ok {
				text, hint, err := valueText(t.Elem, one)
				if err != nil {
					return hint, fmt.Errorf("example %w", err)
				}
				f.Examples = append(f.Examples, "["+text+"]")
				continue
			}
		}
		text, hint, err := valueText(f.Type, one)
		if err != nil {
			return hint, fmt.Errorf("example %w", err)
		}
		f.Examples = append(f.Examples, text)
	}
	return "", nil
}

func areArrays(list []string) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(text string) bool { return text[0] != '[' })
}

// valueText returns a value as JSON. It may be written as text for strings, and as JSON for other
// types.
func valueText(t *model.Type, k setting) (text, hint string, err error) {
	t = base(t)
	v := k.value()
	if t.Kind == model.Slice && !isEndless(t) && (len(k.values) > 1 || k.source == fromTag && !jsontext.Valid(v)) {
		texts := make([]string, len(k.values))
		for i, v := range k.values {
			if texts[i], hint, err = valueText(t.Elem, setting{values: []string{v}, source: k.source}); err != nil {
				return "", hint, err
			}
		}
		return "[" + strings.Join(texts, ",") + "]", "", nil
	}
	if len(k.values) > 1 {
		return "", "give one", fmt.Errorf("is given %d times", len(k.values))
	}
	if jsonType(t) == "string" {
		if k.source == fromArg && strings.HasPrefix(v, `"`) && jsontext.Valid(v) {
			return jsontext.Compact(v), "", nil
		}
		return jsontext.Quote(v), "", nil
	}
	if !jsontext.Valid(v) {
		hint := "write it as JSON"
		switch t.Kind {
		case model.Slice:
			hint = `write it as a JSON array, such as ["a","b"]`
		case model.Bool:
			hint = "write true or false"
		case model.Any:
			hint = `write it as JSON: a string in double quotes, "` + v + `"`
		}
		return "", hint, fmt.Errorf("%s is not %s", v, article(t))
	}
	return jsontext.Compact(v), "", nil
}

// article names the JSON type of a plan for a message.
func article(t *model.Type) string {
	if t.Kind == model.Int && isDuration(t.Go) {
		return "an integer of nanoseconds"
	}
	switch name := jsonType(t); name {
	case "":
		return "JSON"
	case "integer", "array", "object":
		return "an " + name
	default:
		return "a " + name
	}
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
