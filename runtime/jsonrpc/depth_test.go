package jsonrpc_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// TestTooDeep checks which messages Parse refuses for their nesting, each with one message for all.
func TestTooDeep(t *testing.T) {
	levels := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	var m jsonrpc.Message
	for _, c := range []struct {
		text    string
		tooDeep bool
		code    int // 0 for a message
	}{
		{`{"jsonrpc":"2.0","id":1,"result":` + levels(3) + `}`, false, 0},
		{`{"jsonrpc":"2.0","id":1,"result":` + levels(4) + `}`, true, jsonrpc.CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":1,"error":{"data":` + levels(3) + `}}`, true, jsonrpc.CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":` + levels(2) + `}}`, false, 0},
		{`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":` + levels(3) + `}}`, true, jsonrpc.CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":1,"x":` + levels(4) + `,"y":` + levels(4) + `,"result":1}`, true, jsonrpc.CodeInvalidRequest},
		{levels(5), true, jsonrpc.CodeInvalidRequest},
		{`{"jsonrpc":"1.0","id":1,"result":` + levels(4) + `}`, false, jsonrpc.CodeInvalidRequest}, // the first error
		{`{"jsonrpc":"2.0","id":1,"result":` + levels(4), false, jsonrpc.CodeParse},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, false, 0},
	} {
		code := 0
		if err := (jsonrpc.Parser{MaxDepth: 4}).Parse([]byte(c.text), &m); err != nil {
			code = err.Code
		}
		if m.TooDeep != c.tooDeep || code != c.code {
			t.Errorf("%s: %v, code %d; want %v, %d", c.text, m.TooDeep, code, c.tooDeep, c.code)
		}
	}
}
