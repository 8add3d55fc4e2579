package wire

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// lossless has one member of each kind that lenient mode reads from strings.
type lossless struct {
	Int    int64
	Uint   uint8
	Float  float64
	Small  float32
	Bool   bool
	Number json.Number
	Str    string
	Any    any
	Raw    json.RawMessage
	Ints   []int64
	Strs   []string
	Anys   []any
	Map    map[string]int
	Maps   []map[string]int
	Ptr    *int64
	Enum   int
	Pair   [2]int
}

var losslessFields = Fields{
	{Name: "int"}, {Name: "uint"}, {Name: "float"}, {Name: "small"}, {Name: "bool"}, {Name: "number"}, {Name: "str"}, {Name: "any"}, {Name: "raw"},
	{Name: "ints"}, {Name: "strs"}, {Name: "anys"}, {Name: "map"}, {Name: "maps"}, {Name: "ptr"}, {Name: "enum"}, {Name: "pair"},
}

func readLossless(d *Decoder, v *lossless) {
	for o := d.Object(losslessFields); o.Next(); {
		switch o.Name() {
		case "int":
			Int(d, &v.Int)
		case "uint":
			Int(d, &v.Uint)
		case "float":
			Float(d, &v.Float)
		case "small":
			Float(d, &v.Small)
		case "bool":
			Bool(d, &v.Bool)
		case "number":
			Number(d, &v.Number)
		case "str":
			String(d, &v.Str)
		case "any":
			Any(d, &v.Any)
		case "raw":
			Raw(d, &v.Raw)
		case "ints":
			Slice(d, &v.Ints, Int)
		case "strs":
			Slice(d, &v.Strs, String)
		case "anys":
			Slice(d, &v.Anys, Any)
		case "map":
			Map(d, &v.Map, Int)
		case "maps":
			Slice(d, &v.Maps, func(d *Decoder, v *map[string]int) { Map(d, v, Int) })
		case "ptr":
			Ptr(d, &v.Ptr, Int)
		case "enum":
			IntEnum(d, &v.Enum, []int{1, 5})
		case "pair":
			Array(d, v.Pair[:], Int)
		}
	}
}

var (
	quotedInteger = regexp.MustCompile(`"(\d+)"`)
	plainNumber   = regexp.MustCompile(`-?\d[\d.eE+-]*`)
)

// If lenient mode reads a string as another value, then the string is the JSON of that value, which
// the strict decoder reads the same; for a list it may also be an element.
func TestLenientLosesNothing(t *testing.T) {
	texts := []string{
		"", " ", "0", "-0", "5", " 5", "5 ", "+5", "05", "5.", ".5", "5.0", "5.00000000000000000000", "5.0000000000000000001", "5e0", "50e-1", "0x10", "1_000",
		"1,000", "1e400", "-1e400", "1e-400", "255", "256", "255.0", "9007199254740993", "9007199254740993.0", "9223372036854775807", "9223372036854775808",
		"9223372036854775807.0", "-9223372036854775808", "1e18", "1e19", "16777217", "3.4028236e38", "NaN", "Infinity", "true", "TRUE", "yes", "1", "null",
		"abc", `"5"`, `"true"`, `["a"]`, `[1]`, `[1,2]`, `["5"]`, `[1`, `[1]]`, `[1] x`, ` [1]`, `[1] `, `[]`, `{}`, ` {} `, `{"a":1}`, `{"a":"1"}`, `{"a":1,"a":2}`,
		`{"a":1}{}`, `[{"a":1},{"a":1,"a":2}]`, `"[1]"`, `"\"[1]\""`, `["[1]"]`, `[null]`, `[""]`, "\u00a05", "５", "5\n", "\t5", "[1\x00]", `[1,]`, `//`,
		`[9007199254740993]`, `["9007199254740993"]`, `[1e400]`, strings.Repeat("[", 600) + strings.Repeat("]", 600), strings.Repeat("[", 10000),
	}
	accepted := 0
	for _, text := range texts {
		quoted := string(AppendString(nil, text))
		for _, f := range losslessFields {
			member := func(value string, o Options) (lossless, error) {
				v := lossless{Int: 77, Uint: 77, Float: 77, Enum: 1}
				return v, decode(fmt.Sprintf(`{%q:%s}`, f.Name, value), o, &v, readLossless)
			}
			got, err := member(quoted, Options{Help: Leniency()})
			if err != nil {
				if strings.Count(err.Error(), "\n") > 0 || !strings.HasPrefix(err.Error(), f.Name) {
					t.Errorf("%s %.50q: %v", f.Name, text, err)
				}
				continue
			}
			accepted++
			if math.IsNaN(got.Float) || math.IsInf(got.Float, 0) || math.IsInf(float64(got.Small), 0) {
				t.Errorf("%s %.50q: %+v", f.Name, text, got)
			}
			// As written; as the value in the string, with the values of inner strings; as an
			// element; with strings for the inner numbers; as if missing.
			inner := quotedInteger.ReplaceAllString(text, "$1")
			forms := []string{quoted, text, inner, "[" + quoted + "]", "[" + text + "]", "[" + inner + "]", plainNumber.ReplaceAllString(text, `"$0"`)}
			if text == "" {
				forms = append(forms, "null")
			}
			found := false
			for _, form := range forms {
				want, err := member(form, Options{})
				found = found || err == nil && reflect.DeepEqual(got, want)
			}
			if !found {
				t.Errorf("%s takes %.50q as %+v", f.Name, text, got)
			}
		}
	}
	if accepted < 200 {
		t.Errorf("%d are accepted", accepted)
	}
}
