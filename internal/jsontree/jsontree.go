// Package jsontree reads JSON as a tree that keeps the order of members and the notation of
// numbers: the visible parts of a contract, and the schemas in it. It is not for files that are
// edited (package clients keeps positions and comments), and not for servers.
package jsontree

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Kind is the type of a value.
type Kind byte

const (
	Null Kind = iota
	Boolean
	Number
	Text
	Array
	Object
)

// Value is a JSON value. Functions do not modify it.
type Value struct {
	Kind    Kind
	Text    string // the unescaped value of a string, the JSON of any other scalar
	Items   []*Value
	Members []Member
}

// Member is one member of an object.
type Member struct {
	Name  string
	Value *Value
}

// The booleans.
var (
	True  = &Value{Kind: Boolean, Text: "true"}
	False = &Value{Kind: Boolean, Text: "false"}
)

// Get returns a member of an object, or nil if the object lacks it or v is not an object.
func (v *Value) Get(name string) *Value {
	if v == nil {
		return nil
	}
	for i := range v.Members {
		if v.Members[i].Name == name {
			return v.Members[i].Value
		}
	}
	return nil
}

// Str returns the value of a string member, or "" if it is missing or has another kind.
func (v *Value) Str(name string) string {
	if m := v.Get(name); m != nil && m.Kind == Text {
		return m.Text
	}
	return ""
}

// Is reports whether v is not nil and has a kind.
func (v *Value) Is(k Kind) bool { return v != nil && v.Kind == k }

// Without returns v without some members, or v itself if it contains none of them.
func (v *Value) Without(names ...string) *Value {
	if !slices.ContainsFunc(v.Members, func(m Member) bool { return slices.Contains(names, m.Name) }) {
		return v
	}
	rest := &Value{Kind: v.Kind}
	for _, m := range v.Members {
		if !slices.Contains(names, m.Name) {
			rest.Members = append(rest.Members, m)
		}
	}
	return rest
}

// Target returns the target of a $ref in the document v, or nil if it is in another document, at an
// anchor, or missing.
func (v *Value) Target(ref string) *Value {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	if unescaped, err := url.PathUnescape(pointer); err == nil {
		pointer = unescaped
	}
	if pointer == "" {
		return v
	}
	if pointer[0] != '/' {
		return nil
	}
	at := v
	for step := range strings.SplitSeq(pointer[1:], "/") {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		if at.Is(Array) {
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(at.Items) {
				return nil
			}
			at = at.Items[i]
		} else if at = at.Get(step); at == nil {
			return nil
		}
	}
	return at
}

// Quote returns a string as JSON for display: < and > are not escaped.
func Quote(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // strings can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}

// Compact returns a value on one line, with a blank after commas and colons.
func (v *Value) Compact() string {
	var b strings.Builder
	v.appendCompact(&b)
	return b.String()
}

func (v *Value) appendCompact(b *strings.Builder) {
	switch v.Kind {
	case Array:
		b.WriteByte('[')
		for i, item := range v.Items {
			if i > 0 {
				b.WriteString(", ")
			}
			item.appendCompact(b)
		}
		b.WriteByte(']')
	case Object:
		b.WriteByte('{')
		for i, m := range v.Members {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(Quote(m.Name) + ": ")
			m.Value.appendCompact(b)
		}
		b.WriteByte('}')
	case Text:
		b.WriteString(Quote(v.Text))
	default:
		b.WriteString(v.Text)
	}
}

// JSON returns the value as JSON for programs, or nil without a value.
func (v *Value) JSON() json.RawMessage {
	if v == nil {
		return nil
	}
	return json.RawMessage(v.Compact())
}
