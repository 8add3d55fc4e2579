package mcpclient_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// TestSkippedMessages: a message that is too long fails the request that it replies to, and no
// other.
func TestSkippedMessages(t *testing.T) {
	x := strings.Repeat("x", 2<<20)
	for name, c := range map[string]struct {
		text  string // ID is replaced by the id of the call
		fails bool
	}{
		"reply":              {`{"jsonrpc":"2.0","id":ID,"result":{"x":"` + x + `"}}`, true},
		"reply, id last":     {`{"result":{"x":"` + x + `"},"jsonrpc":"2.0","id":ID}`, true},
		"error":              {`{"jsonrpc":"2.0","error":{"code":1,"message":"` + x + `"},"id":ID}`, true},
		"no kind and no id":  {`{"x":"` + x + `"}`, true}, // it belongs to the only request
		"another id":         {`{"jsonrpc":"2.0","id":4711,"result":{"x":"` + x + `"}}`, false},
		"question, same id":  {`{"jsonrpc":"2.0","id":ID,"method":"sampling/createMessage","params":{"x":"` + x + `"}}`, false},
		"notification":       {`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"` + x + `"}}`, false},
		"notification, last": {`{"jsonrpc":"2.0","params":{"data":"` + x + `"},"method":"notifications/message"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var v violations
				s := &scripted{handle: legacy(func(_ int, m message) []string {
					if m.Method != "tools/call" {
						return nil
					}
					return []string{strings.Replace(c.text, "ID", string(m.ID), 1), m.reply(okResult)}
				})}
				o := mcpclient.Options{OnProtocolError: v.add}
				o.Limits.MessageBytes = 1 << 20
				client := connect(t, s, o)
				result, err := client.Call(t.Context(), "x", nil)
				if c.fails {
					if e := errorAs[*mcpclient.LimitError](t, err); e.Limit != "MessageBytes" || e.Value != 1<<20 {
						t.Errorf("the error is %v", e)
					}
				} else if err != nil || result.Text() != "ok" {
					t.Errorf("the reply is %v, %v", result, err)
				}
				synctest.Wait()
				if n := len(v.texts()); !c.fails && n != 1 {
					t.Errorf("reported: %q", v.texts())
				}
				if n, want := s.count("reply"), strings.Count(name, "question"); n != want {
					t.Errorf("%d replies to questions, want %d", n, want)
				}
			})
		})
	}
}
