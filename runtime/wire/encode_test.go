package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// marshalled returns the output of encoding/json without HTML escapes. For a byte that is not UTF-8
// encoding/json writes \ufffd up to Go 1.26, and U+FFFD itself from Go 1.27 on; marshalled and
// generated code always write the escape. Such bytes may be in a string, or in a map with one
// member.
func marshalled(t testing.TB, v any) string {
	t.Helper()
	mark := ""
	switch s := v.(type) {
	case string:
		mark = unused(s)
		v = marked(s, mark)
	case map[string]string:
		for key, value := range s {
			mark = unused(key + value)
			v = map[string]string{marked(key, mark): marked(value, mark)}
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	text := strings.TrimSuffix(b.String(), "\n")
	if mark != "" {
		text = strings.ReplaceAll(text, mark, `\ufffd`)
	}
	return text
}

// unused returns a character that s does not contain.
func unused(s string) string {
	c := utf8.MaxRune
	for strings.ContainsRune(s, c) {
		c--
	}
	return string(c)
}

// marked replaces each byte that is not UTF-8 with a mark.
func marked(s, mark string) string {
	var b strings.Builder
	for i, c := range s {
		if _, size := utf8.DecodeRuneInString(s[i:]); c == utf8.RuneError && size == 1 {
			b.WriteString(mark)
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// sameText compares one writer with encoding/json, byte by byte.
func sameText[T any](t *testing.T, write func(*Encoder, *T), values ...T) {
	t.Helper()
	for _, v := range values {
		got, err := encode(&v, write)
		if want := marshalled(t, v); err != nil || got != want {
			t.Errorf("%T: got %s, %v, want %s", v, got, err, want)
		}
		if err := Valid([]byte(got), 0); err != nil {
			t.Errorf("%T: %s: %v", v, got, err)
		}
	}
}

func TestEncodeAgainstEncodingJSON(t *testing.T) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	sameText(t, PutBool[bool], true, false)
	sameText(t, PutInt[int], 0, -1, math.MaxInt, math.MinInt)
	sameText(t, PutInt[int8], -128, 127)
	sameText(t, PutInt[uint64], 0, math.MaxUint64)
	sameText(t, PutInt[time.Duration], time.Hour)
	sameText(t, PutFloat[float64], 0, math.Copysign(0, -1), 1, 0.1, 1e-6, 9.99e-7, 1e-7, 1e-10, 1e20, 1e21, 1e22, 123456789.5, math.MaxFloat64, math.SmallestNonzeroFloat64, -1.5e-9)
	sameText(t, PutFloat[float32], 0.1, 1e-6, 9.99e-7, 1e21, 1e20, math.MaxFloat32, math.SmallestNonzeroFloat32, 16777216)
	sameText(t, PutString[string], "", "abc", string(all), "é😀\u2028\u2029\uFFFD\U0010FFFF", "<&>", "a\xffb\xc3", "12345678\"", "1234567\\", strings.Repeat("x", 100)+"\n"+strings.Repeat("ü", 10), "\xe2\x80")
	sameText(t, PutBytes[[]byte], []byte{}, []byte("A"), all)
	sameText(t, PutTime, time.Date(2024, 2, 29, 12, 30, 0, 123000000, time.UTC), time.Date(0, 1, 1, 0, 0, 0, 0, time.FixedZone("", -5400)))
	sameText(t, PutNumber, "", "1", "-1.50e+400")
	sameText(t, PutRaw[json.RawMessage], nil, json.RawMessage(" { \"a b\" : [ 1 , \"x \\\" y\" ] }\n"))
	sameText(t, func(e *Encoder, v *map[string]int) { PutMap(e, *v, PutInt[int]) }, map[string]int{}, map[string]int{"b": 1, "a\n": 2, "": 3})
	sameText(t, func(e *Encoder, v *map[int]bool) { PutMapInt(e, *v, PutBool[bool]) }, map[int]bool{10: true, 2: false, -1: true})
	sameText(t, func(e *Encoder, v *map[netip.Addr]int) { PutMapText(e, *v, (*netip.Addr).MarshalText, PutInt[int]) },
		map[netip.Addr]int{netip.MustParseAddr("::1"): 1, netip.MustParseAddr("10.0.0.1"): 2})
	sameText(t, func(e *Encoder, v *[]*int) {
		PutSlice(e, *v, func(e *Encoder, v **int) { PutPtr(e, *v, PutInt[int]) })
	}, []*int{nil, new(int)}, []*int{})
	sameText(t, func(e *Encoder, v *netip.Addr) { PutText(e, v, (*netip.Addr).MarshalText) }, netip.MustParseAddr("::1"))
	sameText(t, func(e *Encoder, v **big.Int) { PutJSON(e, *v, (*big.Int).MarshalJSON) }, big.NewInt(-5))
	sameText(t, PutReflect[struct{ A, B any }], struct{ A, B any }{1, "x"})
	var nilSlice []any
	var nilMap map[string]any
	sameText[any](t, PutAny, any(nil), true, "x\n", 1, int64(2), 1.5, json.Number("7"), nilSlice, nilMap, []any{}, map[string]any{},
		map[string]any{"b": []any{nil, 1.0, map[string]any{"a": "é"}}, "a": 1}, []string{"a"}, struct{ A int }{1}, int8(3), time.Unix(0, 0).UTC(), []int(nil))
}

func TestNilCollections(t *testing.T) {
	e := NewEncoder(nil)
	e.BeginArray()
	PutSlice(e, []int(nil), PutInt[int])
	PutMap(e, map[string]int(nil), PutInt[int])
	PutMapInt(e, map[int]int(nil), PutInt[int])
	var b []byte
	PutBytes(e, &b)
	PutPtr(e, (*int)(nil), PutInt[int])
	e.EndArray()
	if got := string(e.Bytes()); got != `[[],{},{},"",null]` || e.Err() != nil {
		t.Error(got, e.Err())
	}
}

func TestPutQuoted(t *testing.T) {
	n, s, b := -5, "a\"\n", true
	e := NewEncoder(nil)
	e.BeginArray()
	PutQuoted(e, &n, PutInt[int])
	PutQuoted(e, &s, PutString[string])
	PutQuoted(e, &b, PutBool[bool])
	e.EndArray()
	want := marshalled(t, struct {
		N int    `json:",string"`
		S string `json:",string"`
		B bool   `json:",string"`
	}{n, s, b})
	want = strings.NewReplacer(`{"N":`, "[", `"S":`, "", `"B":`, "", "}", "]").Replace(want)
	if got := string(e.Bytes()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPutAnyFailures(t *testing.T) {
	circle := []any{nil}
	circle[0] = circle
	for _, v := range []any{circle, math.NaN(), []any{math.Inf(1)}, map[string]any{"a": func() {}}, json.Number("x"), json.RawMessage(`{"a":1,"a":2}`)} {
		if got, err := encode(&v, PutAny); err == nil {
			t.Errorf("%T is written as %.40s", v, got)
		}
	}
	v := any(errors.New("not found"))
	if got, err := encode(&v, PutAny); got != `"not found"` || err != nil {
		t.Error(got, err)
	}
	two := map[[1]int]int{{1}: 1, {2}: 2}
	e := NewEncoder(nil)
	PutMapText(e, two, func(*[1]int) ([]byte, error) { return []byte("k"), nil }, PutInt[int])
	if e.Err() == nil || Valid(append([]byte(nil), `{"a":1}`...), 0) != nil {
		t.Error("two keys of one text are written")
	}
}

func TestAppendKeepsWhatIsThere(t *testing.T) {
	b := AppendString([]byte("x="), json.RawMessage("{\n}"))
	b = AppendInt(append(b, ' '), -1)
	b = AppendUint(append(b, ' '), 1)
	b = AppendBool(append(b, ' '), true)
	b, err := Compact(append(b, ' '), []byte("[ 1 ]"), 0)
	if string(b) != `x="{\n}" -1 1 true [1]` || err != nil {
		t.Errorf("%s, %v", b, err)
	}
	if _, err := Compact(nil, []byte("[1"), 0); err == nil {
		t.Error("half an array is compacted")
	}
}

func TestEncoderReset(t *testing.T) {
	e := NewEncoder(make([]byte, 0, 64))
	nan := math.NaN()
	PutFloat(e, &nan)
	e.Reset()
	if n := 5; true {
		PutInt(e, &n)
	}
	if e.Err() != nil || string(e.Bytes()) != "5" {
		t.Error(e.Err(), string(e.Bytes()))
	}
}

// TestFloats compares numbers of few digits and their neighbours, random numbers and the ends of
// every range with encoding/json, both ways.
func TestFloats(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	n := tries(10_000)
	check := func(f float64) {
		for _, f := range [...]float64{f, -f, math.Nextafter(f, 0), math.Nextafter(f, math.MaxFloat64)} {
			want := marshalled(t, f)
			if got := string(AppendFloat(nil, f, 64)); got != want {
				t.Fatalf("%b is written as %s, want %s", f, got, want)
			}
			var back float64
			if err := decode("["+want+"]", Options{}, &back, func(d *Decoder, v *float64) { Array(d, []float64{0}, func(d *Decoder, x *float64) { Float(d, v) }) }); err != nil || back != f {
				t.Fatalf("%s is read as %b, %v, want %b", want, back, err, f)
			}
		}
	}
	for _, f := range []float64{0, 1e-6, 9.99e-7, 1e9, 1e15, 999999999.999999, 999999999.9999999, 1 << 53, 1e21, math.MaxFloat64, math.SmallestNonzeroFloat64} {
		check(f)
	}
	for range n {
		digits := float64(r.Int64N(1 << r.IntN(54)))
		check(digits / exactPowers[r.IntN(16)])
		if f := math.Float64frombits(r.Uint64()); !math.IsNaN(f) && !math.IsInf(f, 0) {
			check(f)
		}
	}
}

// TestStringRuns writes every byte at every index of strings of each length for which the search
// for special bytes takes another path.
func TestStringRuns(t *testing.T) {
	for n := range 20 {
		for i := range n {
			for c := range 256 {
				for _, around := range "a \b\"" {
					b := bytes.Repeat([]byte{byte(around)}, n)
					b[i] = byte(c)
					s := strings.ToValidUTF8(string(b), "\uFFFD")
					want := marshalled(t, s)
					if got := string(AppendString(nil, s)); got != want {
						t.Fatalf("%q is written as %s, want %s", s, got, want)
					}
					var back string
					if err := decode(want, Options{}, &back, String); err != nil || back != s {
						t.Fatalf("%q is read back as %q, %v", s, back, err)
					}
				}
			}
		}
	}
}
