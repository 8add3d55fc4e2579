package codectest

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// FuzzQuery and FuzzRules compare generated decoders with encoding/json: texts that both accept
// have the same value, and neither a decoder nor its error messages panic.
func FuzzQuery(f *testing.F) {
	for _, text := range []string{
		arguments,
		`{"query":"x","page":"{\"number\":2}"}`,
		`{"query":1,"limit":5000,"sort":"yeer","qeury":{"a":1,"a":2}}`,
		`{"filters":[{"field":"","op":"like","values":[]},{}],"query":"x","limit":1e1}`,
	} {
		f.Add(text, false)
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, lenient bool) {
		same(t, text, wire.Options{Help: help(lenient)}, mcpDecodeQuery)
	})
}

func FuzzRules(f *testing.F) {
	for _, c := range wrongMembers {
		f.Add(`{"id":"a",`+c.members+`,"nested":{"id":"b"}}`, false)
		f.Add(`{"id":"a","list":[{"id":"b",`+c.members+`}]}`, true)
	}
	f.Add(`{"id":"a","anything":[1,{"k":null}],"sort":"title","level":2,"small":1e2,"open":0.5,"inQuotes":"-7","name":"abc","code":"ABC",`+
		`"data":"AQI=","address":"::1","when":"2024-02-29T12:30:00+05:30","two":[1,2],"ports":{"-1":2},"hosts":{"::2":1},"exact":1e400}`, false)
	f.Add(`{"id":"a","nested":"{\"id\":\"b\",\"list\":\"[{\\\"id\\\":1}]\"}","byName":{"x y":"{}"}}`, true)
	f.Fuzz(func(t *testing.T, text string, lenient bool) {
		same(t, text, wire.Options{Help: help(lenient)}, mcpDecodeRules)
	})
}

// help returns the help in lenient and in strict mode.
func help(lenient bool) wire.Help {
	if lenient {
		return wire.Leniency()
	}
	return wire.Advice()
}

// same decodes a text with both and compares the values.
func same[T any](t *testing.T, text string, o wire.Options, read func(*wire.Decoder, *T)) {
	var got, want T
	d := wire.NewDecoder([]byte(text), o)
	read(d, &got)
	err := d.Finish()
	stdErr := json.Unmarshal([]byte(text), &want)
	var violations *wire.ArgumentsError
	var syntax *wire.SyntaxError
	switch {
	case err == nil:
		if !json.Valid([]byte(text)) {
			t.Fatalf("%q is accepted, but no JSON", text)
		}
		var mistyped *json.UnmarshalTypeError
		if o.Help == wire.Leniency() || errors.As(stdErr, &mistyped) && onlyHere(mistyped) {
			return
		}
		if stdErr != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%q:\n got %#v\nwant %#v, %v", text, got, want, stdErr)
		}
	case errors.As(err, &violations):
		if !json.Valid([]byte(text)) {
			t.Fatalf("%q: violations, but no JSON: %v", text, err)
		}
		s := violations.Text("x")
		if !utf8.ValidString(s) || strings.Count(s, "\n") > wire.DefaultMaxProblems+1 {
			t.Fatalf("%q: text %q", text, s)
		}
	case errors.As(err, &syntax):
		// encoding/json replaces invalid text, and has no limit of nesting.
		strict := syntax.Duplicate || strings.HasPrefix(syntax.Message, "invalid UTF-8") ||
			strings.HasPrefix(syntax.Message, "lone surrogate") || strings.HasPrefix(syntax.Message, "nested deeper")
		if json.Valid([]byte(text)) && !strict {
			t.Fatalf("%q is refused: %v", text, err)
		}
	default:
		t.Fatalf("%q: %v", text, err)
	}
}

// onlyHere reports whether the generated decoder accepts a value that encoding/json refuses: 1.0
// and 1e2 as integers, and a duration as text.
func onlyHere(err *json.UnmarshalTypeError) bool {
	return strings.HasPrefix(err.Value, "number ") || err.Type.PkgPath() == "time"
}
