package program

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// ArgumentError is an argument that cannot be converted to JSON.
type ArgumentError struct {
	Message string
	Hint    string // may be empty
}

// Error returns the message.
func (e *ArgumentError) Error() string { return e.Message }

// Arguments converts the words of a command line to the arguments object of a tool: either one word
// that is a JSON object, or any number of key=value, where the tool's plan determines the type of a
// value:
//
//   - where text is expected (strings, times, durations, base64) the value is the text unchanged,
//     also if it looks like a number;
//   - where a number or boolean is expected, a value in that form is a number or boolean;
//   - for an array a key may be repeated, each value being an element, or given once with a JSON
//     array;
//   - objects and maps are JSON, and so is any value where anything is allowed and the value parses
//     as JSON.
//
// Everything else is sent as text, so that the tool itself reports the error, in the words that a
// model would read. The result is compact JSON without newlines; members are in the order of the
// first occurrence of their keys.
func Arguments(input *model.Input, words []string) (json.RawMessage, error) {
	for _, word := range words {
		if !strings.HasPrefix(strings.TrimSpace(word), "{") {
			continue
		}
		if len(words) > 1 {
			return nil, &ArgumentError{Message: "arguments are either one JSON object or key=value pairs, not both"}
		}
		return compact(word)
	}
	fields := argumentFields(input)
	var keys []string
	values := make(map[string][]string)
	for _, word := range words {
		key, value, ok := strings.Cut(word, "=")
		if !ok || key == "" {
			return nil, notPair(word, fields)
		}
		if values[key] == nil {
			keys = append(keys, key)
		}
		values[key] = append(values[key], value)
	}
	out := []byte{'{'}
	for i, key := range keys {
		value, err := argument(key, fields[key], values[key])
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(appendText(out, key), ':'), value...)
	}
	return append(out, '}'), nil
}

// argumentFields returns the arguments of a tool by name.
func argumentFields(input *model.Input) map[string]*model.Field {
	fields := make(map[string]*model.Field)
	if input != nil && input.Object != nil {
		for _, f := range input.Object.Fields {
			fields[f.Name] = f
		}
	}
	return fields
}

func notPair(word string, fields map[string]*model.Field) error {
	e := &ArgumentError{Message: fmt.Sprintf("argument %q is neither key=value nor a JSON object", word)}
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	switch near := diag.Nearest(word, names); {
	case len(names) == 0:
		e.Hint = "it takes no arguments"
	case slices.Contains(names, word):
		e.Hint = "write " + word + "=VALUE"
	case near != "":
		e.Hint = "write " + near + "=VALUE"
	case len(names) == 1:
		e.Hint = "write " + quoteWord(names[0]+"="+word)
	default:
		e.Hint = "the arguments are " + strings.Join(names, ", ")
	}
	return e
}

// argument converts the values of one key. An unknown key is sent as text: the tool's response
// names the known ones.
func argument(key string, f *model.Field, values []string) (json.RawMessage, error) {
	var t *model.Type
	if f != nil {
		t = valueType(f.Type)
		if f.Quoted {
			t = nil // a number or boolean inside a string
		}
	}
	if t != nil && (t.Kind == model.Slice || t.Kind == model.Array) {
		return array(key, t, values)
	}
	if len(values) > 1 {
		return nil, &ArgumentError{Message: fmt.Sprintf("argument %s is given %d times, and is not an array", key, len(values))}
	}
	return value(key, t, values[0])
}

// array makes a JSON array of the values of one key.
func array(key string, t *model.Type, values []string) (json.RawMessage, error) {
	if len(values) == 1 {
		if text := strings.TrimSpace(values[0]); strings.HasPrefix(text, "[") || text == "null" {
			return compactArgument(key, text)
		}
	}
	out := []byte{'['}
	for i, text := range values {
		element, err := value(key, valueType(t.Elem), text)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, element...)
	}
	return append(out, ']'), nil
}

// value converts one value. A nil type means text.
func value(key string, t *model.Type, text string) (json.RawMessage, error) {
	kind := model.String
	if t != nil {
		kind = t.Kind
	}
	switch kind {
	case model.Bool, model.Int, model.Uint, model.Float, model.Number,
		model.Any, model.RawJSON, model.JSON, model.Reflect:
		if json.Valid([]byte(text)) {
			return compactArgument(key, text)
		}
	case model.Struct, model.Map, model.Slice, model.Array, model.Union:
		return compactArgument(key, text)
	}
	return appendText(nil, text), nil
}

// valueType returns the type behind pointers and conversions, which JSON does not show.
func valueType(t *model.Type) *model.Type {
	for t != nil {
		switch t.Kind {
		case model.Pointer, model.Flagged, model.Converted:
			t = t.Elem
			continue
		}
		break
	}
	return t
}

func compactArgument(key, text string) (json.RawMessage, error) {
	out, err := compact(text)
	if err != nil {
		return nil, &ArgumentError{Message: "argument " + key + ": " + err.Error(), Hint: "quote it for the shell: " + key + `='{"name": "value"}'`}
	}
	return out, nil
}

// compact checks JSON and removes its white space, since a message is one line. Otherwise it keeps
// the text: numbers keep their digits, and the server refuses duplicate keys.
func compact(text string) (json.RawMessage, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		return nil, &ArgumentError{Message: "not valid JSON: " + err.Error()}
	}
	return b.Bytes(), nil
}

func appendText(out []byte, s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // neither the string nor the buffer can fail
	return append(out, bytes.TrimSuffix(b.Bytes(), []byte{'\n'})...)
}

// quoteWord quotes for a shell where that is needed.
func quoteWord(s string) string {
	if strings.ContainsAny(s, " \t\"'$&|<>(){}[]*?;\\`!#~") {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}
