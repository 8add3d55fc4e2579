package formfield_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/formfield"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestRead(t *testing.T) {
	const none = formfield.None
	text := formfield.Rules{MinLength: none, MaxLength: none}
	choices := formfield.Rules{Kind: formfield.Choices, Choices: []string{"a", "b"}, MinItems: none, MaxItems: none}
	for _, c := range []struct {
		name  string
		rules formfield.Rules
		value string
		want  string // or the beginning of an error
	}{
		{"text", text, `"a"`, "a"},
		{"text", text, `7`, "must be a string"},
		{"no length", formfield.Rules{MinLength: none, MaxLength: 0}, `""`, ""},
		{"no length", formfield.Rules{MinLength: none, MaxLength: 0}, `"a"`, "must have at most 0 characters"},
		{"length", formfield.Rules{MinLength: 2, MaxLength: none}, `"é"`, "must have at least 2 characters, got 1"},
		{"pattern", formfield.Rules{MinLength: none, MaxLength: none, Pattern: "^a", Matches: func(s string) bool { return s[0] == 'a' }}, `"ba"`, "must match the pattern ^a"},
		{"format", formfield.Rules{MinLength: none, MaxLength: none, Format: "date"}, `"2025-02-30"`, "must be a date"},
		{"unknown format", formfield.Rules{MinLength: none, MaxLength: none, Format: "color"}, `"red"`, "red"},
		{"integer", formfield.Rules{Kind: formfield.Integer, Minimum: "-1", Maximum: "1e1"}, `10`, "10"},
		{"integer", formfield.Rules{Kind: formfield.Integer, Minimum: "-1"}, `-2`, "must be at least -1, got -2"},
		{"integer", formfield.Rules{Kind: formfield.Integer, Maximum: "1e1"}, `11`, "must be at most 10, got 11"},
		{"integer", formfield.Rules{Kind: formfield.Integer, Minimum: "many"}, `1.5`, "must be an integer"},
		{"number", formfield.Rules{Kind: formfield.Number, Minimum: "0.5"}, `0.5`, "0.5"},
		{"number", formfield.Rules{Kind: formfield.Number, Minimum: "0.5"}, `0.25`, "must be at least 0.5"},
		{"boolean", formfield.Rules{Kind: formfield.Boolean}, `true`, "true"},
		{"boolean", formfield.Rules{Kind: formfield.Boolean}, `"true"`, "must be a boolean"},
		{"choice", formfield.Rules{Kind: formfield.Choice, Choices: []string{"a", "b"}}, `"b"`, "b"},
		{"choice", formfield.Rules{Kind: formfield.Choice, Choices: []string{"a", "b"}}, `"c"`, "must be"},
		{"choices", choices, `["b","a"]`, "[b a]"},
		{"choices", choices, `[]`, "[]"},
		{"choices", choices, `["c"]`, "[0]: must be"},
		{"few choices", formfield.Rules{Kind: formfield.Choices, Choices: []string{"a"}, MinItems: 1, MaxItems: none}, `[]`, "must have at least 1 item"},
		{"many choices", formfield.Rules{Kind: formfield.Choices, Choices: []string{"a"}, MinItems: none, MaxItems: 0}, `["a"]`, "must have at most 0 items"},
	} {
		d := wire.NewDecoder([]byte(c.value), wire.Options{})
		got := fmt.Sprint(c.rules.Read(d))
		if err := d.Finish(); err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %s: %s, want %s", c.name, c.value, got, c.want)
		}
	}
}
