package schema

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/invopop/jsonschema"

	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

func zooSource(t testing.TB) *snippet {
	t.Helper()
	text, err := os.ReadFile("zoo_test.go")
	if err != nil {
		t.Fatal(err)
	}
	return checkSource(t, map[string]string{"zoo.go": string(text)})
}

// TestFieldsLikeEncodingJSON compares the fields of every plan with the members that encoding/json
// writes: their names, their order, and the omitted ones.
func TestFieldsLikeEncodingJSON(t *testing.T) {
	s := zooSource(t)
	for _, v := range zoo {
		typ := reflect.TypeOf(v)
		t.Run(typ.Name(), func(t *testing.T) {
			plan := s.plan(t, typ.Name())
			full := reflect.New(typ)
			fill(full.Elem(), 0)
			text, err := json.Marshal(full.Interface())
			if err != nil {
				t.Fatal(err)
			}
			var want, got []string
			members := membersOf(t, text)
			for _, m := range members {
				want = append(want, m.name)
			}
			for _, f := range plan.Fields {
				if f.OmitEmpty && f.Type.Kind == model.Array && f.Type.Len == 0 {
					continue // never written
				}
				got = append(got, f.Name)
				i := slices.IndexFunc(members, func(m jsonMember) bool { return m.name == f.Name })
				if i >= 0 && f.Quoted && members[i].text[0] != '"' {
					t.Errorf("%s is not quoted: %s", f.Name, members[i].text)
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("members (-encoding/json +plan):\n%s", d)
			}

			empty, err := json.Marshal(reflect.New(typ).Interface())
			if err != nil {
				t.Fatal(err)
			}
			var there []string
			for _, m := range membersOf(t, empty) {
				there = append(there, m.name)
			}
			w := &renderer{output: true}
			for _, f := range plan.Fields {
				written := slices.Contains(there, f.Name)
				if f.Type.Kind == model.Pointer && !f.OmitEmpty && !f.OmitZero {
					written = false // null there, omitted here
				}
				if Required(f, w.output) != written {
					t.Errorf("%s: required on output is %v, written when empty: %v", f.Name, Required(f, w.output), written)
				}
			}

			for _, schema := range []string{inspectSchema(t, inputText(plan), true), inspectOutput(t, outputText(plan))} {
				if err := compile(t, schema).Validate(unmarshal(t, text)); err != nil {
					t.Errorf("%s is not valid: %v\n%s", text, err, schema)
				}
			}
		})
	}
}

// TestFieldsOfOneForm checks the tags from which encoding/json makes other members from Go 1.27 on:
// the members are the same as in Go 1.26 in every version.
func TestFieldsOfOneForm(t *testing.T) {
	s := check(t, `
type X struct {
	Escape  int `+"`json:\"a\\\\b\"`"+`
	Single  int `+"`json:\"q'q\"`"+`
	Quote   int `+"`json:\"q\\\"q\"`"+`
	Control int `+"`json:\"c\\x00\"`"+`
	Symbol  int `+"`json:\"€,omitempty\"`"+`
	Embed   Y   `+"`json:\",embed\"`"+`
	Case    int `+"`json:\"c,case:ignore\"`"+`
	Format  int `+"`json:\"f,format:x\"`"+`
	Behind  int `+"`json:\"b,omitempty x\"`"+`
}
type Y struct{ A int }
`)
	const want = `{"type":"object","properties":{"Escape":{"type":"integer"},"Single":{"type":"integer"},"Quote":{"type":"integer"},` +
		`"Control":{"type":"integer"},"Symbol":{"type":"integer"},"Embed":{"type":"object","properties":{"A":{"type":"integer"}},"required":["A"]},` +
		`"c":{"type":"integer"},"f":{"type":"integer"},"b":{"type":"integer"}},` +
		`"required":["Escape","Single","Quote","Control","Embed","c","f","b"]}`
	if got := outputText(s.plan(t, "X")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func unmarshal(t testing.TB, text []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

type jsonMember struct{ name, text string }

// membersOf returns the members of a JSON object, in its order.
func membersOf(t testing.TB, text []byte) []jsonMember {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	if _, err := dec.Token(); err != nil {
		t.Fatal(err)
	}
	var out []jsonMember
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			t.Fatal(err)
		}
		out = append(out, jsonMember{name.(string), string(raw)})
	}
	return out
}

// fill sets every settable part to a value other than zero.
func fill(v reflect.Value, depth int) {
	if !v.CanSet() || depth > 5 {
		return
	}
	switch p := v.Addr().Interface().(type) {
	case *time.Time:
		*p = time.Date(2024, 2, 29, 1, 2, 3, 0, time.UTC)
		return
	case *netip.Addr:
		*p = netip.MustParseAddr("192.0.2.1")
		return
	case *json.RawMessage:
		*p = json.RawMessage(`{"a":[1]}`)
		return
	case *json.Number:
		*p = "1"
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("x")
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth+1)
	case reflect.Interface:
		v.Set(reflect.ValueOf("any"))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), depth+1)
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), depth+1)
		}
	case reflect.Map:
		key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, depth+1)
		fill(elem, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, elem)
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.Name == "Email" {
				v.Field(i).SetString("ada@example.com")
				continue
			}
			if f.Anonymous && f.Type.Kind() == reflect.Pointer && f.Type.Elem() == v.Type() {
				continue // contains itself
			}
			fill(v.Field(i), depth+1)
		}
	default:
		if v.CanInt() {
			v.SetInt(1)
		} else if v.CanUint() {
			v.SetUint(1)
		} else if v.CanFloat() {
			v.SetFloat(1)
		}
	}
}

// TestLikeInvopop compares the plain types with the output of invopop's Reflector, except the
// bounds of the Go kinds.
func TestLikeInvopop(t *testing.T) {
	s := zooSource(t)
	reflector := &jsonschema.Reflector{DoNotReference: true, Anonymous: true}
	for _, v := range zooPlain {
		typ := reflect.TypeOf(v)
		t.Run(typ.Name(), func(t *testing.T) {
			text, err := json.Marshal(reflector.Reflect(v))
			if err != nil {
				t.Fatal(err)
			}
			want := unmarshal(t, text).(map[string]any)
			delete(want, "$schema")
			got := unmarshal(t, []byte(inputText(s.plan(t, typ.Name()))))
			if d := cmp.Diff(alike(want), alike(got)); d != "" {
				t.Errorf("(-invopop +plan):\n%s", d)
			}
		})
	}
}

// alike removes intended differences: the bounds of integer kinds.
func alike(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if v["type"] == "integer" {
			for key, limits := range map[string][]string{
				"minimum": {"0", "-128", "-32768", "-2147483648"}, "maximum": {"127", "255", "65535", "2147483647"},
			} {
				if n, ok := v[key].(json.Number); ok && slices.Contains(limits, n.String()) {
					delete(v, key)
				}
			}
		}
		for key, sub := range v {
			v[key] = alike(sub)
		}
	case []any:
		for i := range v {
			v[i] = alike(v[i])
		}
	}
	return v
}

// TestDeviations lists the differences from invopop, with the reason: the encoding/json form of a
// value that must be valid.
func TestDeviations(t *testing.T) {
	s := zooSource(t)
	reflector := &jsonschema.Reflector{DoNotReference: true, Anonymous: true}
	for _, tt := range []struct {
		why string
		v   any
	}{
		{"text marshalers are objects there; keys are never negative", ZooSpecial{}},
		{"json:\"-,\" is dropped there, and inline flattens", ZooNames{}},
		{"conflicts between embedded structs are not resolved there", ZooConflict{}},
	} {
		text, err := json.Marshal(reflector.Reflect(tt.v))
		if err != nil {
			t.Fatal(err)
		}
		full := reflect.New(reflect.TypeOf(tt.v))
		fill(full.Elem(), 0)
		value, err := json.Marshal(full.Interface())
		if err != nil {
			t.Fatal(err)
		}
		ours := outputText(s.plan(t, reflect.TypeOf(tt.v).Name()))
		if accepts(t, compile(t, string(text)), string(value)) || !accepts(t, compile(t, ours), string(value)) {
			t.Errorf("%s: no longer so", tt.why)
		}
	}
}

// TestDurationPattern compares the pattern of durations with the texts that Go accepts.
func TestDurationPattern(t *testing.T) {
	s := check(t, "import \"time\"\nfunc X(d time.Duration) {}")
	f := find(object(t, s, "X"), []string{"d"})
	schema := compile(t, Marshal((&renderer{}).field(f)))
	for _, text := range strings.Fields("0 +0 -0 00 1 1s 1h30m -1.5h .5s 1.s . .s 1e3s 1µs 1μs 1us 1ms 1m1m +1ns --1s 1S 1d 1h_ 1h,2m s 5.0.0s") {
		_, err := time.ParseDuration(text)
		if valid := accepts(t, schema, jsontext.Quote(text)); valid != (err == nil) {
			t.Errorf("%q: valid %v, ParseDuration: %v", text, valid, err)
		}
	}
}

// TestMarshal checks that the writer writes all fields of invopop's model.
func TestMarshal(t *testing.T) {
	text := `{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://example.com/x","$anchor":"a","type":"object",` +
		`"title":"<T>","description":"D","enum":[1,"a"],"const":1,"format":"f","contentEncoding":"base64","contentMediaType":"m/n",` +
		`"minLength":1,"maxLength":2,"pattern":"p","minimum":1,"exclusiveMinimum":2,"maximum":3,"exclusiveMaximum":4,"multipleOf":5,` +
		`"prefixItems":[{"type":"null"}],"items":{"type":"string"},"contains":{"type":"string"},"minContains":1,"maxContains":2,` +
		`"minItems":1,"maxItems":2,"uniqueItems":true,"properties":{"b":{"type":"string"},"a":{}},"required":["b"],` +
		`"patternProperties":{"^a":{"type":"null"}},"propertyNames":{"pattern":"x"},"additionalProperties":{"type":"null"},` +
		`"minProperties":1,"maxProperties":2,"dependentRequired":{"a":["b"]},"dependentSchemas":{"a":{"type":"null"}},` +
		`"allOf":[{"type":"null"}],"anyOf":[{"type":"null"}],"oneOf":[{"type":"null"}],"not":{"type":"null"},"if":{"type":"null"},` +
		`"then":{"type":"null"},"else":{"type":"null"},"contentSchema":{"type":"null"},"default":{"x":1},"examples":[1],` +
		`"readOnly":true,"writeOnly":true,"deprecated":true,"$comment":"c","$defs":{"d":{"type":"null"}}}`
	s := new(jsonschema.Schema)
	if err := json.Unmarshal([]byte(text), s); err != nil {
		t.Fatal(err)
	}
	if got := Marshal(s); got != text {
		t.Errorf("got\n%s\nwant\n%s", got, text)
	}
	if got := Marshal(&jsonschema.Schema{AdditionalProperties: jsonschema.FalseSchema, Description: "`\ufeff\n</>"}); got != `{"description":"\u0060\ufeff\n</>","additionalProperties":false}` {
		t.Errorf("got %s", got)
	}
}
