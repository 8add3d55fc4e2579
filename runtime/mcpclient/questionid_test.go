package mcpclient_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// TestQuestionIDAgain: a server that reuses the id of a question, after it cancelled the question
// or got an answer, receives the answer to the new question.
func TestQuestionIDAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const question = `{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}`
		const cancelled = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q"}}`
		var call message
		questions := 0
		s := &scripted{handle: legacy(func(_ int, m message) []string {
			if m.Method == "tools/call" {
				call = m
			} else if string(m.Result) != `{"action":"decline"}` {
				t.Errorf("the answer to question %d is %s, %+v", questions, m.Result, m.Error)
			}
			if questions++; questions > 100 {
				return []string{call.reply(okResult)}
			}
			return []string{question, cancelled, question}
		})}
		c := connect(t, s, mcpclient.Options{Elicit: func(context.Context, *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
			runtime.Gosched()
			return mcpclient.Decline(), nil
		}})
		if _, err := c.Call(t.Context(), "x", nil); err != nil {
			t.Error(err)
		}
	})
}
