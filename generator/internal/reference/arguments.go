package reference

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/jsontree"
)

var argumentColumns = []string{"name", "type", "required", "bounds", "default", "description"}

// maxDepth limits the depth at which objects within objects are described, and maxRows the rows of
// a table.
const (
	maxDepth = 6
	maxRows  = 400
)

// schema is a place in a JSON Schema.
type schema struct {
	root, at *jsontree.Value
}

// resolved follows $ref within the document, and returns the reference, or "". Keywords beside $ref
// come first.
func (s schema) resolved() (list []*jsontree.Value, reference string) {
	at := s.at
	for range maxDepth {
		if !at.Is(jsontree.Object) {
			return list, reference
		}
		list = append(list, at)
		ref := at.Str("$ref")
		if ref == "" {
			return list, reference
		}
		reference, at = ref, s.root.Target(ref)
	}
	return list, reference
}

// get returns a keyword.
func (s schema) get(name string) *jsontree.Value {
	list, _ := s.resolved()
	for _, v := range list {
		if m := v.Get(name); m != nil {
			return m
		}
	}
	return nil
}

func (s schema) in(at *jsontree.Value) schema { return schema{s.root, at} }

// arguments returns the rows of an input schema.
func arguments(input *jsontree.Value) [][][]inline {
	if input == nil {
		return nil
	}
	var t rows
	t.members(schema{input, input}, "", 0, nil)
	return t.list
}

// results returns the rows of an output schema: its members, or itself.
func results(output *jsontree.Value) [][][]inline {
	var t rows
	s := schema{output, output}
	if t.members(s, "", 0, nil); len(t.list) == 0 {
		t.add("", s, false)
		t.inside("", s, 0, nil)
	}
	return t.list
}

type rows struct{ list [][][]inline }

// members adds the properties of an object, and the properties inside them.
func (t *rows) members(s schema, prefix string, depth int, around []string) {
	properties := s.get("properties")
	if properties == nil || depth > maxDepth {
		return
	}
	var needed []string
	if list := s.get("required"); list != nil {
		for _, item := range list.Items {
			needed = append(needed, item.Text)
		}
	}
	for _, p := range properties.Members {
		if len(t.list) >= maxRows {
			return
		}
		member := s.in(p.Value)
		t.add(prefix+p.Name, member, slices.Contains(needed, p.Name))
		t.inside(prefix+p.Name, member, depth+1, around)
	}
}

// inside adds the members of an object, of the items of an array, or of the values of a map.
func (t *rows) inside(path string, s schema, depth int, around []string) {
	if _, ref := s.resolved(); ref != "" {
		if slices.Contains(around, ref) {
			return // the type contains itself
		}
		around = append(slices.Clip(around), ref)
	}
	if depth > maxDepth {
		return
	}
	dot := path + "."
	if path == "" {
		dot = ""
	}
	t.members(s, dot, depth, around)
	if items := s.get("items"); items.Is(jsontree.Object) {
		t.inside(path+"[]", s.in(items), depth+1, around)
	}
	if values := s.get("additionalProperties"); values.Is(jsontree.Object) {
		t.inside(path+"{}", s.in(values), depth+1, around)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if list := s.get(keyword); list != nil {
			for _, item := range list.Items {
				t.inside(path, s.in(item), depth+1, around)
			}
		}
	}
}

// add adds a row.
func (t *rows) add(name string, s schema, needed bool) {
	var preset []inline
	if d := s.get("default"); d != nil {
		preset = code(compact(d))
	}
	description := ""
	if d := s.get("description"); d != nil {
		description = d.Text
	}
	t.list = append(t.list, [][]inline{code(name), plain(s.typeName(0)), required(needed), s.bounds(), preset, plain(description)})
}

// typeName returns the type in words.
func (s schema) typeName(depth int) string {
	if depth > maxDepth {
		return "value"
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if list := s.get(keyword); list != nil {
			var names []string
			for _, item := range list.Items {
				if name := s.in(item).typeName(depth + 1); !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
			return strings.Join(names, " or ")
		}
	}
	var names []string
	switch typ := s.get("type"); {
	case typ == nil:
		return "any value"
	case typ.Kind == jsontree.Array:
		for _, item := range typ.Items {
			names = append(names, item.Text)
		}
	default:
		names = []string{typ.Text}
	}
	for i, name := range names {
		if items := s.get("items"); name == "array" && items.Is(jsontree.Object) {
			names[i] = "array of " + s.in(items).typeName(depth+1)
		}
		if values := s.get("additionalProperties"); name == "object" && values.Is(jsontree.Object) {
			names[i] = "map of " + s.in(values).typeName(depth+1)
		}
	}
	return strings.Join(names, " or ")
}

// boundNames are keywords and the text before their value.
var boundNames = []struct{ keyword, text string }{
	{"minimum", "at least "}, {"exclusiveMinimum", "more than "}, {"maximum", "at most "}, {"exclusiveMaximum", "less than "},
	{"multipleOf", "a multiple of "}, {"minLength", "characters at least "}, {"maxLength", "characters at most "},
	{"minItems", "items at least "}, {"maxItems", "items at most "}, {"minProperties", "members at least "}, {"maxProperties", "members at most "},
	{"format", "format "}, {"pattern", "pattern "}, {"const", "always "}, {"contentMediaType", "media type "}, {"contentEncoding", "encoding "},
}

// bounds returns the constraints in words, followed by those on items.
func (s schema) bounds() []inline {
	var line []inline
	add := func(text string, values ...*jsontree.Value) {
		if len(line) > 0 {
			text = "; " + text
		}
		line = append(line, inline{text: text})
		for i, v := range values {
			if i > 0 {
				line = append(line, inline{text: ", "})
			}
			shown := v.Text
			if v.Kind == jsontree.Object || v.Kind == jsontree.Array {
				shown = compact(v)
			}
			line = append(line, inline{text: first(shown, `""`), code: true})
		}
	}
	if list := s.get("enum"); list != nil && len(list.Items) > 0 {
		add("one of ", list.Items...)
	}
	for _, b := range boundNames {
		if v := s.get(b.keyword); v != nil {
			add(b.text, v)
		}
	}
	if v := s.get("uniqueItems"); isTrue(v) {
		add("no item twice")
	}
	if items := s.get("items"); items.Is(jsontree.Object) {
		if inner := s.in(items).bounds(); len(inner) > 0 {
			add("items: ")
			line = append(line, inner...)
		}
	}
	return line
}
