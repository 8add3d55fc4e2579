// Package keyword contains the table of keywords: the words that describe and constrain a value, in
// the tag jsonschema and in the directive //mcp:arg.
//
// A row of the table defines a keyword completely: the form of its value, the kinds of types that
// it applies to, its effect on the schema, the check of a default, the function of runtime/wire
// that checks an argument, and the help. Parsers, schema, codec, help and documents read the table.
// Therefore a new constraint needs a row, its function in runtime/wire, and a test.
package keyword

import (
	"fmt"
	"slices"

	"github.com/invopop/jsonschema"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// Value is the kind of a keyword's value.
type Value int

const (
	Flag        Value = iota // no value: the keyword alone, or with true or false
	Text                     // any text
	Name                     // one word
	Number                   // a JSON number
	Count                    // 0, 1, 2, ...
	Pattern                  // a regular expression
	Format                   // the name of a format
	JSON                     // JSON, or text for strings
	List                     // a,b,c
	Names                    // a,b or "a b"
	FlagOrNames              // a flag, or a,b
)

// Source is a set of bits: the places where a keyword can be written.
type Source int

const (
	Tag Source = 1 << iota // the tag jsonschema of a field
	Arg                    // the directive //mcp:arg
)

// Bound is the side on which a limit excludes numbers, lengths or counts.
type Bound int

const (
	NoBound Bound = iota
	AtLeast
	Above
	AtMost
	Below
)

// Lower reports whether a bound excludes values that are too small.
func (b Bound) Lower() bool { return b == AtLeast || b == Above }

// Upper reports whether a bound excludes values that are too large.
func (b Bound) Upper() bool { return b == AtMost || b == Below }

// Open reports whether the limit itself is excluded, too.
func (b Bound) Open() bool { return b == Above || b == Below }

// Keyword is a row of the table.
type Keyword struct {
	Name    string
	Value   Value
	In      Source
	Example string // a value as written in a directive, or "" for flags
	Help    string // the meaning, in one line
	For     string // the values that it applies to, in words

	// Set changes a field. It is nil for constraints, and for keywords whose meaning depends on the
	// plan of the type: package schema applies those.
	Set func(f *model.Field, value string)

	// Funcs is set for a constraint. It maps the kinds of types that the constraint applies to, to
	// the functions of runtime/wire that check a value.
	Funcs map[model.Kind]string
	// Refine returns another function for some types of these kinds, or an error for types that the
	// constraint does not apply to. It may be nil.
	Refine func(k *Keyword, t *model.Type) (fn string, err error)
	// Whole is set for constraints of lists and maps as a whole; others apply to the elements.
	Whole bool
	Bound Bound
	// Schema sets the limit in a schema.
	Schema func(s *jsonschema.Schema, limit string)
	// Wrong describes how a decoded JSON value violates the limit, or returns "" if it does not.
	Wrong func(v any, limit string) string

	// Instead is set for a keyword of other generators that cannot be used: the text to write
	// instead.
	Instead string
}

// Lookup returns the keyword with a name, or nil.
func Lookup(name string) *Keyword {
	i := slices.IndexFunc(table, func(k *Keyword) bool { return k.Name == name })
	if i < 0 {
		return nil
	}
	return table[i]
}

// Table returns the keywords that can be written in a source, in the order of the table.
func Table(in Source) []*Keyword {
	return slices.DeleteFunc(slices.Clone(table), func(k *Keyword) bool { return k.In&in == 0 })
}

// Rules returns the constraints, in the order in which they are checked.
func Rules() []*Keyword { return rules }

var rules = slices.DeleteFunc(slices.Clone(table), func(k *Keyword) bool { return k.Funcs == nil })

// IsRule reports whether the keyword is a constraint.
func (k *Keyword) IsRule() bool { return k.Funcs != nil }

// Limit returns the constraint in a set of rules, or "".
func (k *Keyword) Limit(r *model.Rules) string { return r.Limit(k.Name) }

// Func returns the function of runtime/wire that checks values of a type, or an error if the
// constraint does not apply to the type. The name is "" if no check is needed.
func (k *Keyword) Func(t *model.Type) (string, error) {
	fn, ok := k.Funcs[t.Kind]
	if !ok {
		return "", k.cannot(t)
	}
	if k.Refine != nil {
		other, err := k.Refine(k, t)
		if err != nil {
			return "", err
		}
		if other != "" {
			fn = other
		}
	}
	return fn, nil
}

func (k *Keyword) cannot(t *model.Type) error {
	return fmt.Errorf("%s cannot be used on %s", k.Name, KindName(t))
}

// BoundOf returns the constraint that bounds values of a kind, by their number, length or count of
// elements, or nil.
func BoundOf(kind model.Kind, b Bound) *Keyword {
	for _, k := range rules {
		if _, ok := k.Funcs[kind]; ok && k.Bound == b {
			return k
		}
	}
	return nil
}

// KindName returns the name, in messages, of values of a plan.
func KindName(t *model.Type) string {
	switch t.Kind {
	case model.Bool:
		return "a boolean"
	case model.Int, model.Uint:
		return "an integer"
	case model.Float:
		return "a number"
	case model.Number:
		if t.Whole {
			return "an integer of any size"
		}
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
	case model.RawJSON:
		return "json.RawMessage"
	}
	return "any value"
}
