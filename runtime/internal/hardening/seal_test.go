package hardening_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
)

// yes returns the params of a request with an answer.
func yes(params, state string) string {
	return fmt.Sprintf(`%s,"requestState":%q,"inputResponses":{"sure":{"action":"accept","content":{"yes":true}}}`, params, state)
}

// stateIn returns the request state in a reply.
func stateIn(t *testing.T, m message) string {
	t.Helper()
	var r struct{ ResultType, RequestState string }
	if err := json.Unmarshal(m.Result, &r); err != nil || r.ResultType != "input_required" || r.RequestState == "" {
		t.Fatalf("no question: %v", m)
	}
	return r.RequestState
}

// testRequestState sends states that are invalid, or belong to another request.
func testRequestState(t *testing.T, v target) {
	spec.Holds(t, "S032", "S033", "S293", "S294", "S295", "S296", "S325")
	if v.era == legacy {
		t.Logf("does not apply: %s", noRounds)
		return
	}
	shared, fresh := bytes.Repeat([]byte("k"), 32), bytes.Repeat([]byte("n"), 32)
	c := setup{authentic: true, server: []mcp.Option{mcp.WithStateKeys(fresh, shared)}, limits: mcp.Limits{QuestionTime: time.Hour}}
	v.visit(t, c, func(t *testing.T, s *site) {
		ann, bob := s.openAs("ann"), s.openAs("bob")
		asks := call("asks", `{"a":1}`)
		refused := func(what string, c *client, params string, fields ...string) {
			t.Helper()
			id, d := c.say("tools/call", params, fields...)
			m := c.reply(id)
			if m.code() != jsonrpc.CodeInvalidParams || strings.Contains(m.raw, "input_required") {
				t.Errorf("%s: %v", what, m)
			}
			c.wantStatus(what, c.status(d), 200)
		}
		state := stateIn(t, ann.ask("tools/call", asks))
		for i := range state {
			if i%7 != 0 && i < len(state)-3 {
				continue
			}
			b := []byte(state)
			if b[i]++; b[i] > 'z' {
				b[i] = '0'
			}
			refused(fmt.Sprintf("changed at %d", i), ann, yes(asks, string(b)))
		}
		for what, text := range map[string]string{
			"empty": "", "cut": state[:len(state)-4], "longer": state + "AAAA", "doubled": state + state, "padded": state + "==", "with a newline": state[:40] + "\n" + state[40:],
			"none": "hello",
		} {
			refused(what, ann, yes(asks, text))
		}
		refused("a number", ann, asks+`,"requestState":7`, spec.InvalidField)
		refused("of another tool", ann, yes(call("destroys", `{"a":1}`), state))
		refused("of other arguments", ann, yes(call("asks", `{"a":2}`), state))
		refused("of another principal", bob, yes(asks, state))
		if m := ann.ask("tools/call", yes(asks, state)); m.text() != "accepttrue" {
			t.Errorf("the true one: %v", m)
		}
		state = stateIn(t, ann.ask("tools/call", asks)) // the other one is used up
		if m := ann.ask("tools/call", yes(call("asks", `{ "a" : 1.0 }`), state)); m.text() != "accepttrue" {
			t.Errorf("the same arguments in another spelling: %v", m)
		}

		// A tool that changes something runs once.
		destroys := call("destroys", `{}`)
		state = stateIn(t, ann.ask("tools/call", destroys))
		if m := ann.ask("tools/call", yes(destroys, state)); m.text() != "accepttrue" {
			t.Errorf("once: %v", m)
		}
		refused("twice", ann, yes(destroys, state))

		// Keys rotate, and other servers' keys open nothing.
		if m := ann.ask("tools/call", yes(asks, elsewhereSealed(t, shared, asks))); m.text() != "accepttrue" {
			t.Errorf("sealed by the older key: %v", m)
		}
		refused("sealed by another key", ann, yes(asks, elsewhereSealed(t, bytes.Repeat([]byte("x"), 32), asks)))

		state = stateIn(t, ann.ask("tools/call", asks))
		time.Sleep(time.Hour + time.Minute)
		refused("too late", ann, yes(asks, state))
		ann.alive("states")
	})
}

// elsewhereSealed returns a state that another process sealed for ann.
func elsewhereSealed(t *testing.T, key []byte, params string) string {
	t.Helper()
	server := mcp.NewServer(mcp.ServerInfo{Name: "other", Version: "1"}, mcp.WithStateKeys(key))
	newFixture(t, server)
	conn, wait := server.Connect(mcp.CallerContext(context.Background(), mcp.Principal{ID: "ann"}, nil))
	conn = spec.NewConn(t, conn)
	defer func() { _ = wait() }()
	defer conn.Close()
	if err := conn.Write([]byte(modern.text("1", "tools/call", params) + "\n")); err != nil {
		t.Fatal(err)
	}
	text, err := conn.Read()
	if err != nil {
		t.Fatal(err)
	}
	return stateIn(t, parse(string(text)))
}

// testSecrets searches logs and messages to clients for texts that must not be there.
func testSecrets(t *testing.T, v target) {
	const password = "hunter2-of-the-user"
	c := setup{authentic: true, register: func(s *site) {
		fails := errors.New("open " + secret)
		s.server.Register(mcpimpl.FuncTool(&mcp.ToolInfo{Name: "fails", InputSchema: `{"type":"object"}`, HideErrors: true},
			func(context.Context, *mcp.Request) (*mcp.ToolResult, error) { return nil, fails }))
		s.server.Register(mcpimpl.FuncResource(&mcp.ResourceInfo{URI: "test://fails", Name: "fails", ReadInfo: mcp.ReadInfo{HideErrors: true}},
			func(context.Context, *mcp.Request) (*mcp.ResourceResult, error) { return nil, fails }))
	}}
	v.visit(t, c, func(t *testing.T, s *site) {
		ann := s.openAs("ann")
		var received []message
		try := func(text string) {
			t.Helper()
			m, _ := ann.try(text, spec.InvalidField)
			received = append(received, m)
		}
		ask := func(method, params string) message {
			t.Helper()
			m := ann.ask(method, params)
			received = append(received, m)
			return m
		}
		ask("tools/call", call("fails", `{}`))
		ask("resources/read", `"uri":"test://fails"`)
		ask("tools/call", call("panics", `{}`))
		for _, m := range received {
			if !m.failed() || !reference.MatchString(m.text()) {
				t.Errorf("%v", m)
			}
		}
		// Input of users must not be logged, however the call fails.
		private := `{"n":"` + password + `","s":"` + password + `"}`
		ask("tools/call", call("typed", private))
		ask("tools/call", call("echo", private))
		ask("tools/call", call("panics", `{"password":"`+password+`"}`))
		ask("prompts/get", `"name":"greet","arguments":{"who":"`+password+`","x":"`+password+`"}`)
		try(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"password":"` + password + `"`)
		ann.put(`{"jsonrpc":"2.0","id":7,"result":{"password":"` + password + `"}}`)
		ann.put(`{"jsonrpc":"2.0","id":7,"result":{"password":"`+password+`"},"error":7}`, spec.InvalidField)
		ann.put(`{"jsonrpc":"2.0","method":"notifications/` + password + `"}`)
		if v.era == legacy {
			id, _ := ann.say("tools/call", call("asks", `{}`))
			q := ann.wait("question", func(m message) bool { return m.Method == "elicitation/create" })
			ann.put(`{"jsonrpc":"2.0","id":` + q.id() + `,"result":{"action":"accept","content":{"yes":"` + password + `"}}}`)
			again := ann.wait("question again, or reply", func(m message) bool { return m.Method == "elicitation/create" || m.id() == id })
			if again.Method != "" {
				ann.put(`{"jsonrpc":"2.0","id":` + again.id() + `,"error":{"code":1,"message":"` + password + `"}}`)
				ann.reply(id)
			}
		} else {
			params := call("asks", `{}`)
			state := stateIn(t, ask("tools/call", params))
			ask("tools/call", strings.Replace(yes(params, state), "true", `"`+password+`"`, 1))
			ask("tools/call", yes(params, state+password))
		}
		s.settle()
		received = append(received, ann.in.all()...)
		for _, m := range received {
			if strings.Contains(m.raw, secret) || strings.Contains(m.raw, "token-of-") {
				t.Errorf("got %v", m)
			}
		}
		log := s.log.String() + s.notes.String()
		for what, text := range map[string]string{"an argument or an answer": password, "a token": "token-of-"} {
			if i := strings.Index(log, text); i >= 0 {
				t.Errorf("%s is in the log: %s", what, lineAround(log, i))
			}
		}
		if l, ok := ann.link.(*httpLink); ok && v.era == legacy {
			id := sessionOf(ann)
			if i := strings.Index(log, id); i >= 0 {
				t.Errorf("the session's id is in the log: %s", lineAround(log, i))
			}
			// Log lines about requests without a message contain no more.
			d := ann.put("{}", spec.InvalidField, "Authorization: Bearer token-of", "Origin: http://evil.example")
			ann.wantStatus("refused", ann.status(d), 403)
			d = ann.put("{}", spec.InvalidField, "Authorization: Basic token-of-bob")
			ann.wantStatus("refused", ann.status(d), 401)
			s.settle()
			for _, m := range ann.in.all() {
				if strings.Contains(m.raw, "token") {
					t.Errorf("got %v", m)
				}
			}
			if log := s.log.String(); strings.Contains(log, "token-of") || strings.Contains(log, l.session) && l.session != "" {
				t.Errorf("the log: %s", log)
			}
		}
		if !strings.Contains(log, secret) {
			t.Error("whoever runs the server learns nothing of the errors")
		}
	})
}

func lineAround(text string, i int) string {
	from, to := strings.LastIndexByte(text[:i], '\n')+1, strings.IndexByte(text[i:], '\n')+i
	return text[from:max(to, i)]
}
