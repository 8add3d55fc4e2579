package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// conclusion is the result of a reference parser that uses encoding/json.
type conclusion struct {
	code   int // 0 = accepted
	kind   jsonrpc.MessageKind
	id     string
	method string
}

const referenceDepth = 6

var referenceID = regexp.MustCompile(`^(?s)(-?(0|[1-9][0-9]*)|".*")$`)

// reference parses a message with encoding/json.
func reference(data []byte) conclusion {
	var value any
	if !utf8.Valid(data) || json.Unmarshal(data, &value) != nil {
		return conclusion{code: jsonrpc.CodeParse}
	}
	// Unmarshal replaces lone surrogates.
	if out, _ := json.Marshal(value); bytes.ContainsRune(out, utf8.RuneError) && !bytes.ContainsRune(data, utf8.RuneError) {
		return conclusion{code: jsonrpc.CodeParse}
	}
	depth, duplicate := nesting(data)
	refused := conclusion{code: jsonrpc.CodeInvalidRequest}
	if _, ok := value.([]any); ok && depth <= referenceDepth && !duplicate {
		return conclusion{kind: jsonrpc.Batch}
	}
	all := map[string]json.RawMessage{}
	if json.Unmarshal(data, &all) != nil || value == nil || depth > referenceDepth || duplicate {
		return refused
	}
	c := conclusion{id: string(all["id"])}
	_, answered := all["result"]
	_, failed := all["error"]
	method, called := all["method"]
	_, hasID := all["id"]
	if called && (json.Unmarshal(method, &c.method) != nil || c.method == "") {
		return refused
	}
	if params, ok := all["params"]; ok && params[0] != '{' && params[0] != '[' || failed && all["error"][0] != '{' ||
		hasID && !referenceID.MatchString(c.id) && called || value.(map[string]any)["jsonrpc"] != "2.0" {
		return refused
	}
	if !referenceID.MatchString(c.id) { // of a response: the identifier of an unreadable message
		c.id, hasID = "", false
	}
	switch {
	case called && (answered || failed), answered && failed, answered && !hasID, !called && !answered && !failed:
		return refused
	case answered || failed:
		c.kind = jsonrpc.Response
	case hasID:
		c.kind = jsonrpc.Request
	default:
		c.kind = jsonrpc.Notification
	}
	return c
}

// nesting returns the depth of a valid text, and whether an object contains a duplicate name.
func nesting(data []byte) (depth int, duplicate bool) {
	type level struct {
		names map[string]bool // nil in an array
		value bool
	}
	var open []*level
	d := json.NewDecoder(bytes.NewReader(data))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return depth, duplicate
		}
		if token == json.Delim('}') || token == json.Delim(']') {
			open = open[:len(open)-1]
			continue
		}
		if len(open) > 0 {
			if last := open[len(open)-1]; last.names != nil {
				name, _ := token.(string)
				duplicate = duplicate || !last.value && last.names[name]
				if !last.value {
					last.names[name] = true
				}
				last.value = !last.value
			}
		}
		switch token {
		case json.Delim('{'):
			open = append(open, &level{names: map[string]bool{}})
		case json.Delim('['):
			open = append(open, &level{})
		}
		depth = max(depth, len(open))
	}
}

// changes calls f with a text, and with it after each change of one byte.
func changes(text string, f func(data []byte)) {
	f([]byte(text))
	for i := range len(text) + 1 {
		f([]byte(text[:i]))
		for _, c := range "{}[]\",:\\ \n\r\t09a-.eEu\x00\x1f\x7f" {
			f([]byte(text[:i] + string(c) + text[i:]))
			if i < len(text) {
				f([]byte(text[:i] + string(c) + text[i+1:]))
			}
		}
		if i < len(text) {
			f([]byte(text[:i] + text[i+1:]))
			f([]byte(text[:i] + "\xff" + text[i+1:]))
		}
	}
}

var referenceTexts = []string{
	`{"jsonrpc":"2.0","id":10,"method":"m","params":{"a":[1,{"b":"}\\\""}],"c":null,"é":true}}`,
	` { "jsonrpc" : "2.0" , "id" : "\u0061\ud83d\ude00" , "method" : "p\u0069ng\n" , "x" : [ ] } `,
	`{"jsonrpc":"2.0","method":"n","params":[false,-1.5e3]}`,
	`{"jsonrpc":"2.0","id":-1,"result":{"a":{},"a1":[{"b":1,"b1":2}]}}`,
	`{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"\/\b\f\r\t"}}`,
	`{"jsonrpc":"2.0","error":{}}`, `{"jsonrpc":"2.0","result":{}}`, `{"jsonrpc":"2.0","id":1,"result":1,"error":{}}`,
	`{"jsonrpc":"2.0","id":1,"method":"m","result":1}`, `{"jsonrpc":"2.0","id":1.5,"method":"m"}`, `{"jsonrpc":"2.0","id":1}`,
	`{"jsonrpc":"2.0","id":1,"id1":{"a":1,"a1":1},"method":"m","params":{"a":0,"b":1,"\u0061":2}}`,
	`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":[[[[]]]],"b":{"c":[[{}]]}}}`,
	` [{"jsonrpc":"2.0","method":"m"},1,{"a":[[[]]],"b":1}] `,
	`{}`, `[]`, `"a"`, `tru`, `null`, `-0.1e+9`, "", "\ufeff{}",
}

// Parse and a reference that uses encoding/json agree about messages and about all changes of one
// byte.
func TestParseLikeReference(t *testing.T) {
	p := jsonrpc.Parser{MaxDepth: referenceDepth}
	var m jsonrpc.Message
	wrong := 0
	check := func(data []byte) {
		want := reference(data)
		err := p.Parse(data, &m)
		var got conclusion
		if err != nil {
			got.code = err.Code
		} else {
			got = conclusion{kind: m.Kind, id: m.ID.String(), method: string(m.Method)}
		}
		if got != want {
			if wrong++; wrong < 20 {
				t.Errorf("%q: %+v, %v; want %+v", data, got, err, want)
			}
		}
	}
	for _, text := range referenceTexts {
		changes(text, check)
	}
}

// Members and Elements return the same parts as encoding/json. They end at text that is not JSON.
func TestPartsLikeReference(t *testing.T) {
	for _, text := range referenceTexts {
		changes(text, func(data []byte) {
			var members, elements []string
			jsonrpc.Members(data, func(name, value []byte) bool {
				members = append(members, string(name)+" "+string(value))
				return true
			})
			jsonrpc.Elements(data, func(value []byte) bool {
				elements = append(elements, string(value))
				return true
			})
			if !json.Valid(data) || !utf8.Valid(data) || strings.Contains(string(data), `\u`) {
				return
			}
			var wantMembers, wantElements []string
			var array []json.RawMessage
			if json.Unmarshal(data, &array) == nil {
				for _, v := range array {
					wantElements = append(wantElements, string(v))
				}
			}
			if d := json.NewDecoder(bytes.NewReader(data)); bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
				for _, _ = d.Token(); d.More(); {
					var value json.RawMessage
					name, _ := d.Token()
					_ = d.Decode(&value)
					wantMembers = append(wantMembers, fmt.Sprint(name)+" "+string(value))
				}
			}
			if fmt.Sprint(members) != fmt.Sprint(wantMembers) || fmt.Sprint(elements) != fmt.Sprint(wantElements) {
				t.Errorf("%q: %q and %q, want %q and %q", data, members, elements, wantMembers, wantElements)
			}
		})
	}
	jsonrpc.Members([]byte(`{"a":[1`), func(name, value []byte) bool {
		t.Errorf("an array without an end is %s", value)
		return true
	})
	jsonrpc.Elements([]byte(`[{"a":1`), func(value []byte) bool {
		t.Errorf("an object without an end is %s", value)
		return true
	})
}
