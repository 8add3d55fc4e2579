package mcpclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/internal/formfield"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Form describes the input that an [Elicitation] asks for: a flat list of fields
// (client/elicitation, requested schema). It is immutable, and several goroutines may use it.
type Form struct {
	Fields []Field // in the order of the schema

	byName map[string]*Field
}

// Field is a field of a [Form], as the server's schema describes it. A limit of zero may be absent
// or a real limit of zero: [Field.Check] distinguishes them.
type Field struct {
	mcp.FormField
	Pattern string // a string must match it

	rules formfield.Rules
}

// Label returns the title, or the name of a field without a title.
func (f *Field) Label() string {
	if f.Title != "" {
		return f.Title
	}
	return f.Name
}

// Check returns an error if the field does not accept a value. encoding/json marshals the value;
// nil means that the field was left out.
func (f *Field) Check(value any) error {
	text, err := marshal(value)
	if err != nil {
		return fmt.Errorf("field %s: %w", f.Name, err)
	}
	if string(text) == "null" {
		if f.Required && f.Default == "" {
			return fmt.Errorf("field %s: required, but missing", f.Name)
		}
		return nil
	}
	return f.check(text)
}

// check checks a JSON value.
func (f *Field) check(text []byte) error {
	d := wire.NewDecoder(text, wire.Options{})
	f.rules.Read(d)
	if err := d.Finish(); err != nil {
		return fmt.Errorf("field %s: %w", f.Name, err)
	}
	return nil
}

// Complete returns the content of an accepted form as it is sent: an object with the user's values,
// in the order of the fields, and the defaults of the fields that the user left out. The content is
// a struct or a map, JSON as a [json.RawMessage], or nil for defaults alone; null means that a
// field was left out. An error names the invalid field.
func (f *Form) Complete(content any) (json.RawMessage, error) {
	values, err := f.values(content)
	if err != nil {
		return nil, err
	}
	b := []byte{'{'}
	for i := range f.Fields {
		field := &f.Fields[i]
		value := values[field.Name]
		if value == nil && field.Default != "" {
			value = []byte(field.Default)
		}
		if value == nil {
			if field.Required {
				return nil, fmt.Errorf("field %s: required, but missing", field.Name)
			}
			continue
		}
		if err := field.check(value); err != nil {
			return nil, err
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = wire.AppendString(b, field.Name)
		b = append(b, ':')
		b = wire.AppendCompact(b, value)
	}
	return append(b, '}'), nil
}

// values returns the user's values by field name, without nulls.
func (f *Form) values(content any) (map[string][]byte, error) {
	text, err := marshal(content)
	if err != nil {
		return nil, fmt.Errorf("content of the form: %w", err)
	}
	if string(text) == "null" {
		return nil, nil
	}
	if err := wire.Valid(text, 0); err != nil {
		return nil, fmt.Errorf("content of the form: %w", err)
	}
	if text[0] != '{' {
		return nil, errors.New("content of the form: must be an object")
	}
	values := map[string][]byte{}
	jsonrpc.Members(text, func(name, value []byte) bool {
		switch {
		case f.byName[string(name)] == nil:
			err = fmt.Errorf("field %s: the form has no such field", shortText(string(name)))
		case string(value) != "null":
			values[string(name)] = value
		}
		return err == nil
	})
	return values, err
}

// marshal is json.Marshal without the escapes of HTML. A json.RawMessage remains unchanged.
func marshal(v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return []byte("null"), nil
	case json.RawMessage:
		if v == nil {
			return []byte("null"), nil
		}
		return bytes.Trim(v, " \t\r\n"), nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
