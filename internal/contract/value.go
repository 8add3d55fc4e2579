package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// maxDepth bounds how deep the JSON of a contract is nested.
const maxDepth = 500

type kind byte

const (
	null kind = iota
	boolean
	number
	text
	array
	object
)

// value is a JSON value that keeps the order of members and the text of numbers.
type value struct {
	kind    kind
	text    string // the unescaped text of a string, the JSON of any other scalar
	items   []*value
	members []member
}

type member struct {
	name  string
	value *value
}

var (
	trueValue  = &value{kind: boolean, text: "true"}
	falseValue = &value{kind: boolean, text: "false"}
)

// get returns a member of an object, nil if there is none or v is not an object.
func (v *value) get(name string) *value {
	if v == nil {
		return nil
	}
	for i := range v.members {
		if v.members[i].name == name {
			return v.members[i].value
		}
	}
	return nil
}

// str returns the text of a string member, "" if there is none.
func (v *value) str(name string) string {
	if m := v.get(name); m != nil && m.kind == text {
		return m.text
	}
	return ""
}

func (v *value) is(k kind) bool { return v != nil && v.kind == k }

// without returns v without some members: itself if it has none of them.
func (v *value) without(names ...string) *value {
	if !slices.ContainsFunc(v.members, func(m member) bool { return slices.Contains(names, m.name) }) {
		return v
	}
	rest := &value{kind: v.kind}
	for _, m := range v.members {
		if !slices.Contains(names, m.name) {
			rest.members = append(rest.members, m)
		}
	}
	return rest
}

// readValues reads a sequence of JSON values.
func readValues(data []byte) ([]*value, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var all []*value
	for {
		v, err := readValue(d, 0)
		if errors.Is(err, io.EOF) && v == nil {
			return all, nil
		}
		if err != nil {
			return nil, locate(data, d, err)
		}
		all = append(all, v)
	}
}

// locate adds the line to an error.
func locate(data []byte, d *json.Decoder, err error) error {
	at := d.InputOffset()
	if s, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = s.Offset
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the JSON ends in the middle")
	}
	line := 1 + bytes.Count(data[:min(int(at), len(data))], []byte("\n"))
	return fmt.Errorf("line %d: %w", line, err)
}

// readValue returns nil and io.EOF at the end.
func readValue(d *json.Decoder, depth int) (*value, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("the JSON is nested more than %d levels deep", maxDepth)
	}
	v := &value{}
	switch t := token.(type) {
	case nil:
		v.text = "null"
	case bool:
		v.kind, v.text = boolean, strconv.FormatBool(t)
	case json.Number:
		v.kind, v.text = number, t.String()
	case string:
		v.kind, v.text = text, t
	case json.Delim:
		if v.kind = object; t == '[' {
			v.kind = array
		}
		return v, v.fill(d, depth)
	}
	return v, nil
}

// fill reads what is in an array or object, and its end.
func (v *value) fill(d *json.Decoder, depth int) error {
	seen := map[string]bool{}
	for d.More() {
		m := member{}
		if v.kind == object {
			name, err := d.Token()
			if err != nil {
				return err
			}
			m.name, _ = name.(string)
			if seen[m.name] {
				return fmt.Errorf("the member %q is there twice", m.name)
			}
			seen[m.name] = true
		}
		item, err := readValue(d, depth+1)
		if err != nil {
			return err
		}
		if v.kind == array {
			v.items = append(v.items, item)
			continue
		}
		m.value = item
		v.members = append(v.members, m)
	}
	_, err := d.Token()
	return err
}

// quote writes a string as JSON, for people: < and > stay.
func quote(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}

// compact writes a value in one line, with a blank behind commas and colons.
func (v *value) compact() string {
	var b strings.Builder
	v.appendCompact(&b)
	return b.String()
}

func (v *value) appendCompact(b *strings.Builder) {
	switch v.kind {
	case array:
		b.WriteByte('[')
		for i, item := range v.items {
			if i > 0 {
				b.WriteString(", ")
			}
			item.appendCompact(b)
		}
		b.WriteByte(']')
	case object:
		b.WriteByte('{')
		for i, m := range v.members {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(quote(m.name) + ": ")
			m.value.appendCompact(b)
		}
		b.WriteByte('}')
	case text:
		b.WriteString(quote(v.text))
	default:
		b.WriteString(v.text)
	}
}

// json is the value for programs, nil for none.
func (v *value) json() json.RawMessage {
	if v == nil {
		return nil
	}
	return json.RawMessage(v.compact())
}

// canonical is the same text for values that are equal in JSON Schema: the order of
// members and the form of numbers do not matter.
func (v *value) canonical() string {
	var b strings.Builder
	v.appendCanonical(&b)
	return b.String()
}

func (v *value) appendCanonical(b *strings.Builder) {
	switch v.kind {
	case array:
		b.WriteByte('[')
		for _, item := range v.items {
			item.appendCanonical(b)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case object:
		b.WriteByte('{')
		for _, m := range sortedMembers(v) {
			b.WriteString(strconv.Quote(m.name) + ":")
			m.value.appendCanonical(b)
			b.WriteByte(',')
		}
		b.WriteByte('}')
	case text:
		b.WriteString(strconv.Quote(v.text))
	case number:
		if r := rational(v); r != nil {
			b.WriteString(r.RatString())
			return
		}
		b.WriteString(v.text)
	default:
		b.WriteString(v.text)
	}
}

func sortedMembers(v *value) []member {
	sorted := slices.Clone(v.members)
	slices.SortFunc(sorted, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return sorted
}

// equal reports whether two values are equal in JSON Schema; nil is only equal to nil.
func equal(a, b *value) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.canonical() == b.canonical()
}

// maxExponent bounds the memory for numbers such as 1e999999999.
const maxExponent = 2000

// rational returns the exact value of a number, nil if v is not a number or has too
// large an exponent.
func rational(v *value) *big.Rat {
	if !v.is(number) || len(v.text) > maxExponent {
		return nil
	}
	if i := strings.IndexAny(v.text, "eE"); i >= 0 {
		exponent, err := strconv.Atoi(v.text[i+1:])
		if err != nil || exponent > maxExponent || exponent < -maxExponent {
			return nil
		}
	}
	r, ok := new(big.Rat).SetString(v.text)
	if !ok {
		return nil
	}
	return r
}
