package schema

import (
	"fmt"

	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/keyword"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// applyRule applies a constraint to the value of a field, or to the elements of a list or map if
// the constraint does not concern the list or map itself.
func (r *Resolver) applyRule(f *model.Field, k setting) (hint string, err error) {
	if k.Value == keyword.Format && k.value() == "duration" {
		return applyDuration(f)
	}
	t, rules := base(f.Type), &f.Rules
	if !k.Whole && isEndless(t) {
		return "write a keyword for lists or maps, such as maxItems", fmt.Errorf("%s applies to values in lists or maps, but this type contains only lists or maps of itself", k.Name)
	}
	if k.Value == keyword.Number {
		if name := numericText(f.Type); name != "" {
			return "write a pattern, or check it in the function", fmt.Errorf("%s cannot be used on %s, a number that is written as a string", k.Name, name)
		}
	}
	for !k.Whole && (t.Kind == model.Slice || t.Kind == model.Array || t.Kind == model.Map) {
		if rules.Elem == nil {
			rules.Elem = &model.Rules{}
		}
		t, rules = base(t.Elem), rules.Elem
	}
	return setRule(t, rules, k)
}

// isEndless reports whether the elements of a list or map lead back to it, as in type Tree
// map[string]Tree.
func isEndless(t *model.Type) bool {
	seen := map[*model.Type]bool{}
	for t = base(t); t.Kind == model.Slice || t.Kind == model.Array || t.Kind == model.Map; t = base(t.Elem) {
		if seen[t] {
			return true
		}
		seen[t] = true
	}
	return false
}

// setRule sets one constraint of a value.
func setRule(t *model.Type, rules *model.Rules, k setting) (hint string, err error) {
	limit, hint, err := k.Parse(t, k.value())
	switch {
	case err != nil:
		return hint, err
	case k.Value == keyword.List:
		return setEnum(t, rules, k)
	}
	rules.SetLimit(k.Name, limit)
	return "", nil
}

// setEnum sets the values to which a place is narrowed.
func setEnum(t *model.Type, rules *model.Rules, k setting) (hint string, err error) {
	list := k.values
	if k.source == fromArg && len(list) == 1 {
		if texts, ok := jsontext.Array(list[0]); ok {
			rules.Enum = texts
			return "", nil
		}
	}
	rules.Enum = nil
	for _, v := range list {
		text, hint, err := valueText(t, setting{values: []string{v}, source: k.source})
		if err != nil {
			return hint, fmt.Errorf("enum value %w", err)
		}
		rules.Enum = append(rules.Enum, text)
	}
	return "", nil
}

// applyDuration represents a time.Duration as text.
func applyDuration(f *model.Field) (hint string, err error) {
	changed := asText(f.Type)
	if changed == nil {
		return "it is for time.Duration; " + keyword.FormatHint(""), fmt.Errorf("format duration cannot be used here")
	}
	f.Type = changed
	return "", nil
}

// asText copies the plan of a time.Duration, or of pointers to it and lists of it, as text. It
// returns nil for other types.
func asText(t *model.Type) *model.Type {
	switch {
	case t.Kind == model.Duration:
		return t
	case t.Kind == model.Int && isDuration(t.Go):
		return &model.Type{Kind: model.Duration, Go: t.Go, Name: t.Name}
	case t.Elem == nil || t.Name != "":
		return nil
	}
	elem := asText(t.Elem)
	if elem == nil {
		return nil
	}
	changed := *t
	changed.Elem = elem
	return &changed
}

// numericText names the type of a number in a string, such as a decimal, or returns "" for other
// types.
func numericText(t *model.Type) string {
	for t.Kind != model.Converted || t.Convert.Methods == model.Invalid {
		switch t.Kind {
		case model.Pointer, model.Flagged, model.Slice, model.Array, model.Map:
			t = t.Elem
		default:
			return ""
		}
	}
	if t.Elem.Limits["pattern"] != decimalPattern && t.Elem.Limits["pattern"] != quantityPattern {
		return ""
	}
	return t.Name
}
