package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestObjects checks which objects the loop accepts, apart from the messages.
func TestObjects(t *testing.T) {
	type args struct {
		A int
		B *int
		C any
	}
	fields := Fields{{Must: "a"}, {Name: "b"}, {Name: "c", Null: true}}
	one := 1
	for _, c := range []struct {
		text string
		want args
		err  string // start of the error
	}{
		{`{"a":1,"b":1,"c":1}`, args{1, &one, 1.0}, ""},
		{` { "c" : [ ] , "b" : 1 , "a" : 1 } `, args{1, &one, []any{}}, ""},
		{`{"\u0061":1}`, args{A: 1}, ""},
		{`{"a":1,"b":null,"c":null}`, args{A: 1}, ""},
		{`{"a":null}`, args{}, "a: must be an integer, got null"},
		{`{"A":1}`, args{}, `A: unknown argument; did you mean "a"?`},
		{`{"a\u0000":1}`, args{}, `["a\u0000"]: unknown argument`},
		{`{"a":1,"a":2}`, args{}, `duplicate key "a" at offset 7`},
		{`{"a":1,"\u0061":2}`, args{}, `duplicate key "a" at offset 7`},
		{`{"a":1,"x":2,"b":1,"x":2}`, args{}, `duplicate key "x" at offset 19`},
		{`{"a":1,"b":null,"b":1}`, args{}, `duplicate key "b" at offset 16`},
		{`{"a":1,"c":{"k":[{"m":1,"m":1}]}}`, args{}, `duplicate key "m" at offset 24 (in c.k[0])`},
		{`{"a":1,"x":{"k":1,"k":1}}`, args{}, `duplicate key "k" at offset 18`},
		{`{"a":1,}`, args{}, `unexpected character '}', want a member name in quotes at offset 7`},
		{`{"a":1 "b":1}`, args{}, `unexpected character '"', want a comma or a closing brace at offset 7`},
		{`{"a" 1}`, args{}, `unexpected character '1', want a colon at offset 5`},
		{`{"a":}`, args{}, `unexpected character '}', want a value at offset 5`},
		{`{"a":1`, args{}, `unexpected end of the text, want a comma or a closing brace at offset 6`},
		{`{"a":01}`, args{}, `number with a leading zero at offset 5`},
		{`{"a":1x}`, args{}, `unexpected character 'x', want a comma or a closing brace at offset 6`},
		{`{"a":1}}`, args{}, `unexpected character '}' after the value at offset 7`},
		{`{"a":1}` + "\x00", args{}, `unexpected character '\x00' after the value at offset 7`},
		{`{"a":"` + "\xff" + `"}`, args{}, `invalid UTF-8: byte 0xff inside a string at offset 6`},
		{`{"a":"\ud83d"}`, args{}, `lone surrogate \ud83d inside a string: it is half of a character, and the other half is missing at offset 6`},
		{`{"a":"` + "\n" + `"}`, args{}, `control character 0x0a inside a string, which must be escaped at offset 6`},
		{`{"a":` + "\xff}", args{}, `unexpected byte 0xff, want a value at offset 5`},
		{`{"a":` + "\uFFFD}", args{}, `unexpected character '�', want a value at offset 5`},
		{`{"a":nul}`, args{}, `unexpected character 'n', want a value at offset 5`},
		{`{"b":nul}`, args{}, `unexpected character 'n', want a value at offset 5`},
		{"\uFEFF{}", args{}, `unexpected byte order mark, want a value at offset 0`},
		{``, args{}, `unexpected end of the text, want a value at offset 0`},
		{`null`, args{}, `must be an object, got null`},
	} {
		var got args
		d := NewDecoder([]byte(c.text), Options{Help: Advice()})
		for o := d.Object(fields); o.Next(); {
			switch o.Name() {
			case "a":
				Int(d, &got.A)
			case "b":
				Ptr(d, &got.B, Int[int])
			case "c":
				Any(d, &got.C)
			}
		}
		err := d.Finish()
		switch {
		case c.err == "" && err != nil, c.err != "" && (err == nil || !strings.HasPrefix(err.Error(), c.err)):
			t.Errorf("%s: got %v, want %s", c.text, err, c.err)
		case c.err == "":
			equal(t, got, c.want)
		}
		if again := d.Finish(); again != err {
			t.Errorf("%s: a second Finish gives %v, the first %v", c.text, again, err)
		}
	}
}

// TestNoMemberWithoutValue: the loop gets no member if the text ends before its value or is not
// JSON, and no function that reads a key or a value is called.
func TestNoMemberWithoutValue(t *testing.T) {
	for _, text := range []string{
		`{"a":`, `{"a": `, `{"a" :`, `{"\u0061":`, `{"a":` + "\x00", `{"a"`, `{"a" 1`, `{"a`, `{"\ud800":1}`, `{"":`, `{1:1}`, `{`,
	} {
		for name, read := range map[string]func(*Decoder, func()){
			"Object": func(d *Decoder, called func()) {
				for o := d.Object(Fields{{Name: "a"}, {Name: ""}}); o.Next(); {
					called()
				}
			},
			"OpenObject": func(d *Decoder, called func()) {
				for o := d.OpenObject(nil); o.Next(); {
					called()
				}
			},
			"Map": func(d *Decoder, called func()) {
				var m map[string]int
				Map(d, &m, func(*Decoder, *int) { called() })
			},
			"MapText": func(d *Decoder, called func()) {
				var m map[string]int
				MapText(d, &m, func(*string, []byte) error { called(); return nil }, func(*Decoder, *int) { called() })
			},
		} {
			d := NewDecoder([]byte(text), Options{Help: Advice()})
			read(d, func() { t.Errorf("%s: called for %q", name, text) })
			if err, ok := d.Finish().(*SyntaxError); !ok {
				t.Errorf("%s: %q: %v", name, text, err)
			}
		}
	}
}

// TestNothingAfterSyntaxError counts the calls for the elements of arrays.
func TestNothingAfterSyntaxError(t *testing.T) {
	for _, text := range []string{`",", "\x"`, `",","\ud800"`, `",","\u12"`, `1,"` + "\x01\"", `1,"` + "\xff\"", `1,01`, `1,tru`, `1,-`, `1,{"a":1,"a":1}`, `1,{"a":1 "b":2}`} {
		n := 0
		err := decode("["+text+",1,2,3]", Options{Help: Advice()}, new([]int), func(d *Decoder, v *[]int) {
			Slice(d, v, func(d *Decoder, _ *int) {
				n++
				d.Skip()
			})
		})
		if _, ok := err.(*SyntaxError); !ok || n != 2 {
			t.Errorf("%s: %d elements, %v", text, n, err)
		}
	}
}

// TestNullMembers reads null for optional members, which counts as absent unless the field has
// Null.
func TestNullMembers(t *testing.T) {
	fields := Fields{{Must: "a"}, {Name: "b"}, {Name: "c", Null: true}}
	for _, text := range []string{`{"a":null,"b":null,"c":null}`, `{ "c" : null, "b" : null, "a" : null }`} {
		var names []string
		d := NewDecoder([]byte(text), Options{Help: Advice()})
		for o := d.Object(fields); o.Next(); {
			names = append(names, o.Name())
			d.Skip()
		}
		slices.Sort(names)
		equal(t, names, []string{"a", "c"})
		if err := d.Finish(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestInvalidKeys reads maps with names that are not valid keys.
func TestInvalidKeys(t *testing.T) {
	for text, want := range map[string]string{
		`{"x":1,"x":2}`:      `duplicate key "x" at offset 7`,
		`{"x":1,"\u0078":2}`: `duplicate key "x" at offset 7`,
		`{"1.5":1}`:          `["1.5"]: the name must be an integer in plain digits`,
		`{"1a":1}`:           `1a: the name must be an integer in plain digits`,
		`{"128":1}`:          `128: the name must be at most 127`,
		`{"-129":1}`:         `-129: the name must be at least -128`,
	} {
		err := decode(text, Options{Help: Advice()}, new(map[int8]int), func(d *Decoder, v *map[int8]int) { MapInt(d, v, Int[int]) })
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// TestOddNames reads names that JSON escapes.
func TestOddNames(t *testing.T) {
	fields := Fields{{Name: `a"b`}, {Name: `c\d`}, {Name: "e\nf"}, {Name: "größe"}, {Name: ""}}
	for text, want := range map[string]string{
		`{"a\"b":1,"c\\d":1,"e\nf":1,"größe":1,"":1}`: "",
		`{"gr\u00f6\u00dfe":1,"\u0061\u0022b":1}`:     "",
		`{"a"b":1}`:                    "unexpected character 'b', want a colon at offset 4 (in a)",
		`{"c\d":1}`:                    "invalid escape sequence inside a string at offset 3",
		"{\"e\nf\":1}":                 "control character 0x0a inside a string, which must be escaped at offset 3",
		`{"größe":1,"größe":1}`:        `duplicate key "größe" at offset 13`,
		`{"":1,"":2}`:                  `duplicate key "" at offset 6`,
		`{"":1,"a\"b":1,"a\u0022b":2}`: `duplicate key "a\"b" at offset 15`,
	} {
		d := NewDecoder([]byte(text), Options{Help: Advice()})
		for o := d.Object(fields); o.Next(); {
			d.Skip()
		}
		if err := d.Finish(); want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// TestLoopThatReadsNothing has a switch without a case for a member.
func TestLoopThatReadsNothing(t *testing.T) {
	d := NewDecoder([]byte(`{"a":{"x":[1,2]},"b":"y"}`), Options{Help: Advice()})
	n := 0
	for o := d.Object(Fields{{Name: "a"}, {Name: "b"}}); o.Next(); {
		n++
	}
	if err := d.Finish(); err != nil || n != 2 {
		t.Errorf("%d members, %v", n, err)
	}
}

func TestOpenObject(t *testing.T) {
	read := func(text string) (names []string, err error) {
		d := NewDecoder([]byte(text), Options{Help: Advice()})
		for o := d.OpenObject(Fields{{Must: "a"}}); o.Next(); {
			names = append(names, o.Name())
		}
		return names, d.Finish()
	}
	names, err := read(`{"z":null,"a":1,"\u0079":[{}]}`)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, names, []string{"z", "a", "y"})
	if _, err := read(`{"z":null,"a":1,"\u007a":1}`); err == nil || !strings.HasPrefix(err.Error(), `duplicate key "z"`) {
		t.Error(err)
	}
	if _, err := read(`{}`); err == nil || err.Error() != "a: required, but missing" {
		t.Error(err)
	}
}

func TestManyFields(t *testing.T) {
	for _, n := range []int{63, 64, 65, 128, 129, 300} {
		var fields Fields
		var b strings.Builder
		for i := range n {
			fields = append(fields, Field{Must: fmt.Sprint("f", i)})
			fmt.Fprintf(&b, `,"f%d":%d`, n-1-i, i)
		}
		text := "{" + b.String()[1:] + "}"
		sum := 0
		read := func(text string) error {
			sum = 0
			d := NewDecoder([]byte(text), Options{Help: Advice()})
			for o := d.Object(fields); o.Next(); {
				v := 0
				Int(d, &v)
				sum += v
			}
			return d.Finish()
		}
		if err := read(text); err != nil || sum != n*(n-1)/2 {
			t.Errorf("%d fields: sum %d, %v", n, sum, err)
		}
		last := fmt.Sprintf("f%d", n-1)
		if err := read(strings.Replace(text, `"`+last+`"`, `"f0"`, 1)); err == nil || !strings.HasPrefix(err.Error(), `duplicate key "f0"`) {
			t.Errorf("%d fields, f0 twice: %v", n, err)
		}
		missing := strings.Replace(text, `"`+last+`":0,`, "", 1)
		if err := read(missing); err == nil || err.Error() != last+": required, but missing" {
			t.Errorf("%d fields, %s missing: %v", n, last, err)
		}
	}
}

// TestDuplicatesAmongMany reads more names than are compared one by one, at several levels, with
// all readers that have no table of fields.
func TestDuplicatesAmongMany(t *testing.T) {
	object := func(n int, inner string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"k%d":%s`, i, inner)
		}
		return "{" + b.String()[1:]
	}
	readers := map[string]func(*Decoder){
		"Skip": (*Decoder).Skip, "Any": reader(Any), "Raw": reader(Raw[json.RawMessage]),
		"Map": reader(func(d *Decoder, v *map[string]any) { Map(d, v, Any) }),
		"OpenObject": func(d *Decoder) {
			for o := d.OpenObject(nil); o.Next(); {
			}
		},
		"Object": func(d *Decoder) {
			for o := d.Object(nil); o.Next(); {
			}
		},
	}
	for name, read := range readers {
		for _, n := range []int{1, 15, 16, 17, 33, 200} {
			inner := object(n, "0") + "}"
			for text, want := range map[string]string{
				object(n, inner) + "}":                     "",
				object(n, inner) + `,"k0":0}`:              `duplicate key "k0"`,
				object(n, inner) + `,"\u006b` + `0":0}`:    `duplicate key "k0"`,
				object(n, object(n, "0")+`,"k0":0}`) + "}": `duplicate key "k0"`,
				object(n, inner) + `,"new":0}`:             "",
			} {
				d := NewDecoder([]byte(text), Options{Help: Advice()})
				read(d)
				err := d.Finish()
				var args *ArgumentsError
				if errors.As(err, &args) {
					err = nil // unknown members, which Object must report
				}
				if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
					t.Errorf("%s, %d names: %v, want %q", name, n, err, want)
				}
			}
		}
	}
}

func TestDepth(t *testing.T) {
	nest := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, c := range []struct{ n, limit int }{{512, 0}, {3, 3}, {1, 1}} {
		if err := Valid([]byte(nest(c.n)), c.limit); err != nil {
			t.Errorf("depth %d of %d: %v", c.n, c.limit, err)
		}
		err := Valid([]byte(nest(c.n+1)), c.limit)
		if err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("nested deeper than %d levels at offset %d", c.n, c.n)) {
			t.Errorf("depth %d of %d: %v", c.n+1, c.limit, err)
		}
		for _, read := range []func(*Decoder){reader(Any), reader(deep)} {
			d := NewDecoder([]byte(nest(c.n+1)), Options{MaxDepth: c.limit})
			read(d)
			if err := d.Finish(); err == nil {
				t.Errorf("depth %d of %d is accepted", c.n+1, c.limit)
			}
		}
	}
	if err := Valid([]byte(strings.Repeat("[", 1<<20)), 0); err == nil {
		t.Error("a million brackets are accepted")
	}
}

type tree struct{ children []tree }

func deep(d *Decoder, v *tree) { Slice(d, &v.children, deep) }

// TestReset reads many texts with one decoder, some of which fail at any position.
func TestReset(t *testing.T) {
	d := NewDecoder([]byte(`{"a":[{"b":[1,`), Options{Help: Advice()})
	reader(Any)(d)
	if d.Finish() == nil {
		t.Error("half a text is accepted")
	}
	for range 3 {
		d.Reset([]byte(`{"k":[1,{"k":2}]}`), Options{Help: Advice()})
		var v any
		Any(d, &v)
		if err := d.Finish(); err != nil {
			t.Fatal(err)
		}
		equal(t, v, any(map[string]any{"k": []any{1.0, map[string]any{"k": 2.0}}}))
		d.Reset([]byte(`{"x":"y"`), Options{Help: Leniency()})
		d.Reset([]byte(`[1,2`), Options{Help: Advice()})
		d.Skip()
		if d.Finish() == nil {
			t.Error("half an array is accepted")
		}
		if d.data != nil || d.chunk.Cap() != 0 || d.texts != nil || d.trail.steps != nil {
			t.Error("the input is kept")
		}
		for _, k := range d.keys.names[:cap(d.keys.names)] {
			if k.text != nil {
				t.Error("a name of the input is kept")
			}
		}
	}
}
