// Package jsontext contains operations on the JSON texts in schemas, defaults and examples.
package jsontext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Decode reads one JSON text. Numbers keep their text.
func Decode(text string) (any, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if dec.More() {
		return nil, fmt.Errorf("more than one value")
	}
	return v, nil
}

// Valid reports whether a text is JSON in UTF-8.
func Valid(text string) bool { return json.Valid([]byte(text)) && utf8.ValidString(text) }

// Compact removes the white space of a JSON text and leaves its escapes unchanged.
func Compact(text string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) != nil {
		return text
	}
	return b.String()
}

// Array returns the elements of a JSON array, each as compact JSON text.
func Array(text string) ([]string, bool) {
	var raw []json.RawMessage
	if !strings.HasPrefix(strings.TrimSpace(text), "[") || json.Unmarshal([]byte(text), &raw) != nil {
		return nil, false
	}
	out := make([]string, len(raw))
	for i, e := range raw {
		out[i] = Compact(string(e))
	}
	return out, true
}

// Number reads a decimal number as JSON writes it. Exponents beyond the range of float64 are
// refused, since exact arithmetic with them takes too long.
func Number(text string) (*big.Rat, bool) {
	if text == "" || text[0] != '-' && (text[0] < '0' || text[0] > '9') || !Valid(text) {
		return nil, false
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		if e, err := strconv.Atoi(text[i+1:]); err != nil || e < -400 || e > 400 {
			return nil, false
		}
	}
	return new(big.Rat).SetString(text)
}

// Show returns the result of Decode as JSON text again.
func Show(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return "the value"
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Equal reports whether two scalars, given as JSON text, are equal by JSON Schema: 1 and 1.0 are.
func Equal(a, b string) bool {
	x, ok1 := Number(a)
	y, ok2 := Number(b)
	if ok1 && ok2 {
		return x.Cmp(y) == 0
	}
	u, err1 := Decode(a)
	v, err2 := Decode(b)
	return err1 == nil && err2 == nil && Show(u) == Show(v)
}

// Quote returns a string as JSON text, without HTML escapes.
func Quote(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) {
		return `"` + s + `"` // most names and texts
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}

// Take removes a member of a JSON object, and returns its text, or "", and the rest
// of the object.
func Take(text, name string) (member, rest string) {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &members) != nil || members[name] == nil {
		return "", text
	}
	member = Compact(string(members[name]))
	delete(members, name)
	return member, Show(members)
}

// Repeated returns the name of a member that an object of a valid JSON text contains twice, or "".
func Repeated(text string) string {
	type level struct {
		names map[string]bool // nil in an array
		name  bool            // a name comes next
	}
	var open []level
	dec := json.NewDecoder(strings.NewReader(text))
	for {
		token, err := dec.Token()
		if err != nil {
			return ""
		}
		if n := len(open); n > 0 && open[n-1].names != nil && token != json.Delim('}') {
			if top := &open[n-1]; top.name {
				name := token.(string)
				if top.names[name] {
					return name
				}
				top.names[name], top.name = true, false
				continue
			}
			open[n-1].name = true
		}
		switch token {
		case json.Delim('{'):
			open = append(open, level{map[string]bool{}, true})
		case json.Delim('['):
			open = append(open, level{})
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
		}
	}
}
