package jsontree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// maxDepth limits the nesting of values. The servers' JSON reader accepts 512 levels in schemas.
const maxDepth = 1000

// Read reads a sequence of JSON values.
func Read(data []byte) ([]*Value, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var all []*Value
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

// readValue reads a value. It returns nil and io.EOF at the end.
func readValue(d *json.Decoder, depth int) (*Value, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("the JSON is nested more than %d levels deep", maxDepth)
	}
	v := &Value{}
	switch t := token.(type) {
	case nil:
		v.Text = "null"
	case bool:
		v.Kind, v.Text = Boolean, strconv.FormatBool(t)
	case json.Number:
		v.Kind, v.Text = Number, t.String()
	case string:
		v.Kind, v.Text = Text, t
	case json.Delim:
		if v.Kind = Object; t == '[' {
			v.Kind = Array
		}
		return v, v.fill(d, depth)
	}
	return v, nil
}

// fill reads the content of an array or object, and its end.
func (v *Value) fill(d *json.Decoder, depth int) error {
	seen := map[string]bool{}
	for d.More() {
		m := Member{}
		if v.Kind == Object {
			name, err := d.Token()
			if err != nil {
				return err
			}
			m.Name, _ = name.(string)
			if seen[m.Name] {
				return fmt.Errorf("the member %q is there twice", m.Name)
			}
			seen[m.Name] = true
		}
		item, err := readValue(d, depth+1)
		if err != nil {
			return err
		}
		if v.Kind == Array {
			v.Items = append(v.Items, item)
			continue
		}
		m.Value = item
		v.Members = append(v.Members, m)
	}
	_, err := d.Token()
	return err
}
