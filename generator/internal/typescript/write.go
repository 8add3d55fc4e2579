package typescript

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/keyword"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/schema"
)

// expr is a type expression.
type expr struct {
	text     string
	compound bool // needs parentheses as an element
}

// anything is the type of values without a known form.
var anything = expr{text: "unknown"}

// or returns the union of two types.
func (e expr) or(other expr) expr {
	if e == anything || other == anything {
		return anything
	}
	return expr{e.text + " | " + other.text, true}
}

// element returns the expression as an operand.
func (e expr) element() string {
	if e.compound {
		return "(" + e.text + ")"
	}
	return e.text
}

// union returns the union of several types.
func union(all []expr) expr {
	e := all[0]
	for _, other := range all[1:] {
		e = e.or(other)
	}
	return e
}

// maxTuple limits the length of arrays that are written as tuples.
const maxTuple = 8

// writer writes type expressions.
type writer struct {
	names *naming
}

// root writes the arguments or the result of a tool.
func (w *writer) root(r *root) expr {
	switch {
	case r.plan == nil:
		return expr{text: "undefined"}
	case r.isNameless():
		return expr{text: w.names.ofRoot(r)}
	}
	return w.value(r.plan, nil, r.output, "")
}

// value writes the type of a value: its name if it is declared.
func (w *writer) value(t *model.Type, rules *model.Rules, output bool, indent string) expr {
	t = schema.Value(t)
	if name := w.names.of(t, output); name != "" && (rules == nil || output || len(rules.Enum) == 0) {
		return expr{text: name}
	}
	return w.body(t, rules, output, indent)
}

// inner writes a value that cannot be left out, such as an element.
func (w *writer) inner(t *model.Type, rules *model.Rules, output bool, indent string) expr {
	e := w.value(t, rules, output, indent)
	if schema.ElementNull(t, output) {
		e = e.or(expr{text: "null"})
	}
	return e
}

// body writes a type in full.
func (w *writer) body(t *model.Type, rules *model.Rules, output bool, indent string) expr {
	if t.Schema != "" {
		e := ofSchema(tree(t.Schema), indent)
		if t.NullOut && output {
			e = e.or(expr{text: "null"})
		}
		return e
	}
	if texts, closed := schema.Values(t, rules, output); len(texts) > 0 && isScalar(t) {
		return literals(t, texts, closed)
	}
	switch t.Kind {
	case model.Slice:
		return expr{text: w.inner(t.Elem, elemRules(rules), output, indent).element() + "[]"}
	case model.Array:
		item := w.inner(t.Elem, elemRules(rules), output, indent)
		if t.Len > maxTuple {
			return expr{text: item.element() + "[]"}
		}
		return expr{text: "[" + strings.TrimSuffix(strings.Repeat(item.text+", ", int(t.Len)), ", ") + "]"}
	case model.Map:
		return expr{text: "{ [key: string]: " + w.inner(t.Elem, elemRules(rules), output, indent).text + " }"}
	case model.Struct:
		return expr{text: w.object(t, nil, output, indent)}
	case model.Union:
		return w.variants(t, output, indent)
	case model.Any:
		if text := rules.Limit(keyword.AnySchema); text != "" && !output {
			return ofSchema(tree(text), indent)
		}
		return anything
	}
	if name := scalar(t); name != "" {
		return expr{text: name}
	}
	return anything
}

func elemRules(rules *model.Rules) *model.Rules {
	if rules == nil {
		return nil
	}
	return rules.Elem
}

// scalar returns the type of a value without parts, or "".
func scalar(t *model.Type) string {
	switch t.Kind {
	case model.Bool:
		return "boolean"
	case model.Int, model.Uint, model.Float, model.Number:
		return "number"
	case model.Time:
		if t.UnixUnit() > 0 {
			return "number"
		}
		return "string"
	case model.String, model.Bytes, model.Duration, model.Text, model.Error:
		return "string"
	}
	return ""
}

// isScalar reports whether a value may be one of an enumeration.
func isScalar(t *model.Type) bool { return scalar(t) != "" }

// literals writes the values of an enumeration. The type of an open one is its scalar type, with
// the values for the completion of editors: (string & {}) keeps them apart.
func literals(t *model.Type, texts []string, closed bool) expr {
	var all []expr
	for _, text := range texts {
		all = append(all, expr{text: literal(text)})
	}
	if !closed {
		all = append(all, expr{text: "(" + cmp.Or(scalar(t), "string") + " & {})"})
	}
	return union(all)
}

// literal writes the JSON of a scalar as a literal type.
func literal(text string) string {
	if strings.HasPrefix(text, `"`) {
		var s string
		if v, err := jsontext.Decode(text); err == nil {
			s, _ = v.(string)
		}
		return quote(s)
	}
	return text
}

// object writes an object type. discriminator, if it is not nil, is its first member.
func (w *writer) object(t *model.Type, discriminator *member, output bool, indent string) string {
	if len(t.Fields) == 0 && discriminator == nil {
		if output {
			return "{ [key: string]: unknown }" // a later version may have members
		}
		return "{ [key: string]: never }"
	}
	var b strings.Builder
	b.WriteString("{\n")
	inside := indent + step
	if discriminator != nil {
		b.WriteString(inside + property(discriminator.name) + ": " + quote(discriminator.value) + ";\n")
	}
	for _, f := range t.Fields {
		b.WriteString(w.field(f, output, inside))
	}
	b.WriteString(indent + "}")
	return b.String()
}

// member is a member with a constant value.
type member struct{ name, value string }

// field writes a member with its comment.
func (w *writer) field(f *model.Field, output bool, indent string) string {
	t := schema.Value(f.Type)
	var e expr
	if f.Quoted {
		e = quoted(t, output)
	} else {
		e = w.value(t, &f.Rules, output, indent)
	}
	if schema.MemberNull(f, output) {
		e = e.or(expr{text: "null"})
	}
	mark := "?"
	if schema.Required(f, output) {
		mark = ""
	}
	return comment(w.description(f, t, output), indent, tagsOf(f, output)...) + indent + property(f.Name) + mark + ": " + e.text + ";\n"
}

// quoted writes the type of a member with the option ",string": the JSON of a scalar in a string.
func quoted(t *model.Type, output bool) expr {
	texts, closed := schema.Values(t, nil, output)
	for i, text := range texts {
		texts[i] = jsontext.Quote(text)
	}
	if len(texts) == 0 {
		return expr{text: "string"}
	}
	return literals(&model.Type{Kind: model.String}, texts, closed)
}

// description returns the comment of a member. The comment of a declared type is at its
// declaration.
func (w *writer) description(f *model.Field, t *model.Type, output bool) string {
	text := f.Description
	if output && f.Foreign {
		text = ""
	}
	if text == "" && w.names.of(t, output) == "" {
		text = t.Doc
	}
	if note := noteOf(t); note != "" && !f.Quoted && !strings.Contains(text, note) {
		text = strings.TrimSpace(text + "\n" + note)
	}
	return text
}

// noteOf describes the form of a text or number that the type does not show, or is "".
func noteOf(t *model.Type) string {
	switch {
	case t.Kind == model.Bytes:
		return "In base64."
	case t.Kind == model.Duration:
		return `A duration such as "1h30m".`
	case t.Kind == model.Time && t.UnixUnit() > 0:
		return "In " + map[int64]string{1e9: "seconds", 1e6: "milliseconds", 1e3: "microseconds", 1: "nanoseconds"}[t.UnixUnit()] + " since 1970."
	case t.Kind == model.Time && t.Layout != "":
		return `A time such as "` + t.Layout + `".`
	case t.Kind == model.Time:
		return `A time such as "2006-01-02T15:04:05Z" (RFC 3339).`
	case t.Kind == model.Text && t.Format != "" && t.Schema == "":
		return "Format: " + t.Format + "."
	}
	return ""
}

// tagsOf returns the tags of a comment.
func tagsOf(f *model.Field, output bool) []string {
	var tags []string
	if f.Default != nil && !output {
		text := f.Default.JSON
		if f.Quoted {
			text = jsontext.Quote(text)
		}
		tags = append(tags, "@default "+text)
	}
	if f.Deprecated {
		tags = append(tags, "@deprecated")
	}
	return tags
}

// variants writes the implementations of a sealed interface. A member names the implementation.
func (w *writer) variants(t *model.Type, output bool, indent string) expr {
	var all []expr
	for _, v := range t.Union.Variants {
		m := &member{t.Union.Discriminator, v.Name}
		name, tag := w.names.of(v.Type, output), "{ "+property(m.name)+": "+quote(m.value)+" }"
		switch {
		case len(v.Type.Fields) == 0:
			all = append(all, expr{text: tag})
		case name == "":
			all = append(all, expr{text: w.object(v.Type, m, output, indent)})
		default:
			all = append(all, expr{text: "(" + tag + " & " + name + ")"})
		}
	}
	return union(all)
}

// declaration writes a declared type.
func (w *writer) declaration(t *model.Type, name string, output bool) string {
	doc := comment(t.Doc, "")
	e := w.body(t, nil, output, "")
	if t.Kind == model.Struct && t.Schema == "" {
		return doc + "export interface " + name + " " + e.text + "\n"
	}
	if t.Enum == nil || !slices.ContainsFunc(t.Enum.Values, func(v model.EnumValue) bool { return v.Doc != "" }) {
		return doc + "export type " + name + " = " + e.text + ";\n"
	}
	// One line for each value, below its comment.
	var b strings.Builder
	b.WriteString(doc + "export type " + name + " =\n")
	texts, closed := schema.Values(t, nil, output)
	for i, text := range texts {
		b.WriteString(comment(t.Enum.Values[i].Doc, step) + step + "| " + literal(text))
		if i < len(texts)-1 || !closed {
			b.WriteString("\n")
		}
	}
	if !closed {
		b.WriteString(step + "| (" + scalar(t) + " & {})")
	}
	return b.String() + ";\n"
}
