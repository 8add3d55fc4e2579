package wire

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestEndsAtOneProblemTooMany counts the bytes read of a value that is wrong everywhere.
func TestEndsAtOneProblemTooMany(t *testing.T) {
	kinds := []string{"alpha", "beta", "gamma"}
	integer := Int[int]
	for name, c := range map[string]struct {
		element string
		read    func(*Decoder, *any)
	}{
		"enum":     {`"alpah"`, func(d *Decoder, _ *any) { var s string; StringEnum(d, &s, kinds) }},
		"type":     {`"x"`, func(d *Decoder, _ *any) { var i int; Int(d, &i) }},
		"unknown":  {`{"alpah":1}`, func(d *Decoder, _ *any) { readFields(d, Fields{{Name: "alpha"}}) }},
		"missing":  {`{}`, func(d *Decoder, _ *any) { readFields(d, Fields{{Must: "alpha"}}) }},
		"kind":     {`{"kind":"alpah"}`, func(d *Decoder, _ *any) { d.Variant("kind", kinds) }},
		"keys":     {`{"x":1}`, func(d *Decoder, _ *any) { var m map[int]int; MapInt(d, &m, integer) }},
		"text":     {`"x"`, func(d *Decoder, _ *any) { var x big.Int; Text(d, &x, (*big.Int).UnmarshalText) }},
		"quoted":   {`"x"`, func(d *Decoder, _ *any) { var i int; Quoted(d, &i, integer) }},
		"lenient":  {`"[\"x\"]"`, func(d *Decoder, _ *any) { var l []int; Slice(d, &l, integer) }},
		"any":      {`1e999`, Any},
		"array":    {`[1]`, func(d *Decoder, _ *any) { Array(d, make([]int, 2), integer) }},
		"members":  {`{"a":"x"}`, func(d *Decoder, _ *any) { var m map[string]int; Map(d, &m, integer) }},
		"nullable": {`"x"`, func(d *Decoder, _ *any) { var p *int; Nullable(d, &p, integer) }},
	} {
		for _, limit := range []int{0, 3} {
			most := limit
			if limit == 0 {
				most = DefaultMaxProblems
			}
			read := 0
			decode := func(text string) error {
				read = 0
				var list []any
				d := NewDecoder([]byte(text), Options{MaxProblems: limit, Help: help(name == "lenient")})
				Slice(d, &list, func(d *Decoder, v *any) { read++; c.read(d, v) })
				return d.Finish()
			}
			many := strings.Repeat(c.element+",", 1000)
			err := decode("[" + many + c.element + "]")
			args, ok := errors.AsType[*ArgumentsError](err)
			if !ok || len(args.Problems) != most || !args.More {
				t.Errorf("%s: %v", name, err)
			}
			if read > most+1 {
				t.Errorf("%s: %d elements were read, %d problems are kept", name, read, most)
			}
			// A syntax error takes precedence, at any position.
			err = decode("[" + many + c.element + "}")
			if syntax, ok := errors.AsType[*SyntaxError](err); !ok || syntax.Offset != len(many)+len(c.element)+1 {
				t.Errorf("%s: %v", name, err)
			}
			if err = decode("[" + many + `{"x":1,"x":2}]`); err == nil || !strings.Contains(err.Error(), `duplicate key "x"`) {
				t.Errorf("%s: %v", name, err)
			}
			// Exactly MaxProblems violations do not end the reading.
			many = strings.Repeat(c.element+",", most-1)
			if args, ok := errors.AsType[*ArgumentsError](decode("[" + many + c.element + "]")); !ok || ok && args.More {
				t.Errorf("%s: %v", name, args)
			}
		}
	}
}

func readFields(d *Decoder, fields Fields) {
	for o := d.Object(fields); o.Next(); {
	}
}

// countdown returns an error after a number of calls.
type countdown struct{ asked, after int }

func (c *countdown) Err() error {
	if c.asked++; c.asked > c.after {
		return context.DeadlineExceeded
	}
	return nil
}

func TestContextEndsReading(t *testing.T) {
	const size = 1 << 19
	for name, c := range map[string]struct {
		text string
		read func(*Decoder)
	}{
		"list":  {"[" + strings.Repeat("1,", size/2) + "1]", func(d *Decoder) { var l []int; Slice(d, &l, Int[int]) }},
		"any":   {"[" + strings.Repeat(`{"a":[]},`, size/9) + "1]", func(d *Decoder) { var v any; Any(d, &v) }},
		"skip":  {"[" + strings.Repeat(`{"a":[]},`, size/9) + "1]", func(d *Decoder) { d.Skip() }},
		"text":  {`"[` + strings.Repeat("1,", size/2) + `1]"`, func(d *Decoder) { var l []int; Slice(d, &l, Int[int]) }},
		"texts": {"[" + strings.Repeat(`"[1,1,1]",`, size/10) + "[]]", func(d *Decoder) { var l [][]int; Slice(d, &l, sliceOf(Int[int])) }},
		"object": {"[" + strings.Repeat(`{"a":null},`, size/11) + "{}]", func(d *Decoder) {
			var l []int
			Slice(d, &l, func(d *Decoder, _ *int) { readFields(d, Fields{{Name: "a"}}) })
		}},
		"wrong": {`{"a":` + strings.Repeat(" ", size) + "[" + strings.Repeat(`1,`, size/2) + "1]}", func(d *Decoder) { var m map[string]string; Map(d, &m, String[string]) }},
	} {
		ctx := &countdown{after: 1 << 20}
		d := NewDecoder([]byte(c.text), Options{Context: ctx, Help: Leniency()})
		c.read(d)
		if err := d.Finish(); name != "wrong" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if least := len(c.text)/checkEvery - 3; name != "wrong" && (ctx.asked < least || ctx.asked > 3*least+10) {
			t.Errorf("%s: asked %d times of %d bytes", name, ctx.asked, len(c.text))
		}
		ctx = &countdown{after: 2}
		d = NewDecoder([]byte(c.text), Options{Context: ctx, Help: Leniency()})
		c.read(d)
		if err := d.Finish(); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
		if ctx.asked > 4 {
			t.Errorf("%s: asked %d times, twice was enough", name, ctx.asked)
		}
	}
	ctx := new(countdown)
	d := NewDecoder([]byte("["+strings.Repeat("1,", 1000)+"1]"), Options{Context: ctx})
	var l []int
	if Slice(d, &l, Int[int]); d.Finish() != nil || ctx.asked > 0 {
		t.Errorf("of a small message: asked %d times", ctx.asked)
	}
}

// TestContextEndsBeforeElements: no element of an array or object is read after the end.
func TestContextEndsBeforeElements(t *testing.T) {
	before := strings.Repeat(" ", checkEvery+1)
	for _, text := range []string{before + "[1,2]", before + `{"a":1}`} {
		for name, read := range map[string]func(d *Decoder, called func()){
			"Slice": func(d *Decoder, called func()) { Slice(d, new([]int), func(*Decoder, *int) { called() }) },
			"Map":   func(d *Decoder, called func()) { Map(d, new(map[string]int), func(*Decoder, *int) { called() }) },
			"Object": func(d *Decoder, called func()) {
				for o := d.OpenObject(nil); o.Next(); {
					called()
				}
			},
		} {
			d := NewDecoder([]byte(text), Options{Context: new(countdown)})
			read(d, func() { t.Errorf("%s: called for %s", name, strings.TrimSpace(text)) })
			if err := d.Finish(); text[len(before)] == '{' == (name != "Slice") && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s of %s: %v", name, strings.TrimSpace(text), err)
			}
		}
	}
}

func sliceOf[T any](f func(*Decoder, *T)) func(*Decoder, *[]T) {
	return func(d *Decoder, v *[]T) { Slice(d, v, f) }
}

type decimalLike struct{ text string }

func (d *decimalLike) Exponent() int32                 { return 0 }
func (d *decimalLike) UnmarshalText(text []byte) error { d.text = string(text); return nil }

type money struct{ big.Float }

func TestBigNumbers(t *testing.T) {
	readers := map[string]func(*Decoder){
		"number":  func(d *Decoder) { var n json.Number; Number(d, &n) },
		"int":     func(d *Decoder) { var x big.Int; JSON(d, &x, (*big.Int).UnmarshalJSON) },
		"method":  func(d *Decoder) { var x json.RawMessage; JSON(d, &x, (*json.RawMessage).UnmarshalJSON) },
		"float":   func(d *Decoder) { var x big.Float; Text(d, &x, (*big.Float).UnmarshalText) },
		"rat":     func(d *Decoder) { var x big.Rat; Text(d, &x, (*big.Rat).UnmarshalText) },
		"intText": func(d *Decoder) { var x big.Int; Text(d, &x, (*big.Int).UnmarshalText) },
		"money":   func(d *Decoder) { var x money; Text(d, &x, (*money).UnmarshalText) },
		"decimal": func(d *Decoder) { var x decimalLike; Text(d, &x, (*decimalLike).UnmarshalText) },
		"format": func(d *Decoder) {
			var x big.Int
			FormattedText(d, &x, (*big.Int).UnmarshalText, func(string) (string, bool) { return "", true })
		},
		"texts": func(d *Decoder) { var x string; String(d, &x) },
	}
	digits := strings.Repeat("7", maxDigits)
	for _, c := range []struct {
		readers, text, want string // "" if the value is within the limits
	}{
		{"number int method", digits, ""},
		{"number int method", digits + "7", "at most 4096 digits, got 4097"},
		{"number int", "-" + digits, ""},
		{"number method", "1e4096", ""},
		{"number method", "1e-4096", ""},
		{"number int method", "1e4097", "exponent from -4096 to 4096, got 1e4097"},
		{"number int method", "1E-999999999", "exponent from -4096"},
		{"number int method", "1e99999999999999999999999999", "exponent from -4096"},
		{"float rat intText money decimal", `"` + digits + `"`, ""},
		{"float rat intText money decimal format", `"` + digits + `7"`, "at most 4096 digits"},
		{"float rat intText money decimal format", `"0x` + strings.Repeat("f", maxDigits+1) + `"`, "at most 4096 digits"},
		{"float rat decimal", `"1e4096"`, ""},
		{"float rat money decimal", `"1e999999999"`, "exponent from -4096"},
		{"float rat money decimal", `"1.5E+4097"`, "exponent from -4096"},
		{"float rat money", `"0x1p1000000"`, "exponent from -4096"},
		{"float rat money", `"1p-1_000_000"`, "exponent from -4096"},
		{"float rat money", `"0x1e99999999"`, ""},
		{"rat", `"1/` + digits + `"`, "at most 4096 digits"},
		{"rat", `"1/3"`, ""},
		{"texts", `"1e999999999"`, ""},
		{"texts", `"` + digits + digits + `"`, ""},
	} {
		for name := range strings.FieldsSeq(c.readers) {
			d := NewDecoder([]byte(c.text), Options{Help: Advice()})
			readers[name](d)
			err := d.Finish()
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s %.40s: %.200v, want %q", name, c.text, err, c.want)
			}
		}
	}
}

func TestReasonsAreShort(t *testing.T) {
	long := strings.Repeat("ü", 1<<20)
	var got time.Time
	for _, read := range []func(*Decoder, *time.Time){
		func(d *Decoder, v *time.Time) {
			Text(d, v, func(_ *time.Time, text []byte) error { return errors.New("a" + string(text)) })
		},
		func(d *Decoder, v *time.Time) {
			JSON(d, v, func(_ *time.Time, text []byte) error { return errors.New("\xff" + string(text)) })
		},
		func(d *Decoder, v *time.Time) {
			Convert(d, v, String[string], func(s string) (time.Time, error) { return time.Time{}, errors.New(s) })
		},
	} {
		err := decode(`"`+long+`"`, Options{Help: Advice()}, &got, read)
		if err == nil || len(err.Error()) > 1000 {
			t.Errorf("%.200v", err)
		}
	}
	err := decode(`{"`+long+`":1}`, Options{Help: Advice()}, new(map[time.Time]int), func(d *Decoder, v *map[time.Time]int) {
		MapText(d, v, func(_ *time.Time, text []byte) error { return errors.New(string(text)) }, Int[int])
	})
	if err == nil || len(err.Error()) > 1000 {
		t.Errorf("%.200v", err)
	}
}

// TestManyCandidates limits the comparisons for all problems of a message together.
func TestManyCandidates(t *testing.T) {
	values := make([]string, mostCompared/4)
	for i := range values {
		values[i] = strings.Repeat("x", i%50)
	}
	values[7] = "probable"
	d := NewDecoder([]byte(`["probabel","probabel","probabel","probabel","probabel","probabel"]`), Options{Help: Advice()})
	var list []string
	Slice(d, &list, func(d *Decoder, v *string) { StringEnum(d, v, values) })
	args, _ := errors.AsType[*ArgumentsError](d.Finish())
	suggested := 0
	for _, p := range args.Problems {
		if strings.Contains(p.Message, "did you mean") {
			suggested++
		}
	}
	if len(args.Problems) != 6 || suggested != 4 {
		t.Errorf("%d suggestions for %d problems", suggested, len(args.Problems))
	}
}

func TestFloatsAreComparedExactly(t *testing.T) {
	bound := func(check func(*Decoder, float32, float64), limit float64) func(*Decoder) {
		return func(d *Decoder) {
			var v float32
			Float(d, &v)
			check(d, v, limit)
		}
	}
	unique := func(d *Decoder) {
		var l []float32
		Slice(d, &l, Float[float32])
		UniqueFloats(d, l)
	}
	uniqueArray := func(d *Decoder) {
		var l [2]float32
		Array(d, l[:], Float[float32])
		UniqueFloats(d, l[:])
	}
	enum := func(d *Decoder) { var v float32; FloatEnum(d, &v, []float64{16777217, 0.1}) }
	many := ""
	for i := range 40 {
		many += "1.00000000" + strconv.Itoa(10+i) + ","
	}
	for _, c := range []struct {
		read func(*Decoder)
		text string
		ok   bool
	}{
		{bound(FloatMinimum[float32], 16777217), "16777216", false},
		{bound(FloatMinimum[float32], 16777217), "16777217", true},
		{bound(FloatMaximum[float32], 16777217), "16777218", false},
		{bound(FloatMaximum[float32], 16777217), "16777217", true},
		{bound(FloatExclusiveMinimum[float32], 16777216), "16777217", true},
		{bound(FloatExclusiveMaximum[float32], 16777217), "16777216", true},
		{bound(FloatExclusiveMaximum[float32], 16777217), "16777217", false},
		{bound(FloatMultipleOf[float32], 16777217), "16777216", false},
		{bound(FloatMultipleOf[float32], 16777217), "16777217", true},
		{bound(FloatMinimum[float32], 0.1), "0.1", true},
		{bound(FloatMaximum[float32], 0.1), "0.1", true},
		{enum, "16777216", false},
		{enum, "16777217", true},
		{enum, "0.1", true},
		{enum, "0.10000000149011612", false},
		{unique, "[1e-300,-0]", true},
		{unique, "[1e-300, 1e-300]", false},
		{unique, "[0,-0]", false},
		{unique, "[16777216,16777217]", true},
		{unique, `"[16777216, \"16777217\"]"`, true},
		{unique, `["16777217", 16777217]`, false},
		{unique, "[" + many + "5]", true},
		{unique, "[" + many + "1.0000000010]", false},
		{uniqueArray, "[16777216,16777217]", true},
		{uniqueArray, "[16777217,16777217]", false},
	} {
		d := NewDecoder([]byte(c.text), Options{Help: Leniency()})
		c.read(d)
		if err := d.Finish(); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.text, err)
		}
	}
}
