package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// listCase is a value in place of a list.
type listCase struct {
	read    func(*Decoder) any
	text    string
	want    string // the list as JSON, "" if it is refused
	problem string // if it is refused
}

// listOf makes a reader of a list.
func listOf[T any](f func(*Decoder, *T)) func(*Decoder) any {
	return func(d *Decoder) any {
		var v []T
		Slice(d, &v, f)
		return v
	}
}

func (c *listCase) run(t *testing.T, o Options) {
	t.Helper()
	o.Choices = map[string]*Choices{"Kinds": NewChoices([]string{"public_channel", "im"})}
	d := NewDecoder([]byte(`{"x":`+c.text+`}`), o)
	var v any
	for obj := d.Object(Fields{{Must: "x"}}); obj.Next(); {
		v = c.read(d)
	}
	err := d.Finish()
	got, _ := json.Marshal(v)
	switch {
	case c.want == "" && errorText(err) != c.problem:
		t.Errorf("%s: got %s, %v\nwant %s", c.text, got, err, c.problem)
	case c.want != "" && (err != nil || string(got) != c.want):
		t.Errorf("%s: got %s, %v, want %s", c.text, got, err, c.want)
	}
}

var (
	readKind   = func(d *Decoder, v *string) { StringChoice(d, v, "Kinds") }
	readComma  = func(d *Decoder, v *string) { StringEnum(d, v, []string{"a,b", "c", "1", " d"}) }
	readSmall  = func(d *Decoder, v *int) { Int(d, v); Maximum(d, *v, 9) }
	readSizes  = func(d *Decoder, v *int) { IntEnum(d, v, []int{1, 2}) }
	readHalves = func(d *Decoder, v *float64) { FloatEnum(d, v, []float64{0.5, 1}) }
	readPair   = func(d *Decoder) any {
		var v [2]float64
		Array(d, v[:], Float[float64])
		return v
	}
	readMonth = func(d *Decoder, v *time.Month) {
		TextEnum(d, v, func(v *time.Month, text []byte) error { *v = time.Month(len(text)); return nil }, []string{"may", "june"})
	}
	// readDecoded reads an enumeration that a function converts.
	readDecoded = func(d *Decoder, v *int) {
		Convert(d, v, readColor, func(s string) (int, error) {
			if s == "green" {
				return 0, errors.New("out of paint")
			}
			return len(s), nil
		})
	}
	readAny = func(d *Decoder, v *any) { AnyBySchema(d, v, anyColor) }

	anyColor = NewSchema(`{"enum":["red","green"]}`)
)

// In lenient mode a string with commas is several elements if it cannot be anything else.
func TestLenientSeparates(t *testing.T) {
	deep := strings.Repeat("9,", 5000) + "9"
	for _, c := range []listCase{
		{listOf(readColor), `"red,green"`, `["red","green"]`, ""},
		{listOf(readColor), `" red ,\n green"`, `["red","green"]`, ""},
		{listOf(readColor), `"red"`, `["red"]`, ""},
		{listOf(readColor), `"red,blue"`, "", `x: must be an array, got a string "red,blue"; item 1 must be one of "red", "green", got "blue"`},
		{listOf(readColor), `"red,"`, "", `x: must be an array, got a string "red,"; item 1 must be one of "red", "green", got ""`},
		{listOf(readColor), `"rde"`, "", `x: must be one of "red", "green", got "rde"; did you mean "red"?`},
		{listOf(readColor), `"[red,green]"`, "", `x: must be one of "red", "green", got "[red,green]"`},
		{listOf(readColor), `["red,green"]`, "", `x[0]: must be one of "red", "green", got "red,green"`},
		{listOf(readKind), `"public_channel,im"`, `["public_channel","im"]`, ""},
		{listOf(readKind), `"public,im"`, "", `x: must be an array, got a string "public,im"; item 0 must be one of "public_channel", "im", got "public"; did you mean "public_channel"?`},
		{listOf(readComma), `"a,b"`, `["a,b"]`, ""},
		{listOf(readComma), `"c,1"`, `["c","1"]`, ""},
		{listOf(readComma), `"a,b,c"`, "", `x: must be an array, got a string "a,b,c"; item 0 must be one of "a,b", "c", "1", " d", got "a"`},
		{listOf(readMonth), `"may,june"`, `[3,4]`, ""},
		{listOf(readDecoded), `"red,red"`, `[3,3]`, ""},
		{listOf(readDecoded), `"red,green"`, "", `x: must be an array, got a string "red,green"; item 1 is not valid: out of paint; got a string "green"`},
		{listOf(Int[int]), `"1,2,-3"`, `[1,2,-3]`, ""},
		{listOf(Int[int]), `"1,234.0"`, `[1,234]`, ""},
		{listOf(Int[int]), `"1,000"`, "", `x: must be an array, got a string "1,000"; item 1 must be an integer, got a string "000"`},
		{listOf(Int[int]), `"1,x"`, "", `x: must be an array, got a string "1,x"; item 1 must be an integer, got a string "x"`},
		{listOf(Int[int]), `"` + deep + `"`, "[" + deep + "]", ""},
		{listOf(readSmall), `"1,2"`, `[1,2]`, ""},
		{listOf(readSmall), `"1,20"`, "", `x: must be an array, got a string "1,20"; item 1 must be at most 9, got 20`},
		{listOf(readSizes), `"1,2"`, `[1,2]`, ""},
		{listOf(readHalves), `"0.5,1"`, `[0.5,1]`, ""},
		{listOf(Float[float32]), `"1.5,2"`, `[1.5,2]`, ""},
		{listOf(Number), `"1.50,2"`, `[1.50,2]`, ""},
		{listOf(Bool[bool]), `"true,false"`, `[true,false]`, ""},
		{listOf(func(d *Decoder, v **int) { Nullable(d, v, Int[int]) }), `"1,2"`, `[1,2]`, ""},
		{listOf(readAny), `"red,green"`, `["red","green"]`, ""},
		{readPair, `"52.5,13.4"`, `[52.5,13.4]`, ""},
		{readPair, `"1,2,3"`, "", `x: must have exactly 2 items, got 3`},
		{readPair, `"1"`, "", `x: must be an array, got a string "1"; send [1]`},
		// Arbitrary strings keep their commas.
		{listOf(String[string]), `"Paris, France"`, `["Paris, France"]`, ""},
		{listOf(func(d *Decoder, v *netip.Addr) { Text(d, v, (*netip.Addr).UnmarshalText) }), `"::1,::2"`, "",
			`x: is not valid: ParseAddr("::1,::2"): unexpected character, want colon (at ",::2"); got "::1,::2"`},
		{listOf(Time), `"2024-01-01T00:00:00Z,x"`, "", `x: must be a date and time such as 2006-01-02T15:04:05Z, got "2024-01-01T00:00:00Z,x"`},
		{listOf(func(d *Decoder, v *[]string) { Slice(d, v, readColor) }), `"red,green"`, "", `x: must be an array, got a string "red,green"`},
		{listOf(func(d *Decoder, v *[]string) { Slice(d, v, readColor) }), `["red,green","red"]`, `[["red","green"],["red"]]`, ""},
		{listOf(readLeniency), `"{},{}"`, "", `x: must be an object, got a string "{},{}"`},
	} {
		c.run(t, Options{Help: Leniency()})
	}
}

// The limits count the elements as if they had come in an array.
func TestSeparatedCounts(t *testing.T) {
	separated := listCase{read: listOf(Int[int]), text: `"1,2,3"`, want: `[1,2,3]`}
	separated.run(t, Options{Help: Leniency(), MaxElements: 3, MaxDepth: 2, Alias: true})
	for _, o := range []Options{{MaxElements: 2}, {MaxDepth: 1}} {
		o.Help = Leniency()
		d := NewDecoder([]byte(`{"x":"1,2,3"}`), o)
		for obj := d.Object(Fields{{Name: "x"}}); obj.Next(); {
			separated.read(d)
		}
		if err := d.Finish(); err == nil {
			t.Errorf("%+v: it is accepted", o)
		}
	}
	var v []int
	d := NewDecoder([]byte(`"1,2,1"`), Options{Help: Leniency()})
	Slice(d, &v, Int)
	UniqueItems(d, v)
	MaxItems(d, len(v), 2)
	if got, want := errorText(d.Finish()), "must not have the same item twice, but items 0 and 2 are equal"; !strings.HasPrefix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}

// Trials format no messages: accepted input costs no more than a few objects.
func TestSeparatedAllocations(t *testing.T) {
	values := make([]string, 1000)
	for i := range values {
		values[i] = fmt.Sprint("value", i)
	}
	text := []byte(`["value1,value2","value3,value4","value5,value6"]`)
	d := new(Decoder)
	read := func(o Options) {
		var v [][]string
		d.Reset(text, o)
		Slice(d, &v, func(d *Decoder, v *[]string) {
			Slice(d, v, func(d *Decoder, v *string) { StringEnum(d, v, values) })
		})
		if err := d.Finish(); err != nil || len(v) != 3 || len(v[2]) != 2 {
			t.Fatal(v, err)
		}
	}
	if got := testing.AllocsPerRun(100, func() { read(Options{Help: Leniency()}) }); got > 60 {
		t.Errorf("%v allocations", got)
	}
}

// A message contains the list to send in place of another value.
func TestListToSend(t *testing.T) {
	long := strings.Repeat("a,", shownList)
	for _, c := range []listCase{
		{listOf(String[string]), `"prod"`, "", `x: must be an array, got a string "prod"; send ["prod"]`},
		{listOf(String[string]), `"Paris, \"France\""`, "", `x: must be an array, got a string "Paris, \"France\""; send ["Paris, \"France\""]`},
		{listOf(String[string]), `" [\"a\", \"b\"]"`, "", `x: must be an array, got a string " [\"a\", \"b\"]"; send ["a","b"]`},
		{listOf(String[string]), `"[a"`, "", `x: must be an array, got a string "[a"; send ["[a"]`},
		{listOf(String[string]), `""`, "", `x: must be an array, got a string ""; send []`},
		{listOf(String[string]), `5`, "", `x: must be an array, got a number 5; send ["5"]`},
		{listOf(String[string]), `null`, "", `x: must be an array, got null`},
		{listOf(String[string]), `true`, "", `x: must be an array, got a boolean true`},
		{listOf(String[string]), `"` + long + `"`, "", `x: must be an array, got a string "` + long[:shownText] + fmt.Sprintf(`…" (%d characters)`, len(long))},
		{listOf(readColor), `"red,green"`, "", `x: must be an array, got a string "red,green"; send ["red","green"]`},
		{listOf(readColor), `"red, gren"`, "", `x: must be an array, got a string "red, gren"; item 1 must be one of "red", "green", got "gren"; did you mean "green"?`},
		{listOf(readColor), `"rde"`, "", `x: must be an array, got a string "rde"; item 0 must be one of "red", "green", got "rde"; did you mean "red"?`},
		{listOf(readKind), `"public_channel"`, "", `x: must be an array, got a string "public_channel"; send ["public_channel"]`},
		{listOf(readComma), `"a,b"`, "", `x: must be an array, got a string "a,b"; send ["a,b"]`},
		{listOf(readComma), `"1,c"`, "", `x: must be an array, got a string "1,c"; send ["1","c"]`},
		{listOf(readComma), `1`, "", `x: must be an array, got a number 1; send ["1"]`},
		{listOf(Int[int]), `7`, "", `x: must be an array, got a number 7; send [7]`},
		{listOf(Int[int]), `1.5`, "", `x: must be an array, got a number 1.5`},
		{listOf(Int[int]), `"7"`, "", `x: must be an array, got a string "7"; send [7]`},
		{listOf(Int[int]), `"1, 2"`, "", `x: must be an array, got a string "1, 2"; send [1,2]`},
		{listOf(Int[int]), `"[1,2]"`, "", `x: must be an array, got a string "[1,2]"; send [1,2]`},
		{listOf(Int[int]), `"1,x"`, "", `x: must be an array, got a string "1,x"; item 1 must be an integer, got a string "x"`},
		{listOf(Bool[bool]), `"true,false"`, "", `x: must be an array, got a string "true,false"; send [true,false]`},
		{listOf(readAny), `"red,green"`, "", `x: must be an array, got a string "red,green"; send ["red","green"]`},
		{listOf(fieldsOf("a")), `{ "a": 1 }`, "", `x: must be an array, got an object; send [{"a":1}]`},
		{listOf(fieldsOf("a")), `"{\"a\": 1}"`, "", `x: must be an array, got a string "{\"a\": 1}"; send [{"a":1}]`},
		{listOf(fieldsOf("a")), `{"b":1}`, "", `x: must be an array, got an object`},
		{listOf(fieldsOf("a")), `"b"`, "", `x: must be an array, got a string "b"`},
		{listOf(func(d *Decoder, v *[]int) { Slice(d, v, Int) }), `["1,2"]`, "", `x[0]: must be an array, got a string "1,2"; send [1,2]`},
		{readPair, `"1,2"`, "", `x: must be an array, got a string "1,2"; send [1,2]`},
	} {
		c.run(t, Options{Help: Advice()})
	}
}

// A number in place of a string keeps its digits as sent.
func TestNumberForText(t *testing.T) {
	text := func(read func(*Decoder, *string)) func(*Decoder) any {
		return func(d *Decoder) any { var v string; read(d, &v); return v }
	}
	const notText = `x: must be a string, got `
	for _, c := range []listCase{
		{text(String[string]), `50`, `"50"`, ""},
		{text(String[string]), `-1.10`, `"-1.10"`, ""},
		{text(String[string]), `12345678901234567890123`, `"12345678901234567890123"`, ""},
		{text(String[string]), `1e3`, `"1e3"`, ""},
		{text(String[string]), `true`, "", notText + "a boolean true"},
		{text(String[string]), `null`, "", notText + "null"},
		{text(String[string]), `[5]`, "", notText + "an array"},
		{text(func(d *Decoder, v *string) { String(d, v); Pattern(d, *v, NewPattern(`^\d+\.\d+$`)) }), `1.5`, `"1.5"`, ""},
		{text(func(d *Decoder, v *string) { String(d, v); Pattern(d, *v, NewPattern(`^\d+\.\d+$`)) }), `15`, "", `x: must match the pattern ^\d+\.\d+$, got "15"`},
		{text(readComma), `1`, `"1"`, ""},
		{text(readComma), `2`, "", `x: must be one of "a,b", "c", "1", " d", got a number 2`},
		{text(readKind), `2`, "", `x: must be one of "public_channel", "im", got a number 2`},
		{func(d *Decoder) any {
			var v netip.Prefix
			Text(d, &v, (*netip.Prefix).UnmarshalText)
			return v.IsValid()
		}, `5`, "", `x: is not valid: netip.ParsePrefix("5"): no '/'; got "5"`},
		{func(d *Decoder) any { var v []byte; Bytes(d, &v); return v }, `1234`, "", `x: must be a string in base64, got a number 1234`},
		{func(d *Decoder) any { var v time.Duration; Duration(d, &v); return v }, `0`, "", `x: must be a string with a duration such as "1h30m", got a number 0`},
		{func(d *Decoder) any { var v string; Quoted(d, &v, String); return v }, `"5"`, "", `x: must be a string, got a number 5`},
		{listOf(String[string]), `[1,"a"]`, `["1","a"]`, ""},
		{listOf(String[string]), `5`, "", `x: must be an array, got a number 5; send ["5"]`},
	} {
		c.run(t, Options{Help: Leniency()})
	}
	var v string
	if err := decode(`50`, Options{Help: Advice()}, &v, String); err == nil {
		t.Errorf("%s is accepted without lenient mode", v)
	}
}
