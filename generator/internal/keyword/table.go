package keyword

import (
	"encoding/json"
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/invopop/jsonschema"

	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/internal/pattern"
)

// The names of keywords that other code refers to.
const (
	Minimum          = "minimum"
	ExclusiveMinimum = "exclusiveMinimum"
	Maximum          = "maximum"
	ExclusiveMaximum = "exclusiveMaximum"
	MultipleOf       = "multipleOf"
	Choices          = "choices"
	AnySchema        = "schema"
)

// ChoicesMark returns the JSON text that replaces, in a schema, the values of a function of
// choices= until the program starts. It contains a NUL, which no value of an author contains.
func ChoicesMark(function string) string { return `"\u0000` + function + `"` }

// table is in the order of the help. Constraints are in the order in which they are checked.
var table = []*Keyword{
	{
		Name: "title", Value: Text, In: Tag, For: "anything", Help: "name for people",
		Set: func(f *model.Field, v string) { f.Title = v },
	},
	{
		Name: "description", Value: Text, In: Tag, For: "anything", Help: "what the value is",
		Set: func(f *model.Field, v string) { f.Description = v },
	},
	{
		Name: "default", Value: JSON, In: Tag | Arg, Example: "20", For: "anything but interfaces and types left to encoding/json",
		Help: `value when the argument is missing: JSON; for strings also a word or "quoted text"`,
	},
	{
		Name: "enum", Value: List, In: Tag | Arg, Example: `title,year,"release date"`, For: "strings and numbers",
		Help:  "the values that are allowed; in tags once for each value",
		Funcs: map[model.Kind]string{model.String: "", model.Int: "", model.Uint: "", model.Float: ""},
	},
	{
		Name: Choices, Value: Name, In: Arg, Example: "Regions", For: "strings and lists of them",
		Help:  "function with the values that are allowed, called when features are registered: func() []string, or func(context.Context) ([]string, error)",
		Funcs: map[model.Kind]string{model.String: ""}, Refine: withoutConstants,
		Schema: func(s *jsonschema.Schema, v string) { s.Enum = []any{json.RawMessage(ChoicesMark(v))} },
		Wrong:  func(any, string) string { return "" }, // the program checks defaults when it starts
	},
	{
		Name: AnySchema, Value: JSON, In: Arg, Example: `{"type":["string","number"]}`, For: "`any`, and lists and maps of it",
		Help:   "JSON Schema of the value, with the keywords that arguments are checked by",
		Funcs:  map[model.Kind]string{model.Any: ""}, // the function that reads the value checks it
		Schema: SchemaMembers,
		Wrong: func(v any, limit string) string {
			if !SchemaAllows(limit, v) {
				return jsontext.Show(v) + " is not valid by the schema " + limit
			}
			return ""
		},
	},
	{
		Name: Minimum, Value: Number, In: Tag | Arg, Example: "1", For: "numbers", Help: "smallest number",
		Funcs: numbers("Minimum"), Bound: AtLeast,
		Schema: func(s *jsonschema.Schema, v string) { s.Minimum = json.Number(v) },
		Wrong:  compared("is less than the minimum", func(c int) bool { return c < 0 }),
	},
	{
		Name: ExclusiveMinimum, Value: Number, In: Tag | Arg, Example: "0", For: "numbers", Help: "number that it must be greater than",
		Funcs: numbers("ExclusiveMinimum"), Bound: Above,
		Schema: func(s *jsonschema.Schema, v string) { s.ExclusiveMinimum = json.Number(v) },
		Wrong:  compared("is not more than", func(c int) bool { return c <= 0 }),
	},
	{
		Name: Maximum, Value: Number, In: Tag | Arg, Example: "100", For: "numbers", Help: "largest number",
		Funcs: numbers("Maximum"), Bound: AtMost,
		Schema: func(s *jsonschema.Schema, v string) { s.Maximum = json.Number(v) },
		Wrong:  compared("is more than the maximum", func(c int) bool { return c > 0 }),
	},
	{
		Name: ExclusiveMaximum, Value: Number, In: Tag | Arg, Example: "1", For: "numbers", Help: "number that it must be less than",
		Funcs: numbers("ExclusiveMaximum"), Bound: Below,
		Schema: func(s *jsonschema.Schema, v string) { s.ExclusiveMaximum = json.Number(v) },
		Wrong:  compared("is not less than", func(c int) bool { return c >= 0 }),
	},
	{
		Name: MultipleOf, Value: Number, In: Tag | Arg, Example: "5", For: "numbers", Help: "number that it must be a multiple of",
		Funcs:  numbers("MultipleOf"),
		Schema: func(s *jsonschema.Schema, v string) { s.MultipleOf = json.Number(v) },
		Wrong:  notMultiple,
	},
	{
		Name: "minLength", Value: Count, In: Tag | Arg, Example: "1", For: lengths, Help: "smallest number of characters",
		Funcs: map[model.Kind]string{model.String: "MinLength", model.Bytes: "MinBase64Length"}, Refine: plainBytes, Bound: AtLeast,
		Schema: func(s *jsonschema.Schema, v string) { s.MinLength = count(v) },
		Wrong:  counted(characters, AtLeast, "is shorter than minLength"),
	},
	{
		Name: "maxLength", Value: Count, In: Tag | Arg, Example: "200", For: lengths, Help: "largest number of characters",
		Funcs: map[model.Kind]string{model.String: "MaxLength", model.Bytes: "MaxBase64Length"}, Refine: plainBytes, Bound: AtMost,
		Schema: func(s *jsonschema.Schema, v string) { s.MaxLength = count(v) },
		Wrong:  counted(characters, AtMost, "is longer than maxLength"),
	},
	{
		Name: "pattern", Value: Pattern, In: Tag | Arg, Example: "`^[a-z]+$`", For: "strings", Help: "regular expression that must match somewhere",
		Funcs:  map[model.Kind]string{model.String: "Pattern"},
		Schema: func(s *jsonschema.Schema, v string) { s.Pattern = v },
		Wrong: func(v any, limit string) string {
			if text, ok := v.(string); ok && !matches(limit, text) {
				return jsontext.Show(v) + " does not match the pattern " + limit
			}
			return ""
		},
	},
	{
		Name: "format", Value: Format, In: Tag | Arg, Example: "email", For: "strings; `duration` for `time.Duration`",
		Help:   "format of a string: date-time, date, time, uuid, email, uri, ipv4, ipv6, hostname",
		Funcs:  map[model.Kind]string{model.String: "Format", model.Time: ""},
		Schema: func(s *jsonschema.Schema, v string) { s.Format = v },
		Wrong: func(v any, limit string) string {
			if text, ok := v.(string); ok && !IsFormat(limit, text) {
				return jsontext.Show(v) + " is not of the format " + limit
			}
			return ""
		},
	},
	{
		Name: "minItems", Value: Count, In: Tag | Arg, Example: "1", For: "lists", Help: "smallest number of elements",
		Funcs: map[model.Kind]string{model.Slice: "MinItems"}, Whole: true, Bound: AtLeast,
		Schema: func(s *jsonschema.Schema, v string) { s.MinItems = count(v) },
		Wrong:  counted(elements, AtLeast, "has fewer items than minItems"),
	},
	{
		Name: "maxItems", Value: Count, In: Tag | Arg, Example: "10", For: "lists", Help: "largest number of elements",
		Funcs: map[model.Kind]string{model.Slice: "MaxItems"}, Whole: true, Bound: AtMost,
		Schema: func(s *jsonschema.Schema, v string) { s.MaxItems = count(v) },
		Wrong:  counted(elements, AtMost, "has more items than maxItems"),
	},
	{
		Name: "uniqueItems", Value: Flag, In: Tag | Arg, Help: "each element at most once",
		For:   "lists of strings, numbers or booleans; not of `json.Number`, where 1 and 1.0 are equal",
		Funcs: map[model.Kind]string{model.Slice: "UniqueItems", model.Array: "UniqueItems"}, Refine: comparable, Whole: true,
		Schema: func(s *jsonschema.Schema, _ string) { s.UniqueItems = true },
		Wrong:  repeated,
	},
	{
		Name: "minProperties", Value: Count, In: Tag | Arg, Example: "1", For: "maps", Help: "smallest number of entries",
		Funcs: map[model.Kind]string{model.Map: "MinProperties"}, Whole: true, Bound: AtLeast,
		Schema: func(s *jsonschema.Schema, v string) { s.MinProperties = count(v) },
		Wrong:  counted(elements, AtLeast, "has fewer entries than minProperties"),
	},
	{
		Name: "maxProperties", Value: Count, In: Tag | Arg, Example: "10", For: "maps", Help: "largest number of entries",
		Funcs: map[model.Kind]string{model.Map: "MaxProperties"}, Whole: true, Bound: AtMost,
		Schema: func(s *jsonschema.Schema, v string) { s.MaxProperties = count(v) },
		Wrong:  counted(elements, AtMost, "has more entries than maxProperties"),
	},
	{
		Name: "keyPattern", Value: Pattern, In: Tag | Arg, Example: "`^[a-z]+$`", For: "maps whose keys are strings",
		Help:  "regular expression that must match somewhere in each key",
		Funcs: map[model.Kind]string{model.Map: "KeyPattern"}, Refine: stringKeys, Whole: true,
		Schema: func(s *jsonschema.Schema, v string) { s.PropertyNames = &jsonschema.Schema{Pattern: v} },
		Wrong:  keysUnlike,
	},
	{Name: "example", Value: JSON, In: Tag, For: "anything", Help: "an example value; once for each"},
	{
		Name: "examples", Value: JSON, In: Tag | Arg, Example: `["sea","whale"]`, For: "anything",
		Help: "example values: a JSON array, or one value; in tags once for each",
	},
	{Name: "name", Value: Name, In: Arg, Example: "query", For: "anything", Help: "published name of the argument"},
	{
		Name: "alias", Value: Names, In: Arg, Example: "payload", For: "arguments of tools, and members of them",
		Help: "former names of the argument, which are accepted and not published",
	},
	{
		Name: "header", Value: Name, In: Arg, Example: "Region", For: "strings, integers and booleans",
		Help: "name of the HTTP header (x-mcp-header) that repeats the argument",
	},
	{
		Name: "required", Value: Flag, In: Tag | Arg, For: "anything", Help: "must be given",
		Set: func(f *model.Field, v string) { f.Required = v == "true" },
	},
	{
		Name: "optional", Value: Flag, In: Tag | Arg, For: "anything", Help: "may be missing",
		Set: func(f *model.Field, v string) { f.Required = v != "true" },
	},
	{
		Name: "nullable", Value: Flag, In: Tag | Arg, For: "anything", Help: "null is an allowed value, different from a missing one",
		Set: func(f *model.Field, v string) { f.Nullable = v == "true" },
	},
	{
		Name: "readOnly", Value: Flag, In: Tag, For: "anything", Help: "part of results, not of arguments",
		Set: func(f *model.Field, v string) { f.ReadOnly = v == "true" },
	},
	{
		Name: "writeOnly", Value: Flag, In: Tag, For: "anything", Help: "part of arguments, not of results",
		Set: func(f *model.Field, v string) { f.WriteOnly = v == "true" },
	},
	{
		Name: "deprecated", Value: Flag, In: Tag, For: "anything", Help: "should not be used any more",
		Set: func(f *model.Field, v string) { f.Deprecated = v == "true" },
	},
	{
		Name: "omit", Value: FlagOrNames, In: Arg, Example: "id,owner.email", For: "anything; with names: objects, and lists and maps of them",
		Help: "not published; the function gets the zero value; with names: these members, with dots for depth",
	},
	{
		Name: "only", Value: Names, In: Arg, Example: "name,owner.id", For: "objects, and lists and maps of them",
		Help: "the only members that are published, with dots for depth; the others have their zero values",
	},
	{Name: "inline", Value: Flag, In: Arg, For: "structs", Help: "its members take its place, as arguments of their own"},
	{
		Name: "fixed", Value: JSON, In: Arg, Example: "true", For: "anything",
		Help: `not published; the function always gets this value: JSON; for strings also a word or "quoted text"`,
	},
	{
		Name: "inject", Value: Name, In: Arg, Example: "currentUser", For: "anything",
		Help: "not published; this function fills it: func(context.Context, ...) T or func(context.Context, ...) (T, error); _ publishes what //mcp:defaults fill",
	},
	{
		Name: "complete", Value: Name, In: Arg, Example: "CompleteAuthor", For: "arguments of prompts and templates",
		Help: "function that offers completions: func(ctx, prefix string) ([]string, error), of prompts and templates; a third parameter, map[string]string, has the other arguments",
	},
	{Name: "type", Value: Text, In: Tag, For: "anything", Help: "only to repeat the actual type"},
	{Name: "anchor", Value: Text, In: Tag, For: "anything", Help: "read and ignored"},

	{Name: "oneof_required", Value: Text, In: Tag, Instead: "check it in the function, and return mcp.Errorf"},
	{Name: "anyof_required", Value: Text, In: Tag, Instead: "check it in the function, and return mcp.Errorf"},
	{Name: "oneof_ref", Value: Text, In: Tag, Instead: "the schema is made from the Go type"},
	{Name: "anyof_ref", Value: Text, In: Tag, Instead: "the schema is made from the Go type"},
	{Name: "oneof_type", Value: Text, In: Tag, Instead: "the schema is made from the Go type; any accepts every value"},
	{Name: "anyof_type", Value: Text, In: Tag, Instead: "the schema is made from the Go type; any accepts every value"},
}

const lengths = "strings, in code points; `[]byte`, in characters of base64"

// numbers returns the functions of a constraint of numbers.
func numbers(fn string) map[model.Kind]string {
	return map[model.Kind]string{model.Int: fn, model.Uint: fn, model.Float: "Float" + fn, model.Number: "Number" + fn}
}

// withoutConstants refuses types whose constants are their values.
func withoutConstants(k *Keyword, t *model.Type) (string, error) {
	if t.Enum.Closed() != nil {
		return "", fmt.Errorf("%s cannot be used on %s, whose constants are its values", k.Name, types.TypeString(t.Go, func(p *types.Package) string { return p.Name() }))
	}
	return "", nil
}

// plainBytes refuses slices of a named type of bytes.
func plainBytes(k *Keyword, t *model.Type) (string, error) {
	if t.Kind != model.Bytes {
		return "", nil
	}
	if s, ok := t.Go.Underlying().(*types.Slice); ok {
		if _, named := types.Unalias(s.Elem()).(*types.Named); named {
			return "", k.cannot(t)
		}
	}
	return "", nil
}

// comparable refuses lists whose elements Go and JSON Schema compare differently.
func comparable(_ *Keyword, t *model.Type) (string, error) {
	switch t.Elem.Kind {
	case model.Float:
		return "UniqueFloats", nil
	case model.Bool, model.Int, model.Uint, model.String:
		return "", nil
	case model.Number:
		return "", fmt.Errorf("uniqueItems cannot be used on a list of json.Number, where 1 and 1.0 are two spellings of one number")
	}
	return "", fmt.Errorf("uniqueItems can be used on lists of strings, numbers or booleans only")
}

// compared checks a number.
func compared(wrong string, bad func(c int) bool) func(v any, limit string) string {
	return func(v any, limit string) string {
		text, _ := v.(json.Number)
		n, ok1 := jsontext.Number(string(text))
		l, ok2 := jsontext.Number(limit)
		if ok1 && ok2 && bad(n.Cmp(l)) {
			return string(text) + " " + wrong + " " + limit
		}
		return ""
	}
}

func notMultiple(v any, limit string) string {
	text, _ := v.(json.Number)
	n, ok1 := jsontext.Number(string(text))
	of, ok2 := jsontext.Number(limit)
	if ok1 && ok2 && of.Sign() > 0 && !n.Quo(n, of).IsInt() {
		return string(text) + " is not a multiple of " + limit
	}
	return ""
}

// counted checks a length or a count.
func counted(size func(v any) int, bound Bound, wrong string) func(v any, limit string) string {
	return func(v any, limit string) string {
		n, _ := strconv.Atoi(limit)
		if is := size(v); bound == AtLeast && is < n || bound == AtMost && is > n {
			return jsontext.Show(v) + " " + wrong + " " + limit
		}
		return ""
	}
}

func characters(v any) int {
	text, _ := v.(string)
	return utf8.RuneCountInString(text)
}

func elements(v any) int {
	switch v := v.(type) {
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	}
	return 0
}

func repeated(v any, _ string) string {
	list, _ := v.([]any)
	for i, e := range list {
		for _, other := range list[:i] {
			if jsontext.Equal(jsontext.Show(other), jsontext.Show(e)) {
				return jsontext.Show(v) + " has " + jsontext.Show(e) + " twice, against uniqueItems"
			}
		}
	}
	return ""
}

// stringKeys refuses maps whose keys are numbers or have their own text form.
func stringKeys(k *Keyword, t *model.Type) (string, error) {
	if t.Key.Kind != model.String {
		return "", fmt.Errorf("%s can be used on maps whose keys are strings only", k.Name)
	}
	return "", nil
}

func keysUnlike(v any, limit string) string {
	object, _ := v.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if !matches(limit, key) {
			return jsontext.Show(v) + " has the key " + jsontext.Quote(key) + ", which does not match the keyPattern " + limit
		}
	}
	return ""
}

// matches reports whether a checked pattern matches a text.
func matches(expr, text string) bool {
	m, err := pattern.Compile(expr)
	return err != nil || m.Match(text)
}

func count(limit string) *uint64 {
	n, err := strconv.ParseUint(limit, 10, 63)
	if err != nil {
		return nil
	}
	return &n
}
