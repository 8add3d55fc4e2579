package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
)

// newRounds returns a server whose tool "two" asks two questions, one after the other.
func newRounds(options ...mcp.Option) *mcp.Server {
	s := mcp.NewServer(fixtureInfo(), options...)
	tool(s, "two", func(ctx context.Context) (string, error) {
		for _, key := range []string{"one", "two"} {
			if _, err := mcp.Elicit[sure](ctx, strings.Repeat("Sure? ", 5), mcp.WithKey(key)); err != nil {
				return "", err
			}
		}
		return "asked", nil
	})
	return s
}

// The log contains the reason why a state is refused. Requests that do not ask questions ignore
// members of requests that do.
func TestRefusedStatesInTheLog(t *testing.T) {
	var log testbed.Log
	s := newRounds(mcp.WithLogger(log.Logger()))
	s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "p", Arguments: []mcp.PromptArgument{{Name: "a", Values: []string{"value"}}}}, nil))
	ask := asker(t, s)
	const state = `,"requestState":"AQAAAAA"`
	complete := `,"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}`
	if got := ask(request(1, "completion/complete", `{`+modernMeta+state+complete)); !strings.Contains(got, `"values":["value"]`) {
		t.Errorf("the completion is %s", got)
	}
	if text := log.String(); text != "" {
		t.Errorf("the log has %s", text)
	}
	if got := ask(modernTalk(2, "two", state)); !strings.Contains(got, `"code":-32602`) {
		t.Errorf("the call is %s", got)
	}
	if text := log.String(); !strings.Contains(text, "it was not sealed with a key of this server") {
		t.Errorf("the log has %s", text)
	}
}

// A tool that does not exist is unknown, even if the call contains answers.
func TestAnswersForAnUnknownTool(t *testing.T) {
	ask := asker(t, newRounds(quiet))
	got := ask(modernTalk(1, "none", `,"inputResponses":{"one":{"action":"decline"}}`))
	if !strings.Contains(got, `"code":-32602`) || !strings.Contains(got, "unknown tool") {
		t.Errorf("%s", got)
	}
}

// A state with more answers than this server allows is refused, although another server with the
// same key has sealed it.
func TestStateOfALargerServer(t *testing.T) {
	key := mcp.WithStateKeys(bytes.Repeat([]byte("k"), 32))
	large := asker(t, newRounds(quiet, key))
	state := stateOf(t, large(modernTalk(1, "two", "")))
	state = stateOf(t, large(retry(2, "two", "one", state)))
	for limit, want := range map[int]string{20: `"reason":"stateTooLarge"`, 1000: `"text":"asked"`} {
		ask := asker(t, newRounds(quiet, key, mcp.WithLimits(mcp.Limits{StateBytes: limit})))
		if got := ask(retry(3, "two", "two", state)); !strings.Contains(got, want) {
			t.Errorf("%d bytes: %s, want %s", limit, got, want)
		}
		again := ask(modernTalk(4, "two", `,"requestState":"`+state+`"`))
		if refused := strings.Contains(again, "stateTooLarge"); refused != (limit == 20) {
			t.Errorf("%d bytes, without another answer: %s", limit, again)
		}
	}
}

// A round that cannot be sealed is an error, and asks nothing.
func TestRoundsThatCannotBeSealed(t *testing.T) {
	s := newRounds(quiet)
	s.Register(mcpimpl.FuncTool(empty("any", false), func(ctx context.Context, _ *mcp.Request) (*mcp.ToolResult, error) { // and reads no arguments
		_, err := mcp.Elicit[sure](ctx, "Sure?")
		return mcp.TextResult("done"), err
	}))
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "state"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
		return nil, &mcp.InputRequired{State: json.RawMessage(`{"a":`)}
	}))
	ask := asker(t, s)
	for _, text := range []string{spec.Invalid(modernTalk(1, "any", `,"arguments":{"a":1,"a":2}`)), modernTalk(1, "state", "")} {
		got := ask(text)
		if strings.Contains(got, "requestState") || !strings.Contains(got, `"error"`) && !strings.Contains(got, `"isError":true`) {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// An interceptor may run the handlers twice. The questions are asked once, and a state is used
// once, for both runs.
func TestRoundsThatRunTwice(t *testing.T) {
	runs := 0
	s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
			first, err := next(ctx, req)
			if req.Method != "tools/call" || err != nil {
				return first, err
			}
			second, err := next(ctx, req)
			if err != nil {
				t.Errorf("the second run: %v", err)
			}
			if _, asks := first.(*mcp.InputRequired); asks && second != first {
				t.Errorf("the second run asks by %v, the first one by %v", second, first)
			}
			return first, err
		}
	}))
	tool(s, "add", func(ctx context.Context) (string, error) {
		if runs++; runs%2 == 0 {
			return "added already", nil
		}
		_, err := mcp.Elicit[sure](ctx, "Sure?", mcp.WithKey("sure"))
		return "added", err
	}, additive)
	ask := asker(t, s)
	state := stateOf(t, ask(modernTalk(1, "add", "")))
	if runs != 2 {
		t.Errorf("%d runs", runs)
	}
	if got := ask(retry(2, "add", "sure", state)); !strings.Contains(got, `"text":"added"`) || runs != 4 {
		t.Errorf("after %d runs: %s", runs, got)
	}
	if got := ask(retry(3, "add", "sure", state)); !strings.Contains(got, `"code":-32602`) {
		t.Errorf("the state is used again: %s", got)
	}
}

// hidden contains a value that JSON does not encode.
type hidden struct{ text string }

// If no question can be asked, Once stores nothing: its value does not change.
func TestOnceInACompletion(t *testing.T) {
	s := mcp.NewServer(fixtureInfo(), quiet)
	runs := 0
	complete := func(ctx context.Context, _ string, _ map[string]string) (mcp.Completion, error) {
		var got hidden
		for range 2 {
			var err error
			if got, err = mcp.Once(ctx, "key", func() (hidden, error) { runs++; return hidden{"kept"}, nil }); err != nil {
				return mcp.Completion{}, err
			}
		}
		return mcp.Completion{Values: []string{got.text}}, nil
	}
	s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "p", Arguments: []mcp.PromptArgument{{Name: "a", Complete: complete}}}, nil))
	got := connect(t, s)(request(1, "completion/complete", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}`))
	if !strings.Contains(got, `"values":["kept"]`) || runs != 2 {
		t.Errorf("after %d runs: %s", runs, got)
	}
}

// If no client carries the values of Once, they may be longer than a message.
func TestLongValuesOfOnce(t *testing.T) {
	s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithLimits(mcp.Limits{MessageBytes: 1000, StateBytes: 1000}))
	errLong := errors.New("no value")
	tool(s, "long", func(ctx context.Context) (string, error) {
		text, err := mcp.Once(ctx, "key", func() (string, error) { return strings.Repeat("x", 2000), nil })
		if err == nil && len(text) != 2000 {
			err = errLong
		}
		return "done", err
	})
	if got := connect(t, s)(call(1, "long", "{}")); !strings.Contains(got, `"text":"done"`) {
		t.Errorf("in a session: %s", got)
	}
	if got := asker(t, s)(modernTalk(1, "long", "")); !strings.Contains(got, "at most 1000 are kept") {
		t.Errorf("without a session: %s", got)
	}
}

// answered returns a call with answers to the questions with those keys, all with the same answer.
func answered(id int, tool, state string, answers ...string) string {
	var all []string
	for i := 0; i < len(answers); i += 2 {
		all = append(all, fmt.Sprintf(`%q:%s`, answers[i], answers[i+1]))
	}
	if state != "" {
		state = `,"requestState":"` + state + `"`
	}
	return strings.Replace(modernTalk(id, tool, state+`,"inputResponses":{`+strings.Join(all, ",")+`}`), `"_meta":{`, `"_meta":{"progressToken":"p",`, 1)
}

const (
	yes   = `{"action":"accept","content":{"yes":true}}`
	wrong = `{"action":"accept","content":{"yes":"perhaps"}}`
)

// A handler sends no output until all answers of earlier rounds have been used. Answers that belong
// to another question, or are not valid, do not count.
func TestSilenceEndsAfterTheLastAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		first  string // the answer of the second call
		change bool   // the question changes after the first call
		ask    func(ctx context.Context, text string) error
	}{
		"another question": {yes, true, func(ctx context.Context, text string) error {
			_, err := mcp.Elicit[sure](ctx, text, mcp.WithKey("q"))
			return err
		}},
		"another question of several": {yes, true, func(ctx context.Context, text string) error {
			if state := mcp.RequestState(ctx); string(state) == `"`+text+`"` && mcp.Answered(ctx, "q") {
				_, err := mcp.Elicit[sure](ctx, text, mcp.WithKey("q"))
				return err
			}
			state, err := json.Marshal(text)
			if err != nil {
				return err
			}
			return &mcp.InputRequired{Questions: map[string]mcp.Question{"q": mcp.FormQuestion[sure](text)}, State: state}
		}},
		"not valid": {wrong, false, func(ctx context.Context, text string) error {
			_, err := mcp.Elicit[sure](ctx, text, mcp.WithKey("q"))
			return err
		}},
	} {
		synctest.Test(t, func(t *testing.T) {
			text := "Sure?"
			s := mcp.NewServer(fixtureInfo(), quiet)
			tool(s, "ask", func(ctx context.Context) (string, error) {
				if err := test.ask(ctx, text); err != nil {
					return "", err
				}
				mcp.Progress(ctx, 1, 1, "asked")
				return "done", nil
			})
			p := dial(t, s, "memory")
			call := func(message string) []string {
				p.send(lines(message))
				synctest.Wait()
				return p.received()
			}
			state := stateOf(t, strings.Join(call(modernTalk(1, "ask", "")), ""))
			if test.change {
				text = "Really?"
			}
			got := strings.Join(call(answered(2, "ask", state, "q", test.first)), "")
			if strings.Contains(got, "asked") || !strings.Contains(got, "input_required") {
				t.Fatalf("%s: %s", name, got)
			}
			all := call(answered(3, "ask", stateOf(t, got), "q", yes))
			if len(all) != 2 || !strings.Contains(all[0], `"message":"asked"`) || !strings.Contains(all[1], `"text":"done"`) {
				t.Errorf("%s: %q", name, all)
			}
			p.hangUp()
		})
	}
}

// Only unanswered questions are asked: unasked answers count too, and answers to another question
// do not.
func TestQuestionsWithoutAnAnswer(t *testing.T) {
	text := "Sure?"
	s := mcp.NewServer(fixtureInfo(), quiet)
	tool(s, "several", func(ctx context.Context) (string, error) {
		if mcp.Answered(ctx, "a") && mcp.Answered(ctx, "b") && text != "Really?" {
			return "done", nil
		}
		return "", &mcp.InputRequired{Questions: map[string]mcp.Question{"a": mcp.FormQuestion[sure](text), "b": mcp.FormQuestion[sure](text)}}
	})
	ask := asker(t, s)
	puts := func(reply string, keys ...string) string {
		t.Helper()
		for _, key := range []string{"a", "b"} {
			if strings.Contains(reply, `"`+key+`":{"method"`) != slices.Contains(keys, key) {
				t.Errorf("want the questions %q: %s", keys, reply)
			}
		}
		return stateOf(t, reply)
	}
	state := puts(ask(modernTalk(1, "several", "")), "a", "b")
	second := puts(ask(answered(2, "several", state, "a", yes)), "b")
	if got := ask(answered(3, "several", second, "b", yes)); !strings.Contains(got, `"text":"done"`) {
		t.Errorf("%s", got)
	}
	puts(ask(answered(4, "several", "", "b", yes)), "a")
	text = "Really?"
	puts(ask(answered(5, "several", second, "b", yes)), "a", "b")
}

// After an unanswered question, no further question is asked in the round.
func TestRoundsEndAtTheFirstQuestion(t *testing.T) {
	var second, third error
	s := mcp.NewServer(fixtureInfo(), quiet)
	tool(s, "on", func(ctx context.Context) (string, error) {
		_, _ = mcp.Elicit[sure](ctx, "Sure?", mcp.WithKey("first"))
		_, second = mcp.Elicit[sure](ctx, "Sure?", mcp.WithKey("first"))
		_, third = mcp.Elicit[sure](context.WithoutCancel(ctx), "Sure?", mcp.WithKey("given"))
		return "", second
	})
	asker(t, s)(answered(1, "on", "", "given", yes))
	for _, err := range []error{second, third} {
		if !errors.Is(err, mcp.ErrPending) {
			t.Errorf("the error is %v", err)
		}
	}
}

// An interceptor gets no answer if the answers in the request are refused.
func TestInterceptorOfARefusedRound(t *testing.T) {
	var err error
	s := newRounds(quiet, mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
			_, err = mcp.Elicit[sure](ctx, "Sure?", mcp.WithKey("one"))
			return next(ctx, req)
		}
	}))
	got := asker(t, s)(answered(1, "two", "AQAAAAA", "one", yes))
	if err == nil || !strings.Contains(err.Error(), "requestState") || !strings.Contains(got, `"code":-32602`) {
		t.Errorf("the error is %v, the reply %s", err, got)
	}
}

// A question that is asked after the reply gets no answer.
func TestQuestionAfterTheReply(t *testing.T) {
	asked := make(chan error, 1)
	s := mcp.NewServer(fixtureInfo(), quiet)
	tool(s, "early", func(ctx context.Context) (string, error) {
		go func() {
			<-ctx.Done()
			_, err := mcp.Elicit[sure](ctx, "Sure?")
			asked <- err
		}()
		return "done", nil
	})
	if got := connect(t, s)(call(1, "early", "{}")); !strings.Contains(got, "done") {
		t.Errorf("%s", got)
	}
	if err := <-asked; !errors.Is(err, mcp.ErrNoCall) {
		t.Errorf("the error is %v", err)
	}
}

// If one of several questions fails, the handler is not called again.
func TestSeveralQuestionsThatFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		s := mcp.NewServer(fixtureInfo(), quiet)
		tool(s, "several", func(ctx context.Context) (string, error) {
			runs++
			return "", &mcp.InputRequired{Questions: map[string]mcp.Question{"a": mcp.FormQuestion[sure]("Sure?")}}
		})
		p := limited(t, s)
		p.expect(call(1, "several", "{}"), "elicitation/create")
		p.expect(`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}`, `"isError":true`)
		if runs != 1 {
			t.Errorf("%d runs", runs)
		}
		p.hangUp()
	})
}
