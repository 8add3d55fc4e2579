package wire_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A choice is one of the values under its name, and what is wrong before it is said once.
func TestChoice(t *testing.T) {
	type region string
	options := wire.Options{Choices: map[string][]string{"Regions": {"north", "south"}, "One": {"east"}}}
	for _, test := range []struct{ json, name, want string }{
		{`"north"`, "Regions", ""},
		{`"south"`, "Regions", ""},
		{`"s\u006futh"`, "Regions", ""},
		{`"South"`, "Regions", `must be one of "north", "south", got "South"; did you mean "south"?`},
		{`"east"`, "Regions", `must be one of "north", "south", got "east"`},
		{`""`, "Regions", `must be one of "north", "south", got ""`},
		{`"north"`, "One", `must be "east", got "north"`},
		{`"east"`, "One", ""},
		{`7`, "Regions", `must be a string, got a number 7`},
	} {
		d := wire.NewDecoder([]byte(test.json), options)
		var v region
		wire.String(d, &v)
		wire.Choice(d, v, test.name)
		got := ""
		if err := d.Finish(); err != nil {
			problems := err.(*wire.ArgumentsError).Problems
			if len(problems) != 1 {
				t.Errorf("%s: %v", test.json, problems)
			}
			got = problems[0].Message
		}
		if got != test.want {
			t.Errorf("%s of %s: %s, want %s", test.json, test.name, got, test.want)
		}
	}
}
