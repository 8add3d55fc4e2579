package mcphttp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
)

// Questions of handlers to their client.

// In a session a question is sent on the stream of the call. The answer is a POST of its own.
func TestQuestion(t *testing.T) {
	for _, version := range []string{revisionC, revisionD} {
		for _, listening := range []bool{false, true} {
			serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
				x := s.open(version)
				var standalone *response
				if listening {
					standalone = x.listen()
				}
				a := x.start(call("asks", "{}").withID(`"ask"`).legacy())
				m := a.wantStream().wantMessages("elicitation/create")[0]
				if m.ID == nil || !strings.Contains(string(m.Params), "What is your name?") {
					a.fail("the question is %+v", m)
				}
				x.do(reply(m.ID, acceptName("Ann"))).wantAccepted()
				r := a.wantEnd().wantMessages(`result "ask"`)[0]
				if got := textOf(t, r.Result); got != "hello Ann" {
					a.fail("the result is %q", got)
				}
				if listening {
					standalone.wantOpen().wantMessages()
				}
			})
		}
	}
}

// Two questions of a call are open at the same time, and may be answered in any order.
func TestTwoQuestions(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		a := x.start(call("pair", "{}").legacy())
		questions := a.wantStream().wantMessages("elicitation/create", "elicitation/create")
		for _, i := range []int{1, 0} {
			name := "Ann"
			if strings.Contains(string(questions[i].Params), "Name 1?") {
				name = "Bob"
			}
			x.do(reply(questions[i].ID, acceptName(name))).wantAccepted()
			x.do(reply(questions[i].ID, acceptName("twice"))).wantAccepted()
		}
		if got := textOf(t, a.wantEnd().wantMessages("result 1")[0].Result); got != "Ann and Bob" {
			t.Errorf("the result is %q", got)
		}
	})
}

// Without a session the question is the reply, and the client repeats the request with the answer.
func TestModernQuestion(t *testing.T) {
	spec.Holds(t, "S129", "S289")
	serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
		ask := call("asks", "{}").withCapabilities(`{"elicitation":{}}`)
		result := string(s.do(ask.post()).wantResult("1"))
		state := cut(t, result, `"requestState":"`, `"`)
		key := cut(t, result, `"inputRequests":{"`, `"`)
		if !strings.Contains(result, `"resultType":"input_required"`) {
			t.Fatalf("the result is %s", result)
		}
		again := ask.withID("2")
		again.params += fmt.Sprintf(`,"inputResponses":{%q:%s},"requestState":%q`, key, acceptName("Ann"), state)
		if got := textOf(t, s.do(again.post()).wantResult("2")); got != "hello Ann" {
			t.Errorf("the result is %q", got)
		}
	})
}

func cut(t *testing.T, text, before, after string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, before)
	found, _, ok2 := strings.Cut(rest, after)
	if !ok || !ok2 {
		t.Fatalf("no %s in %s", before, text)
	}
	return found
}
