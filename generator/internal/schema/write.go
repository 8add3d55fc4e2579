package schema

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/invopop/jsonschema"
	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
)

// Marshal writes a schema as compact JSON, always in the same order of keys: type and description
// come first. Unlike the marshaller of invopop it never writes the boolean schema true, which some
// clients reject, and the text can be written as a Go raw string: it contains neither backquotes
// nor byte order marks.
func Marshal(s *jsonschema.Schema) string {
	w := &writer{}
	w.schema(s)
	return strings.NewReplacer("`", `\u0060`, "\ufeff", `\ufeff`).Replace(w.b.String())
}

// writer collects the text.
type writer struct {
	b     strings.Builder
	first bool // no member of the innermost object was written yet
}

func (w *writer) begin() {
	w.b.WriteByte('{')
	w.first = true
}

func (w *writer) end() {
	w.b.WriteByte('}')
	w.first = false
}

func (w *writer) key(name string) {
	if !w.first {
		w.b.WriteByte(',')
	}
	w.first = false
	w.b.WriteString(jsontext.Quote(name))
	w.b.WriteByte(':')
}

func (w *writer) raw(name, text string) {
	if text != "" {
		w.key(name)
		w.b.WriteString(text)
	}
}

func (w *writer) text(name, value string) {
	if value != "" {
		w.raw(name, jsontext.Quote(value))
	}
}

func (w *writer) flag(name string, set bool) {
	if set {
		w.raw(name, "true")
	}
}

func (w *writer) count(name string, n *uint64) {
	if n != nil {
		w.raw(name, strconv.FormatUint(*n, 10))
	}
}

// value writes a value in the schema: an instance, or an extra.
func (w *writer) value(name string, v any) {
	switch v := v.(type) {
	case nil:
	case json.RawMessage:
		w.raw(name, string(v))
	default:
		w.raw(name, jsontext.Show(v))
	}
}

func (w *writer) values(name string, list []any) {
	if list == nil {
		return
	}
	w.key(name)
	w.b.WriteByte('[')
	for i, v := range list {
		if i > 0 {
			w.b.WriteByte(',')
		}
		if raw, ok := v.(json.RawMessage); ok {
			w.b.Write(raw)
		} else {
			w.b.WriteString(jsontext.Show(v))
		}
	}
	w.b.WriteByte(']')
}

func (w *writer) sub(name string, s *jsonschema.Schema) {
	if s != nil {
		w.key(name)
		w.schema(s)
	}
}

func (w *writer) subs(name string, list []*jsonschema.Schema) {
	if list == nil {
		return
	}
	w.key(name)
	w.b.WriteByte('[')
	for i, s := range list {
		if i > 0 {
			w.b.WriteByte(',')
		}
		w.schema(s)
	}
	w.b.WriteByte(']')
}

func (w *writer) named(name string, m map[string]*jsonschema.Schema) {
	if m == nil {
		return
	}
	w.key(name)
	w.begin()
	for _, key := range sortedKeys(m) {
		w.sub(key, m[key])
	}
	w.end()
}

// schema writes one schema.
func (w *writer) schema(s *jsonschema.Schema) {
	if s == jsonschema.FalseSchema {
		w.b.WriteString("false")
		return
	}
	w.begin()
	w.identity(s)
	w.assertions(s)
	w.applicators(s)
	w.annotations(s)
	w.named("$defs", s.Definitions)
	w.end()
}

func (w *writer) identity(s *jsonschema.Schema) {
	w.text("$schema", s.Version)
	w.text("$id", string(s.ID))
	w.text("$anchor", s.Anchor)
	w.text("$ref", s.Ref)
	w.text("$dynamicRef", s.DynamicRef)
	w.text("type", s.Type)
	w.text("title", s.Title)
	w.text("description", s.Description)
}

func (w *writer) assertions(s *jsonschema.Schema) {
	w.values("enum", s.Enum)
	w.value("const", s.Const)
	w.text("format", s.Format)
	w.text("contentEncoding", s.ContentEncoding)
	w.text("contentMediaType", s.ContentMediaType)
	w.count("minLength", s.MinLength)
	w.count("maxLength", s.MaxLength)
	w.text("pattern", s.Pattern)
	w.raw("minimum", string(s.Minimum))
	w.raw("exclusiveMinimum", string(s.ExclusiveMinimum))
	w.raw("maximum", string(s.Maximum))
	w.raw("exclusiveMaximum", string(s.ExclusiveMaximum))
	w.raw("multipleOf", string(s.MultipleOf))
}

func (w *writer) applicators(s *jsonschema.Schema) {
	w.subs("prefixItems", s.PrefixItems)
	w.sub("items", s.Items)
	w.sub("contains", s.Contains)
	w.count("minContains", s.MinContains)
	w.count("maxContains", s.MaxContains)
	w.count("minItems", s.MinItems)
	w.count("maxItems", s.MaxItems)
	w.flag("uniqueItems", s.UniqueItems)
	if s.Properties != nil {
		w.key("properties")
		w.begin()
		for name, property := range s.Properties.FromOldest() {
			w.sub(name, property)
		}
		w.end()
	}
	if len(s.Required) > 0 {
		w.key("required")
		w.b.WriteString(jsontext.Show(s.Required))
	}
	w.named("patternProperties", s.PatternProperties)
	w.sub("propertyNames", s.PropertyNames)
	w.sub("additionalProperties", s.AdditionalProperties)
	w.count("minProperties", s.MinProperties)
	w.count("maxProperties", s.MaxProperties)
	if s.DependentRequired != nil {
		w.value("dependentRequired", s.DependentRequired)
	}
	w.named("dependentSchemas", s.DependentSchemas)
	w.subs("allOf", s.AllOf)
	w.subs("anyOf", s.AnyOf)
	w.subs("oneOf", s.OneOf)
	w.sub("not", s.Not)
	w.sub("if", s.If)
	w.sub("then", s.Then)
	w.sub("else", s.Else)
	w.sub("contentSchema", s.ContentSchema)
}

func (w *writer) annotations(s *jsonschema.Schema) {
	w.value("default", s.Default)
	w.values("examples", s.Examples)
	w.flag("readOnly", s.ReadOnly)
	w.flag("writeOnly", s.WriteOnly)
	w.flag("deprecated", s.Deprecated)
	for _, key := range sortedKeys(s.Extras) {
		w.value(key, s.Extras[key])
	}
	w.text("$comment", s.Comments)
}
