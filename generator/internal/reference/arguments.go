package reference

import (
	"slices"
	"strings"
)

var argumentColumns = []string{"name", "type", "required", "bounds", "default", "description"}

// maxDepth is how deep objects within objects are described, and maxRows how many rows a table has.
const (
	maxDepth = 6
	maxRows  = 400
)

// schema is a place in a JSON Schema.
type schema struct {
	root, at *value
}

// resolved follows $ref within the document, and shows whether there was one. What is beside
// $ref comes first.
func (s schema) resolved() (list []*value, reference string) {
	at := s.at
	for range maxDepth {
		if at == nil || at.kind != '{' {
			return list, reference
		}
		list = append(list, at)
		ref := at.str("$ref")
		if ref == "" {
			return list, reference
		}
		reference, at = ref, s.target(ref)
	}
	return list, reference
}

// target is the schema of a JSON pointer, nil if there is none.
func (s schema) target(ref string) *value {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	at := s.root
	for step := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if path == "" {
			break
		}
		at = at.get(strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~"))
	}
	return at
}

// get returns a keyword.
func (s schema) get(name string) *value {
	list, _ := s.resolved()
	for _, v := range list {
		if m := v.get(name); m != nil {
			return m
		}
	}
	return nil
}

func (s schema) in(at *value) schema { return schema{s.root, at} }

// arguments are the rows of an input schema.
func arguments(input *value) [][][]inline {
	if input == nil {
		return nil
	}
	var t rows
	t.members(schema{input, input}, "", 0, nil)
	return t.list
}

// results are the rows of an output schema: its members, or itself.
func results(output *value) [][][]inline {
	var t rows
	s := schema{output, output}
	if t.members(s, "", 0, nil); len(t.list) == 0 {
		t.add("", s, false)
		t.inside("", s, 0, nil)
	}
	return t.list
}

type rows struct{ list [][][]inline }

// members adds the properties of an object, and what is inside of them.
func (t *rows) members(s schema, prefix string, depth int, around []string) {
	properties := s.get("properties")
	if properties == nil || depth > maxDepth {
		return
	}
	var needed []string
	if list := s.get("required"); list != nil {
		for _, item := range list.items {
			needed = append(needed, item.text)
		}
	}
	for _, name := range properties.names {
		if len(t.list) >= maxRows {
			return
		}
		member := s.in(properties.members[name])
		t.add(prefix+name, member, slices.Contains(needed, name))
		t.inside(prefix+name, member, depth+1, around)
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
	if items := s.get("items"); items != nil && items.kind == '{' {
		t.inside(path+"[]", s.in(items), depth+1, around)
	}
	if values := s.get("additionalProperties"); values != nil && values.kind == '{' {
		t.inside(path+"{}", s.in(values), depth+1, around)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if list := s.get(keyword); list != nil {
			for _, item := range list.items {
				t.inside(path, s.in(item), depth+1, around)
			}
		}
	}
}

// add adds a row.
func (t *rows) add(name string, s schema, needed bool) {
	var preset []inline
	if d := s.get("default"); d != nil {
		preset = code(d.json(false))
	}
	description := ""
	if d := s.get("description"); d != nil {
		description = d.text
	}
	t.list = append(t.list, [][]inline{code(name), plain(s.typeName(0)), required(needed), s.bounds(), preset, plain(description)})
}

// typeName is the type in words.
func (s schema) typeName(depth int) string {
	if depth > maxDepth {
		return "value"
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if list := s.get(keyword); list != nil {
			var names []string
			for _, item := range list.items {
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
	case typ.kind == '[':
		for _, item := range typ.items {
			names = append(names, item.text)
		}
	default:
		names = []string{typ.text}
	}
	for i, name := range names {
		if items := s.get("items"); name == "array" && items != nil && items.kind == '{' {
			names[i] = "array of " + s.in(items).typeName(depth+1)
		}
		if values := s.get("additionalProperties"); name == "object" && values != nil && values.kind == '{' {
			names[i] = "map of " + s.in(values).typeName(depth+1)
		}
	}
	return strings.Join(names, " or ")
}

// boundNames are keywords and what is written before their value.
var boundNames = []struct{ keyword, text string }{
	{"minimum", "at least "}, {"exclusiveMinimum", "more than "}, {"maximum", "at most "}, {"exclusiveMaximum", "less than "},
	{"multipleOf", "a multiple of "}, {"minLength", "characters at least "}, {"maxLength", "characters at most "},
	{"minItems", "items at least "}, {"maxItems", "items at most "}, {"minProperties", "members at least "}, {"maxProperties", "members at most "},
	{"format", "format "}, {"pattern", "pattern "}, {"const", "always "}, {"contentMediaType", "media type "}, {"contentEncoding", "encoding "},
}

// bounds are the constraints in words, those of items behind.
func (s schema) bounds() []inline {
	var line []inline
	add := func(text string, values ...*value) {
		if len(line) > 0 {
			text = "; " + text
		}
		line = append(line, inline{text: text})
		for i, v := range values {
			if i > 0 {
				line = append(line, inline{text: ", "})
			}
			shown := v.text
			if v.kind == '{' || v.kind == '[' {
				shown = v.json(false)
			}
			line = append(line, inline{text: first(shown, `""`), code: true})
		}
	}
	if list := s.get("enum"); list != nil && len(list.items) > 0 {
		add("one of ", list.items...)
	}
	for _, b := range boundNames {
		if v := s.get(b.keyword); v != nil {
			add(b.text, v)
		}
	}
	if v := s.get("uniqueItems"); v != nil && v.kind == 't' {
		add("no item twice")
	}
	if items := s.get("items"); items != nil && items.kind == '{' {
		if inner := s.in(items).bounds(); len(inner) > 0 {
			add("items: ")
			line = append(line, inner...)
		}
	}
	return line
}
