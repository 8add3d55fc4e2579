package schema

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/mcpgen/mcpgen/generator/internal/keyword"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// InputOf returns the schema of a tool's arguments without running the program: without the values
// of choices=.
func InputOf(t *model.Tool) string { return withoutMarks(t, InputWithMarks(t)) }

// withoutMarks removes the marks of values that a program knows only when it starts.
func withoutMarks(t *model.Tool, text string) string {
	for _, c := range t.Choices {
		mark := `"enum":[` + keyword.ChoicesMark(c.Name) + `]`
		text = strings.ReplaceAll(strings.ReplaceAll(text, ","+mark, ""), mark+",", "")
	}
	return text
}

// InputWithMarks returns the schema of a tool's arguments. The generated decoder accepts the same
// values. Its root is an object without a description: the tool's description covers the arguments.
func InputWithMarks(t *model.Tool) string {
	object := &model.Type{Kind: model.Struct}
	if t.Input != nil && t.Input.Object != nil {
		object = t.Input.Object
	}
	s := render(base(object), false, t.Defs)
	s.Description = ""
	return Marshal(s)
}

// OutputOf returns the schema of a tool's structured result, as the generated encoder writes it, or
// "" if the tool has none or does not publish it. The root may be of any type but is not null: a
// missing result is an error. Its $defs, if any, are at the root and are referred to from there, so
// a caller that wraps the schema into another one must move them.
func OutputOf(t *model.Tool) string {
	if t.Result.Output == nil || t.Output != model.OutputTyped {
		return ""
	}
	return Marshal(render(base(t.Result.Output), true, t.Defs))
}

// maxInlined limits the number of schemas that are written inside each other. The number grows
// exponentially if types contain others several times over several levels; beyond this limit
// repeated types are in $defs.
const maxInlined = 20_000

// render renders a plan. With defs, types that are used several times are shared from the start.
func render(t *model.Type, output, defs bool) *jsonschema.Schema {
	g := newGraph(t)
	for _, all := range []bool{false, true} {
		if defs && !all {
			continue
		}
		w := &renderer{output: output, names: definitionNames(g.references(all)), unlimited: all}
		if s := w.root(t); s != nil {
			return s
		}
	}
	return nil // not reached: the second attempt has no limit
}

// renderer makes one schema.
type renderer struct {
	output    bool
	names     map[*model.Type]string // the types rendered by reference, and their names in $defs
	used      []*model.Type          // types in names that are referred to
	count     int                    // schemas made
	unlimited bool
}

// root renders a plan with its $defs. It returns nil if that exceeds the limit.
func (w *renderer) root(t *model.Type) *jsonschema.Schema {
	s := w.body(t, nil, "")
	for i := 0; i < len(w.used); i++ {
		if s.Definitions == nil {
			s.Definitions = jsonschema.Definitions{}
		}
		def := w.used[i]
		s.Definitions[w.names[def]] = w.body(def, nil, "")
	}
	if w.full() {
		return nil
	}
	return s
}

func (w *renderer) full() bool { return w.count > maxInlined && !w.unlimited }

// schema renders a plan for a value: by reference if it closes a cycle. desc is the description of
// the place, or "".
func (w *renderer) schema(t *model.Type, rules *model.Rules, desc string) *jsonschema.Schema {
	name, ok := w.names[t]
	if !ok {
		return w.body(t, rules, desc)
	}
	if !slices.Contains(w.used, t) {
		w.used = append(w.used, t)
	}
	s := &jsonschema.Schema{Ref: "#/$defs/" + name, Description: desc}
	if rules != nil && !w.output {
		limits(s, rules) // keywords beside $ref apply, too
	}
	return s
}

// limits renders the constraints of a place.
func limits(s *jsonschema.Schema, rules *model.Rules) {
	for _, k := range keyword.Rules() {
		if limit := k.Limit(rules); limit != "" {
			k.Schema(s, limit)
		}
	}
}

// element renders a value that is not a field: it cannot be omitted, so a nil pointer is written as
// null, and null is read as nil.
func (w *renderer) element(t *model.Type, rules *model.Rules) *jsonschema.Schema {
	s := w.schema(base(t), rules, wrapperDoc(t))
	if ElementNull(t, w.output) {
		return nullable(base(t), s)
	}
	return s
}

// nullable allows null as well as a value. The description is outside, where clients look for it.
func nullable(t *model.Type, s *jsonschema.Schema) *jsonschema.Schema {
	switch t.Kind {
	case model.Any, model.RawJSON, model.Interface:
		return s
	case model.JSON, model.Reflect:
		if t.Schema == "" {
			return s
		}
	}
	outer := &jsonschema.Schema{Description: s.Description, AnyOf: []*jsonschema.Schema{s, {Type: "null"}}}
	s.Description = ""
	return outer
}

// body renders a plan in full.
func (w *renderer) body(t *model.Type, rules *model.Rules, desc string) *jsonschema.Schema {
	if rules == nil || w.output {
		rules = &model.Rules{}
	}
	s := &jsonschema.Schema{Type: jsonType(t)}
	if w.count++; w.full() {
		return s
	}
	if desc == "" {
		desc = t.Doc
	}
	if !w.output || t.LimitsOut {
		limits(s, &model.Rules{Limits: t.Limits})
	}
	limits(s, rules)
	switch t.Kind {
	case model.Int, model.Uint, model.Float, model.Number:
		w.number(s, t, rules)
		desc = w.enum(s, t, rules, desc, asItIs)
		if isDuration(t.Go) {
			desc = withUnit(desc, "nanosecond", "In nanoseconds.")
		}
	case model.String:
		desc = w.enum(s, t, rules, desc, asItIs)
	case model.Bytes:
		s.ContentEncoding = "base64"
	case model.Time:
		desc = timeForm(s, t, desc)
	case model.Duration:
		s.Pattern = durationPattern
		desc = withUnit(desc, "1h30m", `A duration such as "1h30m".`)
	case model.Text:
		if t.Format == "uri" && w.output {
			// url.URL may write a reference.
		} else {
			s.Format = t.Format
		}
		desc = w.enum(s, t, rules, desc, asItIs)
	case model.Union:
		w.union(s, t)
	case model.Slice:
		s.Items = w.element(t.Elem, rules.Elem)
	case model.Array:
		n := uint64(t.Len)
		s.MinItems, s.MaxItems = &n, &n
		s.Items = w.element(t.Elem, rules.Elem)
	case model.Map:
		s.AdditionalProperties = w.element(t.Elem, rules.Elem)
		if p := keyPattern(t.Key); p != "" {
			s.PropertyNames = &jsonschema.Schema{Pattern: p}
		}
	case model.Struct:
		w.object(s, t)
	}
	if t.Schema != "" {
		s = customSchema(t.Schema)
		if t.NullOut && w.output {
			s = nullable(t, s)
		}
	}
	if desc != "" {
		s.Description = desc
	}
	if isBlank(s) {
		// Some clients drop an empty schema.
		s.Description = "Any JSON value."
	}
	return s
}

// isBlank reports whether a schema contains no keyword.
func isBlank(s *jsonschema.Schema) bool {
	return s.Type == "" && s.Description == "" && s.Ref == "" && s.AnyOf == nil && s.OneOf == nil && s.AllOf == nil && s.Enum == nil && len(s.Extras) == 0
}

// durationPattern matches the texts that time.ParseDuration accepts.
const durationPattern = `^[+-]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`

// withUnit adds information to a description that a reader cannot derive from the type.
func withUnit(desc, word, sentence string) string {
	switch {
	case strings.Contains(strings.ToLower(desc), word):
		return desc
	case desc == "":
		return sentence
	case strings.HasSuffix(desc, ".") || strings.HasSuffix(desc, "!") || strings.HasSuffix(desc, "?"):
		return desc + " " + sentence
	}
	return desc + ". " + sentence
}

// keyPattern returns the pattern of the names of a map's members, or "" for any names.
func keyPattern(key *model.Type) string {
	switch key.Kind {
	case model.Int:
		return `^(0|-?[1-9][0-9]*)$`
	case model.Uint:
		return `^(0|[1-9][0-9]*)$`
	}
	return ""
}

// number renders the bounds of the Go type. A bound in the rules is within the Go type's bound,
// which it replaces.
func (w *renderer) number(s *jsonschema.Schema, t *model.Type, rules *model.Rules) {
	if t.Kind == model.Float || t.Kind == model.Number || !w.output && (t.Enum.Closed() != nil || len(rules.Enum) > 0) {
		return
	}
	low, high := intRange(t)
	if s.Minimum == "" && s.ExclusiveMinimum == "" && (t.Kind == model.Uint || t.Bits <= 32) {
		s.Minimum = json.Number(low.Num().String())
	}
	if s.Maximum == "" && s.ExclusiveMaximum == "" && t.Bits <= 32 {
		s.Maximum = json.Number(high.Num().String())
	}
}

func asItIs(text string) string { return text }

// enum renders the values of an enumeration, each in the form of its place, and returns the
// description with their comments. A Go value may differ from all constants, so on output they are
// only described.
func (w *renderer) enum(s *jsonschema.Schema, t *model.Type, rules *model.Rules, desc string, form func(text string) string) string {
	texts, closed := Values(t, rules, w.output)
	if len(texts) == 0 {
		return desc
	}
	described := !closed
	docs := map[string]string{}
	if t.Enum != nil {
		for _, v := range t.Enum.Values {
			docs[form(v.JSON)] = v.Doc
		}
	}
	for i, text := range texts {
		texts[i] = form(text)
	}
	if !described {
		for _, text := range texts {
			s.Enum = append(s.Enum, json.RawMessage(text))
		}
	}
	if saysValues(desc, texts, docs, described && t.Enum != nil) {
		return desc
	}
	var lines []string
	commented := slices.ContainsFunc(texts, func(text string) bool { return docs[text] != "" })
	for _, text := range texts {
		switch {
		case docs[text] != "":
			lines = append(lines, "- "+text+": "+docs[text])
		case described && commented:
			lines = append(lines, "- "+text)
		}
	}
	switch {
	case described && t.Enum != nil && t.Enum.Open && !commented:
		lines = []string{"For example " + strings.Join(texts, ", ") + "."}
	case described && !commented:
		lines = []string{"One of " + strings.Join(texts, ", ") + "."}
	}
	if desc != "" {
		lines = slices.Insert(lines, 0, desc)
	}
	return strings.Join(lines, "\n")
}
