package wire

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// same compares one reader with json.Unmarshal into the same type, for many texts: both accept a
// text with the same value, or both refuse it. Only the reader refuses the texts of refuse, and
// only the reader accepts those in accept.
func same[T any](t *testing.T, read func(*Decoder, *T), texts []string, refuse, accept string) {
	t.Helper()
	for _, text := range texts {
		var got, want T
		err := decode(text, Options{}, &got, read)
		stdErr := json.Unmarshal([]byte(text), &want)
		listed := func(list string) bool { return slices.Contains(strings.Fields(list), text) }
		switch {
		case listed(refuse):
			if err == nil {
				t.Errorf("%T: %s is accepted", got, text)
			}
		case listed(accept):
			if err != nil || stdErr == nil {
				t.Errorf("%T: %s: %v; encoding/json: %v", got, text, err, stdErr)
			}
		case (err == nil) != (stdErr == nil):
			t.Errorf("%T: %s: %v; encoding/json: %v", got, text, err, stdErr)
		case err == nil:
			equal(t, got, want)
		}
	}
}

// texts contains values of every kind.
var texts = []string{
	`null`, `true`, `false`, `"true"`, `""`, `"5"`, `"a\"\\\/\b\f\n\r\té\u00e9\ud83d\ude00😀"`, `{}`, `[]`, `[1]`, `{"a":1}`,
	`0`, `-0`, `1`, `-1`, `127`, `128`, `-128`, `-129`, `255`, `256`, `32767`, `32768`, `65535`, `65536`, `-32768`, `-32769`,
	`2147483647`, `2147483648`, `-2147483648`, `-2147483649`, `4294967295`, `4294967296`,
	`9007199254740993`, `999999999999999999`, `1000000000000000000`, `9223372036854775807`, `9223372036854775808`,
	`-9223372036854775808`, `-9223372036854775809`, `18446744073709551615`, `18446744073709551616`,
	`99999999999999999999`, `184467440737095516150`, `123456789012345678901234567890`,
	`1.0`, `1e2`, `1E2`, `100e-2`, `1.50e1`, `0e5`, `0.0`, `1.5`, `1e-1`, `1e400`, `-1e400`, `1e-400`, `0e999`, `1e19`, `1e20`,
	`0.1`, `0.3`, `1e22`, `1e23`, `123456.789`, `9007199254740992.5`, `1.7976931348623157e308`, `1.7976931348623159e308`,
	`5e-324`, `2e-324`, `3.4028235e38`, `3.4028236e38`, `1e39`, `1e-46`, `0.000001`, `1234567890123456.7`, `-12.25`,
	`01`, `+1`, `.5`, `1.`, `1e`, `1e+`, `-`, `--1`, `0x1`, `NaN`, `Infinity`, `1_000`, `tru`, `nulll`, `"`, `"\x"`, `"\u12"`,
	`[`, `[1,]`, `[,1]`, `[1 2]`, `{`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `'a'`, ``, ` `, ` 1 `, "\t[\r\n1 ,2 ]", `1 2`, `[]]`,
}

func TestAgainstEncodingJSON(t *testing.T) {
	const integral = "1.0 1e2 1E2 100e-2 1.50e1 0e5 0.0 0e999"
	same(t, Int[int], texts, "null", integral)
	same(t, Int[int8], texts, "null", integral)
	same(t, Int[int16], texts, "null", integral)
	same(t, Int[int32], texts, "null", integral)
	same(t, Int[int64], texts, "null", integral)
	wide := map[int]string{64: " 1e19"}[strconv.IntSize] // within the range of uint
	same(t, Int[uint], texts, "null", integral+" -0"+wide)
	same(t, Int[uint8], texts, "null", integral+" -0")
	same(t, Int[uint16], texts, "null", integral+" -0")
	same(t, Int[uint32], texts, "null", integral+" -0")
	same(t, Int[uint64], texts, "null", integral+" -0 1e19")
	same(t, Int[time.Duration], texts, "null", integral)
	same(t, Float[float64], texts, "null", "")
	same(t, Float[float32], texts, "null", "")
	same(t, Bool[bool], texts, "null", "")
	same(t, String[string], texts, "null", "")
	same(t, Number, texts, `null "5"`, "")
	same(t, Any, texts, "", "")
	same(t, sliceOfInt, texts, "null", "")
	same(t, mapOfInt, texts, "null", "")
	same(t, func(d *Decoder, v **int) { Nullable(d, v, Int[int]) }, texts, "", integral)
	same(t, func(d *Decoder, v *map[int]int) { MapInt(d, v, Int[int]) },
		[]string{`{}`, `{"1":1,"-1":2}`, `{"0":1}`, `{"01":1}`, `{"-0":1}`, `{"":1}`, `{"-":1}`, `{"+1":1}`, `{"1e2":1}`, `{"x":1}`, `{"99999999999999999999":1}`},
		`{"01":1} {"-0":1} {"+1":1}`, "")
	same(t, func(d *Decoder, v *map[uint8]int) { MapInt(d, v, Int[int]) },
		[]string{`{"255":1,"0":2}`, `{"256":1}`, `{"-1":1}`}, "", "")
	same(t, func(d *Decoder, v *map[int8]int) { MapInt(d, v, Int[int]) },
		[]string{`{"127":1,"-128":2}`, `{"128":1}`, `{"-129":1}`}, "", "")
	same(t, func(d *Decoder, v *map[uint64]int) { MapInt(d, v, Int[int]) },
		[]string{`{"18446744073709551615":1}`, `{"18446744073709551616":1}`, `{"-1":1}`}, "", "")
	same(t, func(d *Decoder, v *map[netip.Addr]int) { MapText(d, v, (*netip.Addr).UnmarshalText, Int[int]) },
		[]string{`{"::1":1,"10.0.0.1":2}`, `{"10.0.0":1}`}, "", "")
	same(t, func(d *Decoder, v *netip.Prefix) { Text(d, v, (*netip.Prefix).UnmarshalText) },
		[]string{`"10.0.0.0/8"`, `"\u0031\u0030.0.0.0/8"`, `"x"`, `5`}, "", "")
	same(t, Bytes[[]byte], []string{`""`, `"QQ=="`, `"QUI="`, `"QUJD"`, `"QR=="`, `"QQ"`, `"Q-_="`, `"QUJD\n"`, `"QUJD "`, `5`, `[65]`},
		`"QR==" "QUJD\n" [65]`, "")
	same(t, func(d *Decoder, v *[3]int) { Array(d, v[:], Int[int]) }, []string{`[1,2,3]`, `[1,2]`, `[1,2,3,4]`, `[]`, `{}`, `["a",1,2]`},
		`[1,2] [1,2,3,4] []`, "")
	same(t, Time, []string{
		`"2024-02-29T12:30:00Z"`, `"2024-02-29T12:30:00.123456789+05:30"`, `"2024-02-29T12:30:00.1234567891234-00:00"`,
		`"0000-01-01T00:00:00Z"`, `"9999-12-31T23:59:59.999999999-23:59"`, `"2023-02-29T12:30:00Z"`, `"2024-02-29t12:30:00z"`,
		`"2024-02-29T12:30:60Z"`, `"2024-02-29T24:00:00Z"`, `"2024-02-29T1:30:00Z"`, `"2024-02-29T12:30:00,5Z"`, `"2024-02-29T12:30:00"`,
		`"2024-02-29T12:30:00+24:00"`, `"2024-02-29T12:30:00+05:60"`, `"2024-02-29 12:30:00Z"`, `""`, `5`,
	}, `"2024-02-29T1:30:00Z" "2024-02-29T12:30:00,5Z" "2024-02-29T12:30:00+24:00" "2024-02-29T12:30:00+05:60"`, "")
	same(t, func(d *Decoder, v *big.Int) { JSON(d, v, (*big.Int).UnmarshalJSON) },
		[]string{`5`, `-123456789012345678901234567890`, `"x"`, `[]`}, "", "")
	same(t, func(d *Decoder, v *struct{ A int }) { Reflect(d, v) }, []string{`{"A":1}`, `{"A":"x"}`, `[]`, `{"A":1`}, "", "")
}

func TestQuoted(t *testing.T) {
	type quoted struct {
		V int `json:"v,string"`
	}
	for text, ok := range map[string]bool{
		`"5"`: true, `"-5"`: true, `"-0"`: true, `5`: false, `"05"`: false, `"5.0"`: false, `"1e2"`: false, `" 5"`: false, `""`: false,
		`"x"`: false, `"true"`: false, `"null"`: false, `"9223372036854775808"`: false, `"\u0035"`: true,
	} {
		var got int
		err := decode(text, Options{}, &got, func(d *Decoder, v *int) { Quoted(d, v, Int[int]) })
		if (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
		var want quoted
		if stdErr := json.Unmarshal([]byte(`{"v":`+text+`}`), &want); ok && (stdErr != nil || got != want.V) {
			t.Errorf("%s: %v, encoding/json %v, %v", text, got, want.V, stdErr)
		}
	}
	if err := decode(`"-0"`, Options{}, new(uint), func(d *Decoder, v *uint) { Quoted(d, v, Int[uint]) }); err == nil {
		t.Error("-0 is accepted for an unsigned integer in quotes")
	}
	var s string
	if err := decode(`"\"a\\n\""`, Options{}, &s, func(d *Decoder, v *string) { Quoted(d, v, String[string]) }); err != nil || s != "a\n" {
		t.Errorf("%q, %v", s, err)
	}
	// A value after the quoted one is not in quotes.
	var list []int
	if err := decode(`["1","2"]`, Options{}, &list, func(d *Decoder, v *[]int) {
		Slice(d, v, func(d *Decoder, v *int) { Quoted(d, v, Int[int]) })
	}); err != nil {
		t.Error(err)
	}
	equal(t, list, []int{1, 2})
}

func TestLenient(t *testing.T) {
	lenient := Options{Help: Leniency()}
	for text, want := range map[string]string{
		`{"query":"x","limit":"5"}`:                          ``,
		`{"query":"x","limit":"5.0"}`:                        ``,
		`{"query":"x","limit":" 5"}`:                         `limit: must be an integer, got a string " 5"`,
		`{"query":"x","limit":"500"}`:                        `limit: must be at most 100, got 500`,
		`{"query":"x","limit":""}`:                           ``,
		`{"query":"x","exact":"true"}`:                       ``,
		`{"query":"x","exact":"yes"}`:                        `exact: must be a boolean, got a string "yes"`,
		`{"query":"x","weights":{"a":"0.5"}}`:                ``,
		`{"query":"x","page":"{\"number\":\"2\"} "}`:         ``,
		`{"query":"x","page":"{\"number\":0}","limit":"x"}`:  `page.number: must be at least 1, got 0; limit: must be an integer, got a string "x"`,
		`{"query":"x","page":"{\"number\":1,\"number\":2}"}`: `page: must be an object, got a string "{\"number\":1,\"number\":2}"`,
		`{"query":"x","page":"{"}`:                           `page: must be an object, got a string "{"`,
		`{"query":"x","page":"[]"}`:                          `page: must be an object, got a string "[]"`,
		`{"query":"x","filters":"[{\"field\":\"f\",\"op\":\"eq\",\"values\":\"[\\\"a\\\"]\"}]"}`: ``,
		`{"query":"x","filters":"[1]","limit":5}`:                                                `filters[0]: must be an object, got a number 1`,
		`{"query":"x","labels":"{\"a\":\"b\"}"}`:                                                 ``,
		`{"query":5}`:                                                                            ``,
		`{"query":true}`:                                                                         `query: must be a string, got a boolean true`,
		`"{\"query\":\"x\"}"`:                                                                    ``,
	} {
		var v searchArgs
		err := decode(text, lenient, &v, decodeSearch)
		if got := errorText(err); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
		if text[0] == '{' && strings.Contains(text, `"5"`) && v.Limit != 5 {
			t.Errorf("%s: limit is %d", text, v.Limit)
		}
		if decode(text, Options{}, new(searchArgs), decodeSearch) == nil {
			t.Errorf("%s is accepted without lenient mode", text)
		}
	}
	// The depth counts across quoted texts.
	if err := decode(`["[[]]"]`, Options{Help: Leniency(), MaxDepth: 3}, new(tree), deep); err != nil {
		t.Error(err)
	}
	if err := decode(`["[[]]"]`, Options{Help: Leniency(), MaxDepth: 2}, new(tree), deep); err == nil {
		t.Error("a text that nests too deep is accepted")
	}
}

// Lenient enumerations of numbers accept numbers in strings, and list their values in the message
// for any other value.
func TestLenientEnums(t *testing.T) {
	for text, want := range map[string]string{
		`"2"`: "", `2`: "", `"-1"`: "", `"7"`: "must be one of -1, 2, got 7", `true`: "must be one of -1, 2, got a boolean true",
		`{}`: "must be one of -1, 2, got an object", `"x"`: `must be an integer, got a string "x"`,
	} {
		err := decode(text, Options{Help: Leniency()}, new(int), func(d *Decoder, v *int) { IntEnum(d, v, []int{-1, 2}) })
		if got := errorText(err); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestPinning measures the memory that a string retains: at most the short strings around it, with
// which it shares memory.
func TestPinning(t *testing.T) {
	for _, n := range []int{3, 20, 1000} {
		words := make([]string, n)
		for i := range words {
			words[i] = fmt.Sprintf(`"word\u0020%d"`, i)
		}
		words[n/2] = `"` + strings.Repeat("long", 500) + `"`
		text := "[" + strings.Join(words, ", ") + "]"
		var got, want []string
		d := NewDecoder([]byte(text), Options{})
		Slice(d, &got, String[string])
		if size := d.chunk.Cap(); size > len(text) || size > laterChunk {
			t.Errorf("%d strings in %d bytes of text share %d bytes", n, len(text), size)
		}
		if err := d.Finish(); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		equal(t, got, want)
	}
}

// TestInputIsFree overwrites the input after reading it.
func TestInputIsFree(t *testing.T) {
	for _, padding := range []int{0, 4 * laterChunk} {
		data := []byte(`{"a":["x",{"k\n":"v\t"}],"` + strings.Repeat("p", padding) + `":1}`)
		var v any
		var raw json.RawMessage
		d := NewDecoder(data, Options{})
		Any(d, &v)
		if err := d.Finish(); err != nil {
			t.Fatal(err)
		}
		d.Reset(data, Options{})
		Raw(d, &raw)
		if err := d.Finish(); err != nil {
			t.Fatal(err)
		}
		var want any
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		text := string(data)
		clear(data)
		d.Reset([]byte(strings.Repeat("[", 99)), Options{})
		equal(t, v, want)
		equal(t, string(raw), text)
	}
}

func TestFailedReadsLeaveValues(t *testing.T) {
	i, s, f, b, p := 7, "s", 1.5, true, new(int)
	list, m, at, dur := []int{1}, map[string]int{"a": 1}, time.Unix(0, 0), time.Hour
	data := []byte("b")
	addr := netip.MustParseAddr("::1")
	for _, read := range []func(*Decoder){
		func(d *Decoder) { Int(d, &i) }, func(d *Decoder) { String(d, &s) }, func(d *Decoder) { Float(d, &f) },
		func(d *Decoder) { Bool(d, &b) }, func(d *Decoder) { Ptr(d, &p, Int[int]) }, func(d *Decoder) { Slice(d, &list, Int[int]) },
		func(d *Decoder) { Map(d, &m, Int[int]) }, func(d *Decoder) { Time(d, &at) }, func(d *Decoder) { Duration(d, &dur) },
		func(d *Decoder) { Text(d, &addr, (*netip.Addr).UnmarshalText) }, func(d *Decoder) { IntEnum(d, &i, []int{1}) },
		func(d *Decoder) { StringEnum(d, &s, []string{""}) }, func(d *Decoder) { Bytes(d, &data) }, func(d *Decoder) { FloatEnum(d, &f, []float64{1}) },
	} {
		for _, text := range []string{`null`, `[`, `"\ud800"`} {
			d := NewDecoder([]byte(text), Options{})
			read(d)
			if d.Finish() == nil || !d.Failed() {
				t.Errorf("%s is accepted", text)
			}
		}
	}
	equal(t, []any{i, s, f, b, *p, list, m, at, dur, addr.String(), data},
		[]any{7, "s", 1.5, true, 0, []int{1}, map[string]int{"a": 1}, time.Unix(0, 0), time.Hour, "::1", []byte("b")})
}

// TestResetAnywhere resets a decoder that stopped at any position, without Finish.
func TestResetAnywhere(t *testing.T) {
	again := `{"a":{"x":[1,{"k":1}]},"b":{"y":1}}`
	d := new(Decoder)
	for i := range len(again) {
		for _, lenient := range []bool{false, true} {
			d.Reset([]byte(again[:i]), Options{MaxDepth: 4, Help: help(lenient)})
			for o := d.OpenObject(nil); o.Next() && i%3 != 0; {
				Quoted(d, new(string), String[string])
				d.Skip()
			}
			d.Reset([]byte(again), Options{MaxDepth: 4})
			var v any
			if Any(d, &v); d.Finish() != nil {
				t.Errorf("after %s: %v", again[:i], d.Finish())
			}
		}
	}
}

// TestNothingBeyondTheEnd cuts texts whose rest follows in the same memory.
func TestNothingBeyondTheEnd(t *testing.T) {
	for _, text := range append(slices.Clone(texts), searchText, `{"a":{"b":[null,-0.5e+1]},"c":"\u00e9\ud83d\ude00\/é","d":[[{}]]}`) {
		data := []byte(text)
		for i := range len(data) {
			cut := slices.Clone(data[:i])
			if got, want := Valid(data[:i], 0), Valid(cut, 0); errorText(got) != errorText(want) {
				t.Errorf("%q, cut from %q: %v, want %v", cut, text, got, want)
			}
			got := decode(string(cut), Options{}, new(searchArgs), decodeSearch)
			d := NewDecoder(data[:i], Options{})
			var v searchArgs
			if decodeSearch(d, &v); errorText(d.Finish()) != errorText(got) {
				t.Errorf("%q, cut from %q: %v, want %v", cut, text, d.Finish(), got)
			}
		}
	}
}

func TestFreshCollections(t *testing.T) {
	// Reading must neither write to the defaults nor leave them visible.
	list, m := []int{1, 2, 3}, map[string]int{"a": 1}
	keptList, keptMap := list, m
	if err := decode(`[9]`, Options{}, &list, sliceOfInt); err != nil {
		t.Fatal(err)
	}
	if err := decode(`{"b":2}`, Options{}, &m, mapOfInt); err != nil {
		t.Fatal(err)
	}
	equal(t, []any{list, m, keptList, keptMap}, []any{[]int{9}, map[string]int{"b": 2}, []int{1, 2, 3}, map[string]int{"a": 1}})
	var empty []int
	if err := decode(`[]`, Options{}, &empty, sliceOfInt); err != nil || empty == nil {
		t.Errorf("an empty array gives %#v, %v", empty, err)
	}
}

func TestSpan(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{` {"a":"}\"]"} ,`, `{"a":"}\"]"}`}, {`[1,[2]]x`, `[1,[2]]`}, {`"a\\"b`, `"a\\"`}, {`12,`, `12`}, {`true}`, `true`},
		{` null`, `null`}, {`1 2`, `1`}, {`{`, ``}, {`"a`, ``}, {`"a\`, ``}, {``, ``}, {`  `, ``}, {`,`, ``}, {`]`, ``},
	} {
		start, end, ok := Span([]byte(c.text), 0)
		if ok != (c.want != "") || ok && c.text[start:end] != c.want {
			t.Errorf("%s: %d, %d, %v", c.text, start, end, ok)
		}
	}
}

func TestMultiples(t *testing.T) {
	for _, c := range []struct {
		z, w string
		want bool
	}{
		{"0", "3", true}, {"0.00", "7", true}, {"6", "3", true}, {"7", "3", false}, {"-6", "3", true}, {"1e2", "25", true}, {"1e2", "30", false},
		{"0.3", "0.1", true}, {"0.3", "0.2", false}, {"1.10", "0.11", true}, {"1e-7", "1e-8", true}, {"1e-8", "1e-7", false}, {"1e999999999999999", "7", false},
		{"1e999999999999999", "0.0001", true}, {"10", "0.4", true}, {"18446744073709551615", "5", true}, {"123456789012345678901234567890", "9007199254740991", false},
		{"0", "100", true}, {"5", "12345678901234567891", false}, {"6", "18446744073709551619", false}, {"2.5", "0.5", true}, {"0.5", "2.5", false}, {"0.5", "0.25", true}, {"1", "0.3", false},
	} {
		if got := parseDecimal([]byte(c.z)).isMultiple(parseDecimal([]byte(c.w))); got != c.want {
			t.Errorf("%s of %s: %v", c.z, c.w, got)
		}
		z, _ := new(big.Rat).SetString(c.z)
		if w, ok := new(big.Rat).SetString(c.w); ok && z != nil && len(c.z) < 10 {
			if q := z.Quo(z, w); q.IsInt() != c.want {
				t.Errorf("%s of %s: math/big does not agree", c.z, c.w)
			}
		}
	}
}

func TestDuration(t *testing.T) {
	var v time.Duration
	if err := decode(`"1h30m"`, Options{}, &v, Duration); err != nil || v != 90*time.Minute {
		t.Error(v, err)
	}
	if text, err := encode(&v, PutDuration); text != `"1h30m0s"` || err != nil {
		t.Error(text, err)
	}
}

func TestFloatExtremes(t *testing.T) {
	var f float64
	if err := decode(`-0`, Options{}, &f, Float[float64]); err != nil || !math.Signbit(f) {
		t.Error(f, err)
	}
}
