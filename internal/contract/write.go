package contract

import "strings"

// width is the length of a line above which a value is split over lines.
const width = 120

// Marshal returns the text of a contract file: one JSON object with server, tools,
// resources, resourceTemplates and prompts, features in order of name, URI or URI
// template. Members of a feature are in the order in which the server lists them. An
// argument without an inner structure takes one line, so that a change of it is a
// change of that line. Lists without features are left out.
func (c *Contract) Marshal() []byte {
	v := &value{kind: object}
	if c.server != nil {
		v.members = append(v.members, member{"server", c.server})
	}
	for _, l := range lists {
		if !c.known[l.kind] || c.server != nil && len(c.features[l.kind]) == 0 {
			continue
		}
		list := &value{kind: array}
		for _, f := range c.features[l.kind] {
			list.items = append(list.items, f.value)
		}
		v.members = append(v.members, member{l.member, list})
	}
	var b strings.Builder
	v.write(&b, "", 0)
	b.WriteByte('\n')
	return []byte(b.String())
}

// write writes a value that begins behind used characters of a line.
func (v *value) write(b *strings.Builder, indent string, used int) {
	if v.flat() {
		if line := v.compact(); used+len(line) < width || len(v.items)+len(v.members) == 0 {
			b.WriteString(line)
			return
		}
	}
	inner := indent + "  "
	open, end := "[\n", "]"
	if v.kind == object {
		open, end = "{\n", "}"
	}
	b.WriteString(open)
	for i, item := range v.items {
		b.WriteString(inner)
		item.write(b, inner, len(inner))
		b.WriteString(separator(i, len(v.items)))
	}
	for i, m := range v.members {
		name := inner + quote(m.name) + ": "
		b.WriteString(name)
		m.value.write(b, inner, len(name))
		b.WriteString(separator(i, len(v.members)))
	}
	b.WriteString(indent + end)
}

func separator(i, n int) string {
	if i == n-1 {
		return "\n"
	}
	return ",\n"
}

// flat reports whether a value has no object inside, and no array of arrays.
func (v *value) flat() bool {
	for _, m := range v.members {
		if m.value.kind == object || m.value.kind == array && !m.value.flat() {
			return false
		}
	}
	for _, item := range v.items {
		if item.kind == object || item.kind == array {
			return false
		}
	}
	return true
}
