package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
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

// The log says why a state is refused. Requests that ask no questions ignore what only others
// have.
func TestRefusedStatesInTheLog(t *testing.T) {
	var log testbed.Log
	ask := asker(t, newRounds(mcp.WithLogger(log.Logger())))
	const state = `,"requestState":"AQAAAAA"`
	if got := ask(request(1, "tools/list", `{`+modernMeta+state+`,"inputResponses":[]}`)); !strings.Contains(got, `"name":"two"`) {
		t.Errorf("the list is %s", got)
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

// A tool that does not exist is unknown, whatever answers come with the call.
func TestAnswersForAnUnknownTool(t *testing.T) {
	ask := asker(t, newRounds(quiet))
	got := ask(modernTalk(1, "none", `,"inputResponses":{"one":{"action":"decline"}}`))
	if !strings.Contains(got, `"code":-32602`) || !strings.Contains(got, "unknown tool") {
		t.Errorf("%s", got)
	}
}

// A state with more answers than this server keeps is refused, although another one with the
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
	}
}

// A round that cannot be sealed is an error, and asks nothing.
func TestRoundsThatCannotBeSealed(t *testing.T) {
	s := newRounds(quiet)
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "any", Hints: mcp.ToolHints{ReadOnly: true}}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
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

// An interceptor may run the handlers twice. The questions are put once, and a state is used
// once, for both runs.
func TestRoundsThatRunTwice(t *testing.T) {
	runs := 0
	s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
			first, err := next(ctx, req)
			if req.Method != "tools/call" || err != nil {
				return first, err
			}
			if _, err := next(ctx, req); err != nil {
				t.Errorf("the second run: %v", err)
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

// hidden is a value that JSON does not carry.
type hidden struct{ text string }

// Where no question can be asked, Once keeps nothing: its value stays what it is.
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

// Where no client carries the values of Once, they may be longer than a message.
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
