package mcphttp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/spec"
)

// What handlers ask their client.

// A question goes to the client on the stream of the call that asks. The answer
// comes by a POST of its own.
func TestQuestion(t *testing.T) {
	for _, version := range []string{revisionC, revisionD} {
		for _, listening := range []bool{false, true} {
			overBoth(t, setup{}, func(t *testing.T, s *site) {
				x := s.open(version)
				var standing *answer
				if listening {
					standing = x.listen()
				}
				a := x.start(call("asks", "{}").as(`"ask"`).legacy())
				m := a.streaming().hears("elicitation/create")[0]
				if m.ID == nil || !strings.Contains(string(m.Params), "What is your name?") {
					a.fail("the question is %+v", m)
				}
				x.do(reply(m.ID, named("Ann"))).accepted()
				r := a.ends().hears(`result "ask"`)[0]
				if got := textOf(t, r.Result); got != "hello Ann" {
					a.fail("the result is %q", got)
				}
				if listening {
					standing.stays().hears()
				}
			})
		}
	}
}

// Two questions of a call are open at once, and are answered in any order.
func TestTwoQuestions(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		x := s.open(revisionD)
		a := x.start(call("pair", "{}").legacy())
		questions := a.streaming().hears("elicitation/create", "elicitation/create")
		for _, i := range []int{1, 0} {
			name := "Ann"
			if strings.Contains(string(questions[i].Params), "Name 1?") {
				name = "Bob"
			}
			x.do(reply(questions[i].ID, named(name))).accepted()
			x.do(reply(questions[i].ID, named("twice"))).accepted()
		}
		if got := textOf(t, a.ends().hears("result 1")[0].Result); got != "Ann and Bob" {
			t.Errorf("the result is %q", got)
		}
	})
}

// A request by itself gets the question as its answer, and comes back with the
// answer to it.
func TestModernQuestion(t *testing.T) {
	spec.Holds(t, "S129", "S289")
	overBoth(t, setup{}, func(t *testing.T, s *site) {
		ask := call("asks", "{}").able(`{"elicitation":{}}`)
		result := string(s.do(ask.post()).replied("1"))
		state := cut(t, result, `"requestState":"`, `"`)
		key := cut(t, result, `"inputRequests":{"`, `"`)
		if !strings.Contains(result, `"resultType":"input_required"`) {
			t.Fatalf("the result is %s", result)
		}
		again := ask.as("2")
		again.params += fmt.Sprintf(`,"inputResponses":{%q:%s},"requestState":%q`, key, named("Ann"), state)
		if got := textOf(t, s.do(again.post()).replied("2")); got != "hello Ann" {
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
