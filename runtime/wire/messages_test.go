package wire

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"
)

// check returns a reader of T followed by a check.
func check[T any](read func(*Decoder, *T), then func(*Decoder, T)) func(*Decoder) {
	return func(d *Decoder) {
		var v T
		read(d, &v)
		then(d, v)
	}
}

// reader returns a reader that drops the value.
func reader[T any](read func(*Decoder, *T)) func(*Decoder) {
	return check(read, func(*Decoder, T) {})
}

// TestMessages checks the message of every kind of violation, at a member x.
func TestMessages(t *testing.T) {
	long := `"` + strings.Repeat("é", 5000) + `"`
	for _, c := range []struct {
		text string
		read func(*Decoder)
		want string // "rule path: message"; empty if valid
	}{
		{`"a"`, reader(Int[int]), `type x: must be an integer, got a string "a"`},
		{`null`, reader(Int[int]), `type x: must be an integer, got null`},
		{`1.5`, reader(Int[int]), `type x: must be an integer, got 1.5`},
		{`1e-1`, reader(Int[int]), `type x: must be an integer, got 1e-1`},
		{`300`, reader(Int[int8]), `maximum x: must be at most 127, got 300`},
		{`-129`, reader(Int[int8]), `minimum x: must be at least -128, got -129`},
		{`-128`, reader(Int[int8]), ``},
		{`-1`, reader(Int[uint]), `minimum x: must be at least 0, got -1`},
		{`-0`, reader(Int[uint]), ``},
		{`9223372036854775808`, reader(Int[int64]), `maximum x: must be at most 9223372036854775807, got 9223372036854775808`},
		{`1e400`, reader(Int[uint64]), `maximum x: must be at most 18446744073709551615, got 1e400`},
		{`-1e99999999999999999999`, reader(Int[int64]), `minimum x: must be at least -9223372036854775808, got -1e99999999999999999999`},
		{`true`, reader(Float[float64]), `type x: must be a number, got a boolean true`},
		{`-1e400`, reader(Float[float64]), `minimum x: must be at least -1.7976931348623157e+308, got -1e400`},
		{`1e39`, reader(Float[float32]), `maximum x: must be at most 3.4028235e+38, got 1e39`},
		{`5`, reader(String[string]), `type x: must be a string, got a number 5`},
		{`null`, reader(String[string]), `type x: must be a string, got null`},
		{`{"a":[]}`, reader(String[string]), `type x: must be a string, got an object`},
		{`[1]`, reader(String[string]), `type x: must be a string, got an array`},
		{`"true"`, reader(Bool[bool]), `type x: must be a boolean, got a string "true"`},
		{long, reader(Bool[bool]), `type x: must be a boolean, got a string "` + strings.Repeat("é", 60) + `…" (5000 characters)`},
		{`"\u0041<\n"`, reader(Bool[bool]), `type x: must be a boolean, got a string "A<\n"`},
		{`1` + strings.Repeat("0", 99), reader(Bool[bool]), `type x: must be a boolean, got a number 1` + strings.Repeat("0", 59) + `… (100 characters)`},
		{`{}`, reader(func(d *Decoder, v *[]int) { Slice(d, v, Int[int]) }), `type x: must be an array, got an object`},
		{`[1,"a",2,null]`, reader(func(d *Decoder, v *[]int) { Slice(d, v, Int[int]) }),
			"type x[1]: must be an integer, got a string \"a\"\ntype x[3]: must be an integer, got null"},
		{`[]`, reader(func(d *Decoder, v *map[string]int) { Map(d, v, Int[int]) }), `type x: must be an object, got an array`},
		{`{"a b":true,"c":1,"d.e":{}}`, reader(func(d *Decoder, v *map[string]int) { Map(d, v, Int[int]) }),
			"type x[\"a b\"]: must be an integer, got a boolean true\ntype x[\"d.e\"]: must be an integer, got an object"},
		{`{"01":1,"-0":2,"300":3,"-7":4,"x":5}`, reader(func(d *Decoder, v *map[int8]int) { MapInt(d, v, Int[int]) }),
			"propertyNames x.01: the name must be an integer in plain digits\n" +
				"propertyNames x.-0: the name must be an integer in plain digits\n" +
				"propertyNames x.300: the name must be at most 127\n" +
				"propertyNames x.x: the name must be an integer in plain digits"},
		{`{"-7":4}`, reader(func(d *Decoder, v *map[uint8]int) { MapInt(d, v, Int[int]) }), `propertyNames x.-7: the name must be at least 0`},
		{`{"::z":4}`, reader(func(d *Decoder, v *map[netip.Addr]int) { MapText(d, v, (*netip.Addr).UnmarshalText, Int[int]) }),
			`propertyNames x["::z"]: the name is not valid: ParseAddr("::z"): each colon-separated field must have at least one digit (at "z")`},
		{`{"b b":1,"a":"x","A":2}`, reader(func(d *Decoder, v *map[string]int) {
			Map(d, v, Int[int])
			KeyPattern(d, *v, NewPattern("^[a-z]+$"))
		}), "type x.a: must be an integer, got a string \"x\"\n" +
			"propertyNames x.A: the name must match the pattern ^[a-z]+$\n" +
			"propertyNames x[\"b b\"]: the name must match the pattern ^[a-z]+$"},
		{`[]`, reader(func(d *Decoder, v *map[string]int) {
			Map(d, v, Int[int])
			KeyPattern(d, *v, NewPattern("^[a-z]+$"))
		}), `type x: must be an object, got an array`},
		{`[1,2]`, reader(func(d *Decoder, v *[3]int) { Array(d, v[:], Int[int]) }), `minItems x: must have exactly 3 items, got 2`},
		{`[1,2]`, reader(func(d *Decoder, v *[1]int) { Array(d, v[:], Int[int]) }), `maxItems x: must have exactly 1 item, got 2`},
		{`"yeer"`, reader(enumOf("relevance", "title", "year")),
			`enum x: must be one of "relevance", "title", "year", got "yeer"; did you mean "year"?`},
		{`"something else"`, reader(enumOf("relevance", "title")), `enum x: must be one of "relevance", "title", got "something else"`},
		{`5`, reader(enumOf("relevance", "title")), `enum x: must be one of "relevance", "title", got a number 5`},
		{`"b"`, reader(enumOf("a")), `enum x: must be "a", got "b"`},
		{`7`, reader(func(d *Decoder, v *int) { IntEnum(d, v, []int{1, 2, 4}) }), `enum x: must be one of 1, 2, 4, got 7`},
		{`"1"`, reader(func(d *Decoder, v *int) { IntEnum(d, v, []int{1, 2, 4}) }), `enum x: must be one of 1, 2, 4, got a string "1"`},
		{`0.7`, reader(func(d *Decoder, v *float64) { FloatEnum(d, v, []float64{0.5, 1}) }), `enum x: must be one of 0.5, 1, got 0.7`},
		{`2`, reader(func(d *Decoder, v *int) { IntEnum(d, v, []int{-1, 2}) }), ``},
		{`2.0`, reader(func(d *Decoder, v *int) { IntEnum(d, v, []int{-1, 2}) }), ``},
		{`-1`, reader(func(d *Decoder, v *int) { IntEnum(d, v, []int{-1, 2}) }), ``},
		{`1.5`, reader(func(d *Decoder, v *int) { IntEnum(d, v, []int{-1, 2}) }), `type x: must be an integer, got 1.5`},
		{`1e400`, reader(func(d *Decoder, v *int) { IntEnum(d, v, []int{-1, 2}) }), fmt.Sprintf("maximum x: must be at most %d, got 1e400", math.MaxInt)},
		{`true`, reader(func(d *Decoder, v *int) { IntEnum(d, v, []int{-1, 2}) }), `enum x: must be one of -1, 2, got a boolean true`},
		{`[2]`, reader(func(d *Decoder, v *int) { IntEnum(d, v, []int{-1, 2}) }), `enum x: must be one of -1, 2, got an array`},
		{`null`, reader(func(d *Decoder, v *int) { IntEnum(d, v, []int{-1, 2}) }), `enum x: must be one of -1, 2, got null`},
		{`"-1"`, reader(func(d *Decoder, v *int) { IntEnum(d, v, []int{-1, 2}) }), `enum x: must be one of -1, 2, got a string "-1"`},
		{`0.5`, reader(func(d *Decoder, v *float64) { FloatEnum(d, v, []float64{-1, 0.5}) }), ``},
		{`-1`, reader(func(d *Decoder, v *float64) { FloatEnum(d, v, []float64{-1, 0.5}) }), ``},
		{`1e400`, reader(func(d *Decoder, v *float64) { FloatEnum(d, v, []float64{-1, 0.5}) }), `maximum x: must be at most 1.7976931348623157e+308, got 1e400`},
		{`"a"`, reader(func(d *Decoder, v *float64) { FloatEnum(d, v, []float64{-1, 0.5}) }), `enum x: must be one of -1, 0.5, got a string "a"`},
		{`{}`, reader(func(d *Decoder, v *float64) { FloatEnum(d, v, []float64{-1, 0.5}) }), `enum x: must be one of -1, 0.5, got an object`},
		{`5000`, check(Int[int], func(d *Decoder, v int) { Maximum(d, v, 100) }), `maximum x: must be at most 100, got 5000`},
		{`0`, check(Int[uint], func(d *Decoder, v uint) { Minimum(d, v, 1) }), `minimum x: must be at least 1, got 0`},
		{`0`, check(Int[int], func(d *Decoder, v int) { ExclusiveMinimum(d, v, 0) }), `exclusiveMinimum x: must be greater than 0, got 0`},
		{`1.0`, check(Float[float64], func(d *Decoder, v float64) { FloatExclusiveMaximum(d, v, 1) }), `exclusiveMaximum x: must be less than 1, got 1.0`},
		{`0.09999999999`, check(Float[float32], func(d *Decoder, v float32) { FloatMinimum(d, v, 0.1) }), `minimum x: must be at least 0.1, got 0.09999999999`},
		{`0.1`, check(Float[float32], func(d *Decoder, v float32) { FloatMinimum(d, v, 0.1) }), ``},
		{`7`, check(Int[int], func(d *Decoder, v int) { MultipleOf(d, v, 5) }), `multipleOf x: must be a multiple of 5, got 7`},
		{`-1e1`, check(Int[int], func(d *Decoder, v int) { MultipleOf(d, v, 5) }), ``},
		{`0.3`, check(Float[float64], func(d *Decoder, v float64) { FloatMultipleOf(d, v, 0.1) }), ``},
		{`0.35`, check(Float[float64], func(d *Decoder, v float64) { FloatMultipleOf(d, v, 0.1) }), `multipleOf x: must be a multiple of 0.1, got 0.35`},
		{`0.30000000000000000000000001`, check(Float[float64], func(d *Decoder, v float64) { FloatMultipleOf(d, v, 0.1) }), `multipleOf x: must be a multiple of 0.1, got 0.30000000000000000000000001`},
		{`1e308`, check(Float[float64], func(d *Decoder, v float64) { FloatMultipleOf(d, v, 0.7) }), `multipleOf x: must be a multiple of 0.7, got 1e308`},
		{`7e300`, check(Float[float64], func(d *Decoder, v float64) { FloatMultipleOf(d, v, 0.7) }), ``},
		{`""`, check(String[string], func(d *Decoder, v string) { MinLength(d, v, 1) }), `minLength x: must have at least 1 character, got 0`},
		{`"äöü"`, check(String[string], func(d *Decoder, v string) { MinLength(d, v, 4) }), `minLength x: must have at least 4 characters, got 3`},
		{`"äöü"`, check(String[string], func(d *Decoder, v string) { MaxLength(d, v, 2) }), `maxLength x: must have at most 2 characters, got 3`},
		{`"äöü"`, check(String[string], func(d *Decoder, v string) { MaxLength(d, v, 3) }), ``},
		{`5`, check(String[string], func(d *Decoder, v string) { MinLength(d, v, 1) }), `type x: must be a string, got a number 5`},
		{`"QUJD"`, check(Bytes[[]byte], func(d *Decoder, v []byte) { MinBase64Length(d, v, 5) }), `minLength x: must have at least 5 characters, got 4`},
		{`"QUJD"`, check(Bytes[[]byte], func(d *Decoder, v []byte) { MaxBase64Length(d, v, 3) }), `maxLength x: must have at most 3 characters, got 4`},
		{`"a"`, check(String[string], func(d *Decoder, v string) { Pattern(d, v, NewPattern(`^[A-Z]+$`)) }), `pattern x: must match the pattern ^[A-Z]+$, got "a"`},
		{`"A"`, check(String[string], func(d *Decoder, v string) { Pattern(d, v, NewPattern(`^[A-Z]+$`)) }), ``},
		{`"a"`, check(String[string], func(d *Decoder, v string) { Format(d, v, FormatEmail) }), `format x: must be an email address such as ada@example.com, got "a"`},
		{`[]`, check(sliceOfInt, func(d *Decoder, v []int) { MinItems(d, len(v), 1) }), `minItems x: must have at least 1 item, got 0`},
		{`[1,2]`, check(sliceOfInt, func(d *Decoder, v []int) { MaxItems(d, len(v), 1) }), `maxItems x: must have at most 1 item, got 2`},
		{`[1,2,1.0]`, check(sliceOfInt, UniqueItems[int]), `uniqueItems x: must not have the same item twice, but items 0 and 2 are equal`},
		{`[0,"a"]`, check(sliceOfInt, UniqueItems[int]), `type x[1]: must be an integer, got a string "a"`},
		{`[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,17]`, check(sliceOfInt, UniqueItems[int]), `uniqueItems x: must not have the same item twice, but items 16 and 17 are equal`},
		{`{}`, check(mapOfInt, func(d *Decoder, v map[string]int) { MinProperties(d, len(v), 2) }), `minProperties x: must have at least 2 entries, got 0`},
		{`{"a":1}`, check(mapOfInt, func(d *Decoder, v map[string]int) { MaxProperties(d, len(v), 0) }), `maxProperties x: must have at most 0 entries, got 1`},
		{`"A"`, reader(Bytes[[]byte]), `contentEncoding x: must be base64 in the standard alphabet with padding, got "A"`},
		{`"QUI=\n"`, reader(Bytes[[]byte]), `contentEncoding x: must be base64 in the standard alphabet with padding, got "QUI=\n"`},
		{`"QUJ="`, reader(Bytes[[]byte]), `contentEncoding x: must be base64 in the standard alphabet with padding, got "QUJ="`},
		{`5`, reader(Bytes[[]byte]), `type x: must be a string in base64, got a number 5`},
		{`"yesterday"`, reader(Time), `format x: must be a date and time such as 2006-01-02T15:04:05Z, got "yesterday"`},
		{`"2024-01-01T00:00:00+24:00"`, reader(Time), `format x: must be a date and time such as 2006-01-02T15:04:05Z, got "2024-01-01T00:00:00+24:00"`},
		{`5`, reader(Time), `type x: must be a string with date and time, got a number 5`},
		{`"soon"`, reader(Duration), `format x: must be a duration such as "1h30m", got "soon"`},
		{`90`, reader(Duration), `type x: must be a string with a duration such as "1h30m", got a number 90`},
		{`"1.2.3"`, reader(func(d *Decoder, v *netip.Addr) { Text(d, v, (*netip.Addr).UnmarshalText) }),
			`format x: is not valid: ParseAddr("1.2.3"): IPv4 address too short; got "1.2.3"`},
		{`{"a":1}`, reader(func(d *Decoder, v *int) {
			JSON(d, v, func(*int, []byte) error { return errors.New("too simple") })
		}), `format x: is not valid: too simple; got an object`},
		{`5`, reader(func(d *Decoder, v *int) { Quoted(d, v, Int[int]) }), `type x: must be a value in quotes, such as "5" or "true", got a number 5`},
		{`"null"`, reader(func(d *Decoder, v *int) { Quoted(d, v, Int[int]) }), `format x: must be a value in quotes, such as "5" or "true", got "null"`},
		{`" 5"`, reader(func(d *Decoder, v *int) { Quoted(d, v, Int[int]) }), `format x: must be a value in quotes, such as "5" or "true", got " 5"`},
		{`"5.0"`, reader(func(d *Decoder, v *int) { Quoted(d, v, Int[int]) }), `type x: must be an integer, got 5.0`},
		{`{"a":[1,1e999]}`, reader(Any), `maximum x.a[1]: must be at most 1.7976931348623157e+308, got 1e999`},
		{`null`, reader(func(d *Decoder, v **int) { Ptr(d, v, Int[int]) }), `type x: must be an integer, got null`},
		{`null`, reader(func(d *Decoder, v **int) { Nullable(d, v, Int[int]) }), ``},
		{`{"a":1,"y":2}`, reader(fieldsOf("alpha", "beta")), // deeper than the root: fields
			"unknown x.a: unknown field. Known: alpha, beta\nunknown x.y: unknown field. Known: alpha, beta\n" +
				"required x.alpha: required, but missing"},
		{`{"y":2}`, reader(fieldsOf()), "unknown x.y: unknown field; there are no fields"},
	} {
		got := violations(t, `{"x":`+c.text+`}`, Fields{{Must: "x", Null: true}}, c.read)
		if got != c.want {
			t.Errorf("%.60s:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

func sliceOfInt(d *Decoder, v *[]int)        { Slice(d, v, Int[int]) }
func mapOfInt(d *Decoder, v *map[string]int) { Map(d, v, Int[int]) }

func enumOf(values ...string) func(*Decoder, *string) {
	return func(d *Decoder, v *string) { StringEnum(d, v, values) }
}

// fieldsOf reads an object of members of any kind, the first of which is required.
func fieldsOf(names ...string) func(*Decoder, *struct{}) {
	var fields Fields
	for i, name := range names {
		field := Field{Name: name}
		if i == 0 {
			field = Field{Must: name}
		}
		fields = append(fields, field)
	}
	return func(d *Decoder, _ *struct{}) {
		for o := d.Object(fields); o.Next(); {
			d.Skip()
		}
	}
}

// violations reads an object and returns its violations as text.
func violations(t *testing.T, text string, fields Fields, read func(*Decoder)) string {
	t.Helper()
	d := NewDecoder([]byte(text), Options{Help: Advice()})
	for o := d.Object(fields); o.Next(); {
		read(d)
	}
	err := d.Finish()
	if err == nil {
		return ""
	}
	var args *ArgumentsError
	if !errors.As(err, &args) {
		t.Fatalf("%s: %v", text, err)
	}
	var lines []string
	for _, p := range args.Problems {
		lines = append(lines, p.Rule+" "+p.String())
	}
	return strings.Join(lines, "\n")
}

func TestArgumentsText(t *testing.T) {
	fields := Fields{{Must: "query"}, {Name: "limit"}, {Name: "sort"}}
	for _, c := range []struct {
		text string
		want string
	}{
		{`{"query":"x","limit":5000,"sort":"yeer"}`, `2 problems with the arguments of search_books:
- limit: must be at most 100, got 5000
- sort: must be one of "relevance", "title", "year", got "yeer"; did you mean "year"?`},
		{`{"qeury":"x"}`, `2 problems with the arguments of search_books:
- qeury: unknown argument; did you mean "query"? Known: query, limit, sort
- query: required, but missing`},
		{`{"limit":null}`, `1 problem with the arguments of search_books:
- query: required, but missing`},
		{`[]`, `1 problem with the arguments of search_books:
- must be an object, got an array`},
	} {
		d := NewDecoder([]byte(c.text), Options{Help: Advice()})
		for o := d.Object(fields); o.Next(); {
			switch o.Name() {
			case "query":
				reader(String[string])(d)
			case "limit":
				check(Int[int], func(d *Decoder, v int) { Maximum(d, v, 100) })(d)
			case "sort":
				reader(enumOf("relevance", "title", "year"))(d)
			}
		}
		var args *ArgumentsError
		if err := d.Finish(); !errors.As(err, &args) {
			t.Errorf("%s: %v", c.text, err)
		} else if got := args.Text("search_books"); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// TestFailedReadsAreNotChecked: a check after a failed read ignores the old value of the variable.
func TestFailedReadsAreNotChecked(t *testing.T) {
	s, list, n, f, b := "long", []int{1, 1}, 7, 7.5, []byte("long")
	for name, read := range map[string]func(*Decoder){
		"MinLength":        func(d *Decoder) { String(d, &s); MinLength(d, s, 10) },
		"MaxLength":        func(d *Decoder) { String(d, &s); MaxLength(d, s, 1) },
		"MinBase64Length":  func(d *Decoder) { Bytes(d, &b); MinBase64Length(d, b, 10) },
		"MaxBase64Length":  func(d *Decoder) { Bytes(d, &b); MaxBase64Length(d, b, 1) },
		"MinItems":         func(d *Decoder) { sliceOfInt(d, &list); MinItems(d, len(list), 10) },
		"MaxItems":         func(d *Decoder) { sliceOfInt(d, &list); MaxItems(d, len(list), 1) },
		"UniqueItems":      func(d *Decoder) { sliceOfInt(d, &list); UniqueItems(d, list) },
		"Minimum":          func(d *Decoder) { Int(d, &n); Minimum(d, n, 10) },
		"Maximum":          func(d *Decoder) { Int(d, &n); Maximum(d, n, 1) },
		"ExclusiveMinimum": func(d *Decoder) { Int(d, &n); ExclusiveMinimum(d, n, 10) },
		"ExclusiveMaximum": func(d *Decoder) { Int(d, &n); ExclusiveMaximum(d, n, 1) },
		"MultipleOf":       func(d *Decoder) { Int(d, &n); MultipleOf(d, n, 5) },
		"FloatMinimum":     func(d *Decoder) { Float(d, &f); FloatMinimum(d, f, 10) },
		"FloatMultipleOf":  func(d *Decoder) { Float(d, &f); FloatMultipleOf(d, f, 5) },
		"Pattern":          func(d *Decoder) { String(d, &s); Pattern(d, s, NewPattern("x")) },
	} {
		d := NewDecoder([]byte(`true`), Options{Help: Advice()})
		read(d)
		args, ok := errors.AsType[*ArgumentsError](d.Finish())
		if !ok || len(args.Problems) != 1 || args.Problems[0].Rule != RuleType {
			t.Errorf("%s: %v", name, args)
		}
	}
}

func TestProblemLimit(t *testing.T) {
	text := `{"x":[` + strings.Repeat(`"a",`, 29) + `"b"]}`
	d := NewDecoder([]byte(text), Options{Help: Advice()})
	for o := d.Object(Fields{{Name: "x"}}); o.Next(); {
		reader(sliceOfInt)(d)
	}
	var args *ArgumentsError
	if err := d.Finish(); !errors.As(err, &args) || len(args.Problems) != 20 || !args.More {
		t.Fatalf("got %v", err)
	}
	if got := args.Text("x"); !strings.HasPrefix(got, "more than 20 problems with") || !strings.HasSuffix(got, "\n- and more") {
		t.Error(got)
	}
}

func TestManyKnownNames(t *testing.T) {
	var names []string
	for i := range 40 {
		names = append(names, "n"+strconv.Itoa(i))
	}
	err := decode(`{"n0":1,"zzzzz":1}`, Options{Help: Advice()}, new(struct{}), fieldsOf(names...))
	if err == nil || !strings.HasSuffix(err.Error(), ", n29, and 10 more") {
		t.Error(err)
	}
	err = decode(`"zzzzz"`, Options{Help: Advice()}, new(string), func(d *Decoder, v *string) { StringEnum(d, v, names) })
	if err == nil || !strings.HasSuffix(err.Error(), `, "n29", and 10 more, got "zzzzz"`) {
		t.Error(err)
	}
}

func TestEncodeFailures(t *testing.T) {
	nan := math.NaN()
	late := time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	for want, write := range map[string]func(*Encoder){
		`encode value: NaN and infinite numbers have no JSON form`: func(e *Encoder) { PutFloat(e, &nan) },
		`encode items[2].price: NaN and infinite numbers have no JSON form`: func(e *Encoder) {
			e.Begin()
			e.Name("done")
			PutSlice(e, []string{"a,[{", `"`, "}"}, PutString[string])
			e.Name("items")
			PutSlice(e, []int{0, 1, 2}, func(e *Encoder, i *int) {
				e.Begin()
				e.Name("x")
				PutInt(e, i)
				e.Name("price")
				if *i == 2 {
					PutFloat(e, &nan)
				} else {
					PutNull(e)
				}
				e.End()
			})
			e.End()
		},
		`encode [1]: Time.AppendText: year outside of range [0,9999]`: func(e *Encoder) {
			e.BeginArray()
			PutNull(e)
			PutTime(e, &late)
			e.EndArray()
		},
		`encode m["a b"][0]: NaN and infinite numbers have no JSON form`: func(e *Encoder) {
			e.Begin()
			e.Name("m")
			PutMap(e, map[string][]float64{"a": {1}, "a b": {nan}}, func(e *Encoder, v *[]float64) { PutSlice(e, *v, PutFloat[float64]) })
			e.End()
		},
		`encode [0]: duplicate key "a" at offset 7`: func(e *Encoder) {
			e.BeginArray()
			raw := []byte(`{"a":1,"a":2}`)
			PutRaw(e, &raw)
			e.EndArray()
		},
		`encode value: type chan int has no JSON form`: func(e *Encoder) {
			var v any = make(chan int)
			PutAny(e, &v)
		},
	} {
		e := NewEncoder(nil)
		write(e)
		if e.Err() == nil || e.Err().Error() != want {
			t.Errorf("got %v, want %s", e.Err(), want)
		}
		if err := Valid(e.Bytes(), 0); err != nil {
			t.Errorf("%s: what was written is not JSON: %v: %s", want, err, e.Bytes())
		}
	}
}
