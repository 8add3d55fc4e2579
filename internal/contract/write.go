package contract

import (
	"strings"

	"github.com/mcpgen/mcpgen/internal/jsontree"
)

// width is the maximum length of a line; longer values are split.
const width = 120

// Marshal returns a contract file: one JSON object with server, tools, resources,
// resourceTemplates, prompts and skills, features in order of name, URI or URI template. Members
// of a feature are in the order in which the server lists them. An argument without inner
// structure takes one line, so that a change of the argument changes only that line. Empty lists
// are omitted.
func (c *Contract) Marshal() []byte {
	v := &jsontree.Value{Kind: jsontree.Object}
	if c.server != nil {
		v.Members = append(v.Members, jsontree.Member{Name: "server", Value: c.server})
	}
	for _, l := range lists {
		if !c.known[l.kind] || c.server != nil && len(c.features[l.kind]) == 0 {
			continue
		}
		list := &jsontree.Value{Kind: jsontree.Array}
		for _, f := range c.features[l.kind] {
			list.Items = append(list.Items, f.value)
		}
		v.Members = append(v.Members, jsontree.Member{Name: l.member, Value: list})
	}
	var b strings.Builder
	write(&b, v, "", 0)
	b.WriteByte('\n')
	return []byte(b.String())
}

// write writes a value after used characters of a line.
func write(b *strings.Builder, v *jsontree.Value, indent string, used int) {
	if flat(v) {
		if line := v.Compact(); used+len(line) < width || len(v.Items)+len(v.Members) == 0 {
			b.WriteString(line)
			return
		}
	}
	inner := indent + "  "
	open, end := "[\n", "]"
	if v.Kind == jsontree.Object {
		open, end = "{\n", "}"
	}
	b.WriteString(open)
	for i, item := range v.Items {
		b.WriteString(inner)
		write(b, item, inner, len(inner))
		b.WriteString(separator(i, len(v.Items)))
	}
	for i, m := range v.Members {
		name := inner + jsontree.Quote(m.Name) + ": "
		b.WriteString(name)
		write(b, m.Value, inner, len(name))
		b.WriteString(separator(i, len(v.Members)))
	}
	b.WriteString(indent + end)
}

func separator(i, n int) string {
	if i == n-1 {
		return "\n"
	}
	return ",\n"
}

// flat reports whether a value contains no object, and no array of arrays.
func flat(v *jsontree.Value) bool {
	for _, m := range v.Members {
		if m.Value.Kind == jsontree.Object || m.Value.Kind == jsontree.Array && !flat(m.Value) {
			return false
		}
	}
	for _, item := range v.Items {
		if item.Kind == jsontree.Object || item.Kind == jsontree.Array {
			return false
		}
	}
	return true
}
