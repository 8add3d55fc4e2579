package mcp_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// TestShortStateKey sets a key that is too short.
func TestShortStateKey(t *testing.T) {
	key := bytes.Repeat([]byte{1}, mcp.MinStateKey)
	if text := panics(func() { mcp.WithStateKeys(key, key[1:]) }); text != "mcp: a state key has 15 bytes, and must have 16" {
		t.Errorf("panics with %q", text)
	}
	mcp.NewServer(fixtureInfo(), mcp.WithStateKeys(key))
}

// FuzzRequestState sends states to a server, which answers each with an error.
func FuzzRequestState(f *testing.F) {
	s := newTalk(quiet)
	conn, wait := s.Connect(context.Background())
	f.Cleanup(func() { conn.Close(); wait() })
	f.Add("x")
	f.Add("AQAAAAA")
	f.Fuzz(func(t *testing.T, sealed string) {
		state := base64.RawURLEncoding.EncodeToString([]byte(sealed))
		conn.Write([]byte(modernTalk(1, "steps", `,"requestState":"`+state+`"`) + "\n"))
		got, err := conn.Read()
		if err != nil || !strings.Contains(string(got), `"error":{"code":-32602`) {
			t.Errorf("%q: %s, %v", sealed, got, err)
		}
	})
}

func modernTalk(id int, tool, more string) string {
	return request(id, "tools/call", `{"name":"`+tool+`","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"sampling":{},"roots":{}}}`+more+`}`)
}

// stateOf returns the request state in a reply.
func stateOf(t *testing.T, reply string) string {
	t.Helper()
	found := stateMember.FindStringSubmatch(reply)
	if found == nil {
		t.Fatalf("no state in %s", reply)
	}
	return found[1]
}

func retry(id int, tool, key, state string) string {
	return modernTalk(id, tool, `,"requestState":"`+state+`","inputResponses":{"`+key+`":{"action":"accept","content":{"yes":true}}}`)
}

// asker returns a function that sends a request and waits for the reply.
func asker(t *testing.T, s *mcp.Server) func(text string) string {
	return askerIn(context.Background(), t, s)
}

func askerIn(ctx context.Context, t *testing.T, s *mcp.Server) func(text string) string {
	conn, wait := s.Connect(ctx)
	conn = spec.NewConn(t, conn)
	t.Cleanup(func() { conn.Close(); wait() })
	return func(text string) string {
		if err := conn.Write([]byte(text + "\n")); err != nil {
			t.Fatal(err)
		}
		reply, err := conn.Read()
		if err != nil {
			t.Fatal(err)
		}
		return string(reply)
	}
}

// Principals without an ID do not count as one principal: no state is made for them, and none is
// accepted.
func TestStateWithoutPrincipalID(t *testing.T) {
	key := mcp.WithStateKeys(bytes.Repeat([]byte("k"), 32))
	var log strings.Builder
	as := func(p mcp.Principal) func(string) string {
		logger := mcp.WithLogger(slog.New(slog.NewTextHandler(&log, nil)))
		s := newTalk(logger, key)
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: "silent"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.TextResult("asks nothing"), nil
		}))
		return askerIn(mcp.CallerContext(context.Background(), p, nil), t, s)
	}
	allowed := mcp.AccessFunc(func(context.Context, mcp.FeatureInfo) error { return nil })
	unknown := stateOf(t, as(mcp.Principal{})(modernTalk(1, "named", "")))
	ada := stateOf(t, as(mcp.Principal{ID: "ada"})(modernTalk(1, "named", "")))
	for name, p := range map[string]mcp.Principal{
		"value": {Value: "claims"}, "access": {Access: allowed}, "expiry": {Expires: time.Now().Add(time.Hour)},
	} {
		ask := as(p)
		for _, text := range []string{modernTalk(1, "named", ""), retry(2, "named", "sure", unknown), retry(3, "named", "sure", ada), retry(4, "named", "sure", "x")} {
			if got := ask(text); !strings.Contains(got, `"reason":"principal without ID"`) {
				t.Errorf("a principal with %s alone gets %s", name, got)
			}
		}
		if got := ask(modernTalk(5, "silent", "")); !strings.Contains(got, "asks nothing") {
			t.Errorf("a tool without a question: %s", got)
		}
	}
	if !strings.Contains(log.String(), "Principal.ID is empty; set it") {
		t.Errorf("the log is %s", &log)
	}
	if got := as(mcp.Principal{})(retry(2, "named", "sure", unknown)); !strings.Contains(got, "accepttrue") {
		t.Errorf("a caller that is not known at all gets %s", got)
	}
}

// After a tool that adds data has got its answer, whatever it is, no other answer makes it run
// again.
func TestStateOfAdditiveToolIsUsedOnce(t *testing.T) {
	spec.Holds(t, "S299")
	ask := asker(t, newTalk(quiet))
	for _, first := range []string{"decline", "cancel", "accept"} {
		for name, again := range map[string]bool{"named_add": false, "named_destroy": false, "named": true} {
			state := stateOf(t, ask(modernTalk(1, name, "")))
			with := func(action string) string {
				return modernTalk(2, name, `,"requestState":"`+state+`","inputResponses":{"sure":{"action":"`+action+`","content":{"yes":true}}}`)
			}
			ask(with(first))
			got := ask(with("accept"))
			if ran := strings.Contains(got, "accepttrue"); ran != again || !ran && !strings.Contains(got, `"code":-32602`) {
				t.Errorf("%s: accept after %s: %s", name, first, got)
			}
		}
	}
}

// The state is bound to the meaning of the arguments, and not to their spelling.
func TestStateIsBoundToArguments(t *testing.T) {
	spec.Holds(t, "S298")
	s := newTalk(quiet)
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "any", Hints: mcp.ToolHints{ReadOnly: true}}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		_, err := mcp.Elicit[sure](ctx, "Sure?", mcp.WithKey("sure"))
		return mcp.TextResult("done"), err
	}))
	ask := asker(t, s)
	with := func(arguments, state string) string {
		return modernTalk(1, "any", `,"arguments":`+arguments+`,"requestState":"`+state+`","inputResponses":{"sure":{"action":"decline"}}`)
	}
	state := stateOf(t, ask(modernTalk(1, "any", `,"arguments":{"a":1,"b":{"c":[1,"x",null,true],"d":-2.50}}`)))
	for _, same := range []string{
		`{"a":1,"b":{"c":[1,"x",null,true],"d":-2.50}}`, `{ "b" : {"d":-25e-1, "c":[1.0,"\u0078",null ,true]}, "a":1E0}`,
	} {
		if got := ask(with(same, state)); !strings.Contains(got, "done") {
			t.Errorf("%s: %s", same, got)
		}
	}
	for _, other := range []string{
		`{}`, `{"a":1}`, `{"a":"1","b":{"c":[1,"x",null,true],"d":-2.5}}`, `{"a":1,"b":{"c":["x",1,null,true],"d":-2.5}}`,
		`{"a":1,"b":{"c":[1,"x",null,false],"d":-2.5}}`, `{"a":1,"b":{"c":[1,"x",null,true],"d":2.5}}`, `{"a":1,"b":{"c":[1,"x",null,true],"d":-2.5},"e":null}`,
	} {
		if got := ask(with(other, state)); !strings.Contains(got, `"code":-32602`) {
			t.Errorf("%s: %s", other, got)
		}
	}
	if got := ask(spec.Invalid(with(`{"a":1,"a":1}`, state))); !strings.Contains(got, `"code":-32602`) || !strings.Contains(got, "duplicate") {
		t.Errorf("duplicate keys: %s", got)
	}
}

// sharedStore is a store that several servers use.
type sharedStore struct {
	mu   sync.Mutex
	used map[string]bool
	err  error
}

func (s *sharedStore) Consume(_ context.Context, id string, expires time.Time) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return false, s.err
	}
	first := !s.used[id] && time.Until(expires) > 0
	s.used[id] = true
	return first, nil
}

func TestSharedStateStore(t *testing.T) {
	key := mcp.WithStateKeys(bytes.Repeat([]byte("k"), 32))
	store := &sharedStore{used: map[string]bool{}}
	here := asker(t, newTalk(quiet, key, mcp.WithStateStore(store)))
	there := asker(t, newTalk(quiet, key, mcp.WithStateStore(store)))
	state := stateOf(t, here(modernTalk(1, "named_destroy", "")))
	if got := there(retry(2, "named_destroy", "sure", state)); !strings.Contains(got, "accepttrue") {
		t.Errorf("the first says %s", got)
	}
	if got := here(retry(3, "named_destroy", "sure", state)); !strings.Contains(got, `"code":-32602`) {
		t.Errorf("the second says %s", got)
	}
	state = stateOf(t, here(modernTalk(4, "named_destroy", "")))
	store.err = fmt.Errorf("no connection")
	if got := here(retry(5, "named_destroy", "sure", state)); !strings.Contains(got, `"reason":"state store"`) || strings.Contains(got, "no connection") {
		t.Errorf("without a store: %s", got)
	}
}

// Only one of two concurrent retries runs.
func TestConcurrentRetries(t *testing.T) {
	spec.Holds(t, "S299")
	key := mcp.WithStateKeys(bytes.Repeat([]byte("k"), 32))
	s := newTalk(quiet, key)
	state := stateOf(t, asker(t, s)(modernTalk(1, "named_destroy", "")))
	var mu sync.Mutex
	done := 0
	var all sync.WaitGroup
	for range 8 {
		ask := asker(t, s)
		all.Go(func() {
			if strings.Contains(ask(retry(1, "named_destroy", "sure", state)), "accepttrue") {
				mu.Lock()
				defer mu.Unlock()
				done++
			}
		})
	}
	all.Wait()
	if done != 1 {
		t.Errorf("%d of the retries ran", done)
	}
}
