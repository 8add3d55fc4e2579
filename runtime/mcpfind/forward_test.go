package mcpfind_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcpfind"
)

// FuzzForward sends any text as the arguments of a tool, directly and through use_tool: the replies
// are the same, except for the schema that use_tool adds for invalid arguments.
func FuzzForward(f *testing.F) {
	for _, text := range []string{
		`{"amount":5}`, `{"amount":"x"}`, `{}`, ` { "amount" : 1e2 } `, `{"amount":1,"amount":2}`, `{"amount":}`, `{"a":{"b":[[[]]]}}`,
		`{"amount":5`, `}`, ``, `null`, `5`, `"{\"amount\":5}"`, `"{"`, `[]`, `{"amount":5},"x":1`, `{"\u0061mount":5}`, "{\"amount\":5,\"\xff\":1}",
		`{"amount":5}}`, `{"name":"orders_refund"}`, `{"amount":5},"name":"stock_level_1"`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "\n\r") {
			return
		}
		direct := replyTo(t, `{"name":"orders_refund","arguments":`+text+`}`)
		through := replyTo(t, `{"name":"use_tool","arguments":{"name":"orders_refund","arguments":`+text+`}}`)
		if !json.Valid([]byte(text)) || strings.TrimLeft(text, " \t")[0] != '{' {
			return // the first reply is an error, and the other call may have nothing to forward
		}
		if !strings.HasPrefix(inCommon(through), inCommon(direct)) {
			t.Errorf("%s\n%s\n%s", text, direct, through)
		}
	})
}

// replyTo returns the only reply to a call with these params and _meta.
func replyTo(t *testing.T, params string) string {
	client, wait := newShop(mcpfind.New()).Connect(t.Context())
	defer func() {
		client.Close()
		_ = wait()
	}()
	params = strings.Replace(params, `{`, `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},`, 1)
	if err := client.Write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":%s}`+"\n", params)); err != nil {
		t.Fatal(err)
	}
	reply, err := client.Read()
	if err != nil || !json.Valid(reply) {
		t.Fatalf("%s: %s, %v", params, reply, err)
	}
	return string(reply)
}

// inCommon returns the common part of the replies: the content up to its end, or the code of an
// error.
func inCommon(reply string) string {
	var r struct {
		Error  *struct{ Code int }
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal([]byte(reply), &r); err != nil {
		return err.Error()
	}
	if r.Error != nil {
		return fmt.Sprint("error ", r.Error.Code)
	}
	return fmt.Sprint(r.Result.IsError, " ", r.Result.Content[0].Text)
}
