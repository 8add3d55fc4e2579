package reference

import (
	"bytes"
	"encoding/json"
	"errors"
)

// value is a JSON value, with members in their order.
type value struct {
	kind    byte // '{', '[', '"', 't', 'f', 'n', '0' for a number
	text    string
	names   []string
	members map[string]*value
	items   []*value
}

// parse reads one JSON value. Nesting is bounded by encoding/json.
func parse(text json.RawMessage) (*value, error) {
	var check any
	if err := json.Unmarshal(text, &check); err != nil { // bounds the depth, and reads to the end
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return read(dec)
}

func read(dec *json.Decoder) (*value, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case string:
		return &value{kind: '"', text: t}, nil
	case json.Number:
		return &value{kind: '0', text: string(t)}, nil
	case bool:
		if t {
			return &value{kind: 't', text: "true"}, nil
		}
		return &value{kind: 'f', text: "false"}, nil
	case nil:
		return &value{kind: 'n', text: "null"}, nil
	case json.Delim:
		return readInside(dec, t)
	}
	return nil, errors.New("unknown token")
}

func readInside(dec *json.Decoder, open json.Delim) (*value, error) {
	v := &value{kind: byte(open)}
	if open == '{' {
		v.members = map[string]*value{}
	}
	for dec.More() {
		name := ""
		if open == '{' {
			token, err := dec.Token()
			if err != nil {
				return nil, err
			}
			name, _ = token.(string)
		}
		item, err := read(dec)
		if err != nil {
			return nil, err
		}
		if open == '[' {
			v.items = append(v.items, item)
			continue
		}
		if v.members[name] == nil {
			v.names = append(v.names, name)
		}
		v.members[name] = item
	}
	_, err := dec.Token()
	return v, err
}

// get returns a member, nil if there is none. v may be nil.
func (v *value) get(name string) *value {
	if v == nil {
		return nil
	}
	return v.members[name]
}

// str is a member that is a string, "" otherwise.
func (v *value) str(name string) string {
	if m := v.get(name); m != nil && m.kind == '"' {
		return m.text
	}
	return ""
}

// is reports whether a member is true.
func (v *value) is(name string) bool {
	m := v.get(name)
	return m != nil && m.kind == 't'
}

// json is the value as JSON: in one line, or with members and items in lines of their own.
func (v *value) json(lines bool) string {
	var b bytes.Buffer
	v.write(&b)
	if !lines {
		return b.String()
	}
	var out bytes.Buffer
	if err := json.Indent(&out, b.Bytes(), "", "  "); err != nil {
		return b.String()
	}
	return out.String()
}

func (v *value) write(b *bytes.Buffer) {
	switch v.kind {
	case '{':
		b.WriteByte('{')
		for i, name := range v.names {
			if i > 0 {
				b.WriteByte(',')
			}
			writeText(b, name)
			b.WriteByte(':')
			v.members[name].write(b)
		}
		b.WriteByte('}')
	case '[':
		b.WriteByte('[')
		for i, item := range v.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.write(b)
		}
		b.WriteByte(']')
	case '"':
		writeText(b, v.text)
	default:
		b.WriteString(v.text)
	}
}

func writeText(b *bytes.Buffer, text string) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err == nil { // strings always have a form
		b.Truncate(b.Len() - 1) // the line end
	}
}
