package schema

import (
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
)

// A list of types in the schema of a directive is published as alternatives.
func TestTypeLists(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":["string","null"]}`:                                   `{"anyOf":[{"type":"string"},{"type":"null"}]}`,
		`{"type":["string","null"],"minLength":2,"description":"a b"}`: `{"anyOf":[{"type":"string","minLength":2},{"type":"null"}],"description":"a b"}`,
		`{"type":"string"}`:                                            `{"type":"string"}`,
	} {
		s := check(t, "")
		form := &SchemaForm{JSON: text}
		if !s.goodSchema(site{}, form) || !jsontext.Equal(form.JSON, want) {
			t.Errorf("%s: got %s, want %s: %s", text, form.JSON, want, s.printed())
		}
		compile(t, form.JSON)
	}
	for _, text := range []string{`{"type":[]}`, `{"type":["sting","null"]}`, `{"type":[1]}`, `{"type":["string"],"anyOf":[{}]}`} {
		if s := check(t, ""); s.goodSchema(site{}, &SchemaForm{JSON: text}) {
			t.Errorf("%s is accepted", text)
		}
	}
}
