package wire_test

import (
	"encoding/json"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// figure is a sealed interface, read and written like generated code does.
type figure interface{ figure() }

type circle struct{ R int }

type pair struct{ A, B figure }

func (circle) figure() {}
func (*pair) figure()  {}

var (
	figureKinds  = []string{"circle", "pair"}
	circleFields = wire.Fields{{Must: "type"}, {Must: "r"}}
	pairFields   = wire.Fields{{Must: "type"}, {Name: "a"}, {Name: "b"}}
)

func decodeFigure(d *wire.Decoder, v *figure) {
	switch d.Variant("type", figureKinds) {
	case "circle":
		var x circle
		if decodeCircle(d, &x); !d.Failed() {
			*v = x
		}
	case "pair":
		var x pair
		if decodePair(d, &x); !d.Failed() {
			*v = &x
		}
	}
}

func decodeCircle(d *wire.Decoder, v *circle) {
	for o := d.Object(circleFields); o.Next(); {
		if o.Name() == "r" {
			wire.Int(d, &v.R)
		}
	}
}

func decodePair(d *wire.Decoder, v *pair) {
	for o := d.Object(pairFields); o.Next(); {
		switch o.Name() {
		case "a":
			decodeFigure(d, &v.A)
		case "b":
			decodeFigure(d, &v.B)
		}
	}
}

func encodeFigure(e *wire.Encoder, v *figure) {
	switch x := (*v).(type) {
	case circle:
		encodeCircle(e, &x)
	case *circle:
		wire.PutVariant(e, x, encodeCircle)
	case *pair:
		wire.PutVariant(e, x, func(e *wire.Encoder, v *pair) {
			e.Begin()
			e.Tag("type", "pair")
			e.Name("a")
			encodeFigure(e, &v.A)
			e.Name("b")
			encodeFigure(e, &v.B)
			e.End()
		})
	default:
		wire.PutUnknown(e, x)
	}
}

func encodeCircle(e *wire.Encoder, v *circle) {
	e.Begin()
	e.Tag("type", "circle")
	e.Name("r")
	wire.PutInt(e, &v.R)
	e.End()
}

func TestUnion(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{"type":"circle","r":1}`, `{"type":"circle","r":1}`},
		{` { "r" : 1 , "\u0074ype" : "c\u0069rcle" } `, `{"type":"circle","r":1}`},
		{`{"b":{"r":2,"type":"circle"},"a":null,"type":"pair"}`, `{"type":"pair","a":null,"b":{"type":"circle","r":2}}`},
		{`{"type":"pair","a":{"a":{"r":3,"type":"circle"},"type":"pair"}}`, `{"type":"pair","a":{"type":"pair","a":{"type":"circle","r":3},"b":null},"b":null}`},
		{`{"r":1}`, `type: required, but missing; it must be one of "circle", "pair"`},
		{`{"type":"cirlce","r":1}`, `type: must be one of "circle", "pair", got "cirlce"; did you mean "circle"?`},
		{`{"type":5}`, `type: must be one of "circle", "pair", got a number 5`},
		{`{"type":null}`, `type: must be one of "circle", "pair", got null`},
		{`null`, `must be an object, got null`},
		{`[]`, `must be an object, got an array`},
		{`"{}"`, `must be an object, got a string "{}"`},
		{`{"type":"circle","r":"x","z":1}`, `r: must be an integer, got a string "x"; z: unknown argument. Known: type, r`},
		{`{"type":"pair","a":{"r":1},"b":{"type":"circle"}}`, `a.type: required, but missing; it must be one of "circle", "pair"; b.r: required, but missing`},
		{`{"type":"circle","type":"circle","r":1}`, `duplicate key "type" at offset 17`},
		{`{"r":1,"type":"circle","r":1}`, `duplicate key "r" at offset 23`},
		{`{"r":1,"type":tru}`, `unexpected character 't', want a value at offset 14 (in type)`},
		{`{"type":"\ud800"}`, ``},
		{`{"type":}`, ``},
		{`{"type":[}`, ``},
		{`{"type":{"a":1,"a":1}}`, ``},
		{`{"type":01}`, ``},
		{`"{`, ``},
		{`{"x":1`, ``},
		{`{"x":{"a":1,"a":2}}`, ``},
		{``, ``},
		{`{"type":"circle","r":1}}`, ``},
	} {
		d := wire.NewDecoder([]byte(tt.in), wire.Options{Help: wire.Advice()})
		var v figure
		decodeFigure(d, &v)
		err := d.Finish()
		if tt.want == "" {
			if syntax := new(wire.SyntaxError); !errors.As(err, &syntax) {
				t.Errorf("%s: %v, want a syntax error", tt.in, err)
			}
			continue
		}
		if err != nil {
			if strings.HasPrefix(tt.want, "unexpected") {
				if syntax := new(wire.SyntaxError); !errors.As(err, &syntax) {
					t.Errorf("%s: %v, want a syntax error", tt.in, err)
				}
			} else if got := strings.ReplaceAll(err.Error(), "argument;", "argument."); !strings.HasPrefix(got, tt.want) {
				t.Errorf("%s\n got %s\nwant %s", tt.in, got, tt.want)
			}
			continue
		}
		e := wire.NewEncoder(nil)
		encodeFigure(e, &v)
		if got := string(e.Bytes()); got != tt.want || e.Err() != nil {
			t.Errorf("%s\n got %s %v\nwant %s", tt.in, got, e.Err(), tt.want)
		}
	}
}

func TestUnionLenient(t *testing.T) {
	for in, want := range map[string]string{
		`{"r":1,"type":"circle"}`:               "",
		` {"r":1,"type":"circle"}`:              "",
		` {"type":"circle"}`:                    "r: required, but missing",
		`{"type":"x"}`:                          `type: must be one of "circle", "pair", got "x"`,
		`{"type":5}`:                            `type: must be one of "circle", "pair", got a number 5`,
		`{"r":1}`:                               `type: required, but missing; it must be one of "circle", "pair"`,
		`[]`:                                    `must be an object, got a string "[]"`,
		`["type","circle"]`:                     `must be an object, got a string "[\"type\",\"circle\"]"`,
		`x`:                                     `must be an object, got a string "x"`,
		``:                                      `must be an object, got a string ""`,
		` `:                                     `must be an object, got a string " "`,
		`{"r":1`:                                `must be an object, got a string "{\"r\":1"`,
		`{"type":"circle","r":1`:                `must be an object, got a string "{\"type\":\"circle\",\"r\":1"`,
		`{"type":"circle","r":1,"r":1}`:         `must be an object, got a string "{\"type\":\"circle\",\"r\":1,\"r\":1}"`,
		`{"type":"pair","a":{"type":"circle"}}`: `a.r: required, but missing`,
	} {
		d := wire.NewDecoder([]byte(quoted(in)), wire.Options{Help: wire.Leniency()})
		var v figure
		decodeFigure(d, &v)
		if got := message(d.Finish()); got != want {
			t.Errorf("%s:\n got %s\nwant %s", in, got, want)
		}
	}
	// Quoted texts nest four deep.
	text := `{"type":"circle","r":1}`
	for level := range 7 {
		d := wire.NewDecoder([]byte(text), wire.Options{Help: wire.Leniency()})
		var v figure
		decodeFigure(d, &v)
		if err := d.Finish(); (err == nil) != (level <= 4) {
			t.Errorf("%d texts in each other: %v", level, err)
		}
		text = `{"type":"pair","a":` + quoted(text) + `}`
	}
	// Variant returns a kind only for values that can be read as objects.
	for text, want := range map[string]string{
		`{"type":"circle"}`: "circle", `{"type":"circle"`: "", `{"type":"circle"} x`: "", `[{"type":"circle"}]`: "", `{"type":"circle","x":[[]]}`: "",
	} {
		d := wire.NewDecoder([]byte(quoted(text)), wire.Options{Help: wire.Leniency(), MaxDepth: 2})
		if got := d.Variant("type", figureKinds); got != want {
			t.Errorf("%s is a %q, want %q", text, got, want)
		}
	}
}

func quoted(text string) string { return string(wire.AppendString(nil, text)) }

type stranger struct{ circle }

func TestUnionUnknown(t *testing.T) {
	for _, v := range []figure{stranger{}, (*circle)(nil), (*pair)(nil)} {
		e := wire.NewEncoder(nil)
		encodeFigure(e, &v)
		if e.Err() == nil {
			t.Errorf("%T: no error: %s", v, e.Bytes())
		}
	}
}

func TestConvert(t *testing.T) {
	parse := func(s string) (time.Time, error) { return time.Parse(time.DateOnly, s) }
	for in, want := range map[string]string{
		`"2024-02-29"`: "", `"2024-02-30"`: `is not valid: parsing time "2024-02-30": day out of range; got a string "2024-02-30"`, `5`: `must be a string, got a number 5`,
	} {
		d := wire.NewDecoder([]byte(in), wire.Options{Help: wire.Advice()})
		var v time.Time
		wire.Convert(d, &v, wire.String, parse)
		err := d.Finish()
		if got := message(err); got != want {
			t.Errorf("%s: %s", in, got)
		}
		if err != nil && !v.IsZero() {
			t.Errorf("%s: set to %v", in, v)
		}
	}
	e := wire.NewEncoder(nil)
	v := time.Unix(0, 0).UTC()
	wire.PutConverted(e, &v, func(t time.Time) string { return t.Format(time.DateOnly) }, wire.PutString)
	if got := string(e.Bytes()); got != `"1970-01-01"` {
		t.Error(got)
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestFlagged(t *testing.T) {
	for in, want := range map[string]struct {
		n           int
		flag        bool
		plain, null string
	}{
		`5`:    {5, true, "", ""},
		`null`: {0, false, "must be an integer, got null", ""},
		`"x"`:  {0, false, `must be an integer, got a string "x"`, `must be an integer, got a string "x"`},
	} {
		var n int
		var flag bool
		d := wire.NewDecoder([]byte(in), wire.Options{Help: wire.Advice()})
		wire.Flagged(d, &n, &flag, wire.Int)
		if got := message(d.Finish()); got != want.plain || n != want.n || flag != want.flag {
			t.Errorf("%s: %d %v %s", in, n, flag, got)
		}
		d.Reset([]byte(in), wire.Options{Help: wire.Advice()})
		wire.FlaggedOrNull(d, &n, &flag, wire.Int)
		if got := message(d.Finish()); got != want.null || n != want.n || flag != want.flag {
			t.Errorf("%s or null: %d %v %s", in, n, flag, got)
		}
		e := wire.NewEncoder(nil)
		wire.PutFlagged(e, &n, flag, wire.PutInt)
		if got := string(e.Bytes()); (got == "null") == flag {
			t.Errorf("%s: written as %s", in, got)
		}
	}
}

func TestTextOf(t *testing.T) {
	texts := []string{"10.0.0.1", "::1"}
	for in, want := range map[string]string{
		`"::1"`: "", `"x"`: `must be one of "10.0.0.1", "::1", got "x"`, `5`: `must be one of "10.0.0.1", "::1", got a number 5`,
	} {
		d := wire.NewDecoder([]byte(in), wire.Options{Help: wire.Advice()})
		var v netip.Addr
		wire.TextEnum(d, &v, (*netip.Addr).UnmarshalText, texts)
		if got := message(d.Finish()); got != want || v.IsValid() != (want == "") {
			t.Errorf("%s: %v %s", in, v, got)
		}
	}
	for in, want := range map[string]string{
		`"10.0.0.1"`: "", `"::1"`: `must be an IPv4 address`, `5`: "must be a string, got a number 5",
	} {
		d := wire.NewDecoder([]byte(in), wire.Options{Help: wire.Advice()})
		var v netip.Addr
		wire.FormattedText(d, &v, (*netip.Addr).UnmarshalText, wire.FormatIPv4)
		if got := message(d.Finish()); !strings.HasPrefix(got, want) || (got == "") != (want == "") || v.IsValid() != (want == "") {
			t.Errorf("%s: %v %s", in, v, got)
		}
	}
}

func TestNamedBytes(t *testing.T) {
	type color byte
	d := wire.NewDecoder([]byte(`"AQI="`), wire.Options{Help: wire.Advice()})
	var v []color
	wire.NamedBytes(d, &v)
	if err := d.Finish(); err != nil || len(v) != 2 || v[1] != 2 {
		t.Error(v, err)
	}
	e := wire.NewEncoder(nil)
	wire.PutNamedBytes(e, &v)
	if got := string(e.Bytes()); got != `"AQI="` {
		t.Error(got)
	}
}

// TestNilVariant writes nothing for a nil pointer in an interface: its discriminator would name a
// kind without a value.
func TestNilVariant(t *testing.T) {
	e := wire.NewEncoder(nil)
	wire.PutVariant(e, (*int)(nil), wire.PutInt)
	if err := e.Err(); err == nil || !strings.Contains(err.Error(), "a nil pointer in an interface has no JSON form") {
		t.Errorf("got %v", err)
	}
}

// TestNull distinguishes a null that is a value from the null written after a failure, and from
// other values.
func TestNull(t *testing.T) {
	var none *int
	number, list, text := 5, []*int{nil}, "null"
	for name, c := range map[string]struct {
		put  func(*wire.Encoder)
		want bool
	}{
		"nil pointer": {func(e *wire.Encoder) { wire.PutPtr(e, none, wire.PutInt) }, true},
		"flag":        {func(e *wire.Encoder) { wire.PutFlagged(e, &number, false, wire.PutInt) }, true},
		"nothing":     {func(*wire.Encoder) {}, false},
		"number":      {func(e *wire.Encoder) { wire.PutPtr(e, &number, wire.PutInt) }, false},
		"text":        {func(e *wire.Encoder) { wire.PutString(e, &text) }, false},
		"list": {func(e *wire.Encoder) {
			wire.PutSlice(e, list, func(e *wire.Encoder, v **int) { wire.PutPtr(e, *v, wire.PutInt) })
		}, false},
		"failure": {func(e *wire.Encoder) { e.Fail(errors.New("no")) }, false},
	} {
		e := wire.NewEncoder(nil)
		if c.put(e); e.Null() != c.want {
			t.Errorf("%s: %v for %s", name, e.Null(), e.Bytes())
		}
	}
}

// TestRaw stores the unchanged JSON of a value, and writes it without white space, both like
// json.RawMessage.
func TestRaw(t *testing.T) {
	for _, in := range []string{`{"d":[ null ]}`, `{"d": {"a" : 1,	"b":[ ] } }`, `{"d":  5}`, `{"d":"a \u0062"}`, "{\"d\":[\n1\r\n]}"} {
		var ours, theirs struct{ D json.RawMessage }
		d := wire.NewDecoder([]byte(in), wire.Options{Help: wire.Advice()})
		for o := d.Object(wire.Fields{{Name: "d"}}); o.Next(); {
			wire.Raw(d, &ours.D)
		}
		if err := d.Finish(); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(in), &theirs); err != nil || string(ours.D) != string(theirs.D) {
			t.Errorf("%s: %q instead of %q, %v", in, ours.D, theirs.D, err)
		}
		e := wire.NewEncoder(nil)
		wire.PutRaw(e, &ours.D)
		if want, err := json.Marshal(theirs.D); err != nil || string(e.Bytes()) != string(want) {
			t.Errorf("%s: written as %s instead of %s, %v", in, e.Bytes(), want, err)
		}
	}
}

func TestPutError(t *testing.T) {
	e := wire.NewEncoder(nil)
	wire.PutSlice(e, []error{errors.New("a"), nil}, wire.PutError)
	if got := string(e.Bytes()); got != `["a",null]` {
		t.Error(got)
	}
}

func TestNumberChecks(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"1", "1.0", 0}, {"-0", "0", 0}, {"0e5", "0", 0}, {"1e2", "100", 0}, {"1", "2", -1}, {"-1", "-2", 1}, {"-1", "1", -1}, {"0", "-1", 1},
		{"0.1", "0.09", 1}, {"10", "9", 1}, {"1.5", "1.49999999999999999999999", 1}, {"1e4096", "1e400", 1}, {"-1e4096", "1e-400", -1},
		{"123.456", "123.457", -1}, {"9007199254740993", "9007199254740992", 1}, {"1e-400", "0", 1}, {"12", "123", -1}, {"120", "12e1", 0},
	} {
		for _, check := range []struct {
			f    func(*wire.Decoder, json.Number, json.Number)
			fail bool
		}{
			{wire.NumberMinimum, tt.want < 0}, {wire.NumberMaximum, tt.want > 0},
			{wire.NumberExclusiveMinimum, tt.want <= 0}, {wire.NumberExclusiveMaximum, tt.want >= 0},
		} {
			d := wire.NewDecoder([]byte(tt.a), wire.Options{Help: wire.Advice()})
			var n json.Number
			wire.Number(d, &n)
			check.f(d, n, json.Number(tt.b))
			if err := d.Finish(); (err != nil) != check.fail {
				t.Errorf("%s and %s: %v", tt.a, tt.b, err)
			}
		}
	}
	for text, ok := range map[string]bool{"1.5": true, "0.3": false, "1e400": true, "0": true, "-2.5": true} {
		d := wire.NewDecoder([]byte(text), wire.Options{Help: wire.Advice()})
		var n json.Number
		wire.Number(d, &n)
		wire.NumberMultipleOf(d, n, "0.5")
		if err := d.Finish(); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}
