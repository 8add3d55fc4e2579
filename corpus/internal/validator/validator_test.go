package validator

import "testing"

// Closed refuses at every depth what Open accepts, except in maps.
func TestClosed(t *testing.T) {
	schema := []byte(`{"type":"object","properties":{"list":{"type":"array","items":{"anyOf":[{"type":"object","properties":{"a":{"type":"string","contentEncoding":"base64"}}},{"type":"null"}]}},
		"map":{"type":"object","properties":{},"additionalProperties":{"type":"integer"}}}}`)
	open, err := Open(schema)
	if err != nil {
		t.Fatal(err)
	}
	closed, err := Closed(schema)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		value        any
		open, closed bool
	}{
		{map[string]any{"list": []any{map[string]any{"a": "YQ=="}, nil}, "map": map[string]any{"x": 1}}, true, true},
		{map[string]any{"b": 1}, true, false},
		{map[string]any{"list": []any{map[string]any{"b": 1}}}, true, false},
		{map[string]any{"map": map[string]any{"x": "1"}}, false, false},
		{map[string]any{"list": []any{map[string]any{"a": "?"}}}, false, false},
	} {
		if err := open.Validate(test.value); (err == nil) != test.open {
			t.Errorf("open: %v: %v", test.value, err)
		}
		if err := closed.Validate(test.value); (err == nil) != test.closed {
			t.Errorf("closed: %v: %v", test.value, err)
		}
	}
}
