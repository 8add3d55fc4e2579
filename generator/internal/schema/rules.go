package schema

import (
	"fmt"
	"go/types"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// applyRule applies a constraint to the value it is about: that of the field,
// or its elements where the field is a list and the constraint is none of lists.
func (r *Resolver) applyRule(f *model.Field, k setting) (hint string, err error) {
	if k.key == "format" && k.value() == "duration" {
		return applyDuration(f)
	}
	t, rules := base(f.Type), &f.Rules
	if !slices.Contains(listKeywords, k.key) {
		for t.Kind == model.Slice || t.Kind == model.Array || t.Kind == model.Map {
			if rules.Elem == nil {
				rules.Elem = &model.Rules{}
			}
			t, rules = base(t.Elem), rules.Elem
		}
	}
	return setRule(t, rules, k)
}

// listKeywords are the constraints of arrays and objects themselves.
var listKeywords = []string{"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"}

// setRule sets one constraint of a value.
func setRule(t *model.Type, rules *model.Rules, k setting) (hint string, err error) {
	if err := suits(t, k.key); err != nil {
		return "leave it out, or check it in the function", err
	}
	v := k.value()
	numbers := map[string]*string{
		"minimum": &rules.Minimum, "maximum": &rules.Maximum, "exclusiveMinimum": &rules.ExclusiveMinimum,
		"exclusiveMaximum": &rules.ExclusiveMaximum, "multipleOf": &rules.MultipleOf,
	}
	counts := map[string]**int{
		"minLength": &rules.MinLength, "maxLength": &rules.MaxLength, "minItems": &rules.MinItems, "maxItems": &rules.MaxItems,
		"minProperties": &rules.MinProperties, "maxProperties": &rules.MaxProperties,
	}
	switch {
	case numbers[k.key] != nil:
		if _, ok := number(v); !ok {
			return "write a number as JSON has it, such as 5 or 0.25", fmt.Errorf("%s %q is not a number", k.key, v)
		}
		*numbers[k.key] = v
	case counts[k.key] != nil:
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 {
			return "write a count, such as 5", fmt.Errorf("%s %q is not a count", k.key, v)
		}
		*counts[k.key] = &n
	case k.key == "uniqueItems":
		rules.UniqueItems = true
	case k.key == "pattern":
		if err := checkPattern(v); err != nil {
			return patternHint(err), err
		}
		rules.Pattern = v
	case k.key == "format":
		if t.Kind == model.Time {
			if v != "date-time" {
				return "leave it out, or use a string", fmt.Errorf("format %s cannot be used on time.Time, which is a date-time", v)
			}
			return "", nil
		}
		if formats[v] == nil {
			return formatHint(v), fmt.Errorf("unknown format %q", v)
		}
		rules.Format = v
	case k.key == "enum":
		return setEnum(t, rules, k)
	}
	return "", nil
}

// setEnum sets the values that a place is narrowed to.
func setEnum(t *model.Type, rules *model.Rules, k setting) (hint string, err error) {
	list := k.values
	if k.source == fromArg && len(list) == 1 {
		if texts, ok := jsonArray(list[0]); ok {
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

// applyDuration lets time.Duration travel as text.
func applyDuration(f *model.Field) (hint string, err error) {
	changed := asText(f.Type)
	if changed == nil {
		return "it is for time.Duration; " + formatHint(""), fmt.Errorf("format duration cannot be used here")
	}
	f.Type = changed
	return "", nil
}

// asText copies the plan of a time.Duration, or of pointers and lists of it, as
// text; nil if it is none.
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

// suits reports an error where a constraint means nothing for a kind of value.
func suits(t *model.Type, key string) error {
	var ok bool
	switch key {
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		ok = t.Kind == model.Int || t.Kind == model.Uint || t.Kind == model.Float || t.Kind == model.Number
	case "minLength", "maxLength":
		ok = t.Kind == model.String || t.Kind == model.Bytes && !namedBytes(t.Go)
	case "pattern":
		ok = t.Kind == model.String
	case "format":
		ok = t.Kind == model.String || t.Kind == model.Time
	case "minItems", "maxItems":
		ok = t.Kind == model.Slice
	case "uniqueItems":
		if ok = t.Kind == model.Slice || t.Kind == model.Array; ok {
			switch t.Elem.Kind {
			case model.Bool, model.Int, model.Uint, model.Float, model.String:
			case model.Number:
				return fmt.Errorf("uniqueItems cannot be used on a list of json.Number, where 1 and 1.0 are two spellings of one number")
			default:
				return fmt.Errorf("uniqueItems can be used on lists of strings, numbers or booleans only")
			}
		}
	case "minProperties", "maxProperties":
		ok = t.Kind == model.Map
	case "enum":
		ok = t.Kind == model.String || t.Kind == model.Int || t.Kind == model.Uint || t.Kind == model.Float
	default:
		return fmt.Errorf("unknown key %s", key)
	}
	if ok {
		return nil
	}
	return fmt.Errorf("%s cannot be used on %s", key, kindName(t))
}

// namedBytes reports whether a slice is one of a named type of bytes.
func namedBytes(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	_, named := types.Unalias(s.Elem()).(*types.Named)
	return named
}

// kindName is what a plan is called in messages about constraints.
func kindName(t *model.Type) string {
	switch t.Kind {
	case model.Bool:
		return "a boolean"
	case model.Int, model.Uint:
		return "an integer"
	case model.Float:
		return "a number"
	case model.Number:
		return "json.Number"
	case model.String:
		return "a string"
	case model.Bytes:
		return "bytes"
	case model.Time:
		return "time.Time"
	case model.Duration:
		return "a duration"
	case model.Struct:
		return "an object"
	case model.Map:
		return "a map"
	case model.Slice:
		return "a list"
	case model.Array:
		return "an array of fixed length"
	case model.Text:
		return "a type with a text form of its own"
	case model.JSON:
		return "a type with a JSON form of its own"
	case model.Union:
		return "an object of several kinds"
	case model.Reflect:
		return "a type that is left to encoding/json"
	}
	return "any value"
}
