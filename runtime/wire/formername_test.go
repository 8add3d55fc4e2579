package wire

import (
	"fmt"
	"strings"
	"testing"
)

// TestFormerNames reads fields by their former names, with small and large tables.
func TestFormerNames(t *testing.T) {
	for _, c := range []struct {
		text string
		want string // a, b and c
		err  string
	}{
		{`{"a":1}`, "1 0 0", ""},
		{`{"old":1,"b":2}`, "1 2 0", ""},
		{`{"b":2,"old":1}`, "1 2 0", ""},
		{`{"\u006fld":1}`, "1 0 0", ""},
		{`{"older":1}`, "1 0 0", ""},
		{`{"a":1,"last":3}`, "1 0 3", ""},
		{`{"c":{"old":1},"a":1}`, "", `c: must be an integer, got an object`},
		{`{"b":2}`, "", "a: required, but missing"},
		{`{"old":"x"}`, "", `old: must be an integer, got a string "x"`},
		{`{"old":null}`, "", `old: must be an integer, got null`},
		{`{"a":1,"last":null}`, "1 0 0", ""},
		{`{"a":1,"old":1}`, "", `old: "a" is given twice: its former name is "old" or "older"`},
		{`{"old":1,"a":1}`, "", `a: "a" is given twice: its former name is "old" or "older"`},
		{`{"old":1,"b":[{"x":{"y":1}}],"a":1}`, "", "b: must be an integer, got an array; a: \"a\" is given twice: its former name is \"old\" or \"older\""},
		{`{"old":1,"older":1}`, "", `older: "a" is given twice: its former name is "old" or "older"`},
		{`{"old":1,"old":1}`, "", `duplicate key "old" at offset 9`},
		{`{"a":1,"a":1}`, "", `duplicate key "a" at offset 7`},
		{`{"a":1,"old":{"x":1,"x":1}}`, "", `duplicate key "x" at offset 20`},
		{`{"a":1,"Old":1}`, "", `Old: unknown argument. Known: a, b, c`},
		{`{"old" 1}`, "", `unexpected character '1', want a colon at offset 7`},
		{`{"a":1,"old" 1}`, "", `unexpected character '1', want a colon at offset 13`},
	} {
		for _, before := range []int{0, 70} { // fields before them in the table
			var fields Fields
			for i := range before {
				fields = append(fields, Field{Name: fmt.Sprint("f", i)})
			}
			fields = append(fields, Field{Must: "a", Aliases: []string{"old", "older"}}, Field{Name: "b"}, Field{Name: "c", Aliases: []string{"last"}})
			got := map[string]int{}
			d := NewDecoder([]byte(c.text), Options{Help: Advice()})
			for o := d.Object(fields); o.Next(); {
				v := 0
				Int(d, &v)
				got[o.Name()] = v
			}
			err := d.Finish()
			switch {
			case c.err == "" && err != nil, c.err != "" && (err == nil || !strings.HasPrefix(err.Error(), c.err)) && before == 0:
				t.Errorf("%s after %d: %v, want %q", c.text, before, err, c.err)
			case c.err != "" && err == nil:
				t.Errorf("%s after %d: no error", c.text, before)
			case c.err == "" && fmt.Sprint(got["a"], got["b"], got["c"]) != c.want:
				t.Errorf("%s after %d: %v, want %s", c.text, before, got, c.want)
			}
		}
	}
}
