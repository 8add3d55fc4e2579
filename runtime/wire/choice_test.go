package wire_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A choice must be one of the values registered under its name.
func TestStringChoice(t *testing.T) {
	type region string
	options := wire.Options{Help: wire.Advice(), Choices: map[string]*wire.Choices{
		"Regions": wire.NewChoices([]string{"north", "south"}), "One": wire.NewChoices([]string{"east"}), "Blank": wire.NewChoices([]string{"", "a"}),
	}}
	for _, test := range []struct{ json, name, want string }{
		{`"north"`, "Regions", ""},
		{`"south"`, "Regions", ""},
		{`"s\u006futh"`, "Regions", ""},
		{`"South"`, "Regions", `must be one of "north", "south", got "South"; did you mean "south"?`},
		{`"east"`, "Regions", `must be one of "north", "south", got "east"`},
		{`""`, "Regions", `must be one of "north", "south", got ""`},
		{`"north"`, "One", `must be "east", got "north"`},
		{`"east"`, "One", ""},
		{`""`, "Blank", ""},
		{`"north"`, "None", `must be , got "north"`},
		{`7`, "Regions", `must be one of "north", "south", got a number 7`},
		{`["north"]`, "Regions", `must be one of "north", "south", got an array`},
	} {
		d := wire.NewDecoder([]byte(test.json), options)
		v := region("before")
		wire.StringChoice(d, &v, test.name)
		got := ""
		if err := d.Finish(); err != nil {
			if v != "before" {
				t.Errorf("%s: the variable is %q", test.json, v)
			}
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

// In lenient mode an empty text for an optional choice is a missing value, as for an enumeration,
// unless it is a choice.
func TestLenientChoice(t *testing.T) {
	for _, test := range []struct {
		values   []string
		required bool
		text     string
		want     string
	}{
		{[]string{"dev", "prod"}, false, `""`, "dev dev"},
		{[]string{"dev", "prod"}, false, `"prod"`, "prod dev"},
		{[]string{"dev", ""}, false, `""`, " dev"},
		{[]string{"dev", "prod"}, true, `""`, "error"},
		{[]string{"dev", "prod"}, false, `"test"`, "error"},
	} {
		for _, member := range []string{"context", "contexts"} {
			d := wire.NewDecoder([]byte(`{"`+member+`":`+test.text+`}`),
				wire.Options{Help: wire.Leniency(), Choices: map[string]*wire.Choices{"Contexts": wire.NewChoices(test.values)}})
			context, contexts := "dev", []string{"dev"}
			field := wire.Field{Name: member}
			if test.required {
				field = wire.Field{Must: member}
			}
			for o := d.Object(wire.Fields{field}); o.Next(); {
				switch o.Name() {
				case "context":
					wire.StringChoice(d, &context, "Contexts")
				case "contexts":
					wire.Slice(d, &contexts, func(d *wire.Decoder, v *string) { wire.StringChoice(d, v, "Contexts") })
				}
			}
			got, want := context+" "+strings.Join(contexts, ","), test.want
			if err := d.Finish(); err != nil {
				got = "error"
			}
			if first, second, ok := strings.Cut(want, " "); ok && member == "contexts" {
				want = second + " " + first
			}
			if got != want {
				t.Errorf("%s %s of %q: got %q, want %q", member, test.text, test.values, got, want)
			}
		}
	}
}

// manyChoices returns more choices than a client could guess one by one.
func manyChoices() []string {
	values := make([]string, 20_000)
	for i := range values {
		values[i] = fmt.Sprintf("value-%05d", i)
	}
	return values
}

// readChoices reads a list that contains the same string 50,000 times.
func readChoices(choices *wire.Choices, value string) (all []string, err error) {
	text := "[" + strings.Repeat(`"`+value+`",`, 49_999) + `"` + value + `"]`
	d := wire.NewDecoder([]byte(text), wire.Options{Help: wire.Advice(), Choices: map[string]*wire.Choices{"Values": choices}})
	wire.Slice(d, &all, func(d *wire.Decoder, v *string) { wire.StringChoice(d, v, "Values") })
	return all, d.Finish()
}

// A list of many strings that are not choices gets a short message.
func TestManyChoices(t *testing.T) {
	values := manyChoices()
	choices := wire.NewChoices(values)
	all, err := readChoices(choices, values[len(values)-1])
	if err != nil || len(all) != 50_000 || all[0] != values[len(values)-1] {
		t.Fatal(len(all), err)
	}
	_, err = readChoices(choices, "value-x")
	if e, ok := errors.AsType[*wire.ArgumentsError](err); !ok || len(e.Error()) > 50_000 {
		t.Errorf("%.200v", err)
	}
}
