package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

const okResult = `{"resultType":"complete","content":[{"type":"text","text":"ok"}]}`

// TestConnectInMemory connects in every revision.
func TestConnectInMemory(t *testing.T) {
	s := mcp.NewServer(mcp.ServerInfo{Name: "test"})
	for _, revision := range []string{"", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(s), mcpclient.Options{Revision: revision})
				if err != nil {
					t.Fatal(err)
				}
				want := revision
				if want == "" {
					want = "2026-07-28"
				}
				if c.Revision() != want {
					t.Errorf("revision %s, want %s", c.Revision(), want)
				}
				if err := c.Ping(t.Context()); err != nil {
					t.Error(err)
				}
				if tools, err := c.Tools(t.Context()); len(tools) != 0 || err != nil {
					t.Error(tools, err)
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
				if err := c.Ping(t.Context()); !errors.Is(err, mcpclient.ErrClosed) {
					t.Errorf("after Close: %v", err)
				}
			})
		})
	}
}

// TestTimes checks RequestTime, MaxTime, and that signs of life extend the first.
func TestTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s *scripted
		s = &scripted{handle: modern(func(_ int, m message) []string {
			if m.member("name") != `"progress"` {
				return nil
			}
			s.serving.Go(func() {
				for i := 1; ; i++ {
					time.Sleep(30 * time.Second)
					if s.conns[0].Write([]byte(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`+"\n", m.ID, i))) != nil {
						return
					}
				}
			})
			return nil
		})}
		c := connect(t, s, mcpclient.Options{})
		began := time.Now()
		_, err := c.Call(t.Context(), "silent", nil)
		if !errors.Is(err, mcpclient.ErrTimeout) || time.Since(began) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		began = time.Now()
		_, err = c.Call(t.Context(), "silent", nil, mcpclient.WithTimeout(3*time.Second))
		if !errors.Is(err, mcpclient.ErrTimeout) || time.Since(began) != 3*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		began = time.Now()
		steps := 0
		_, err = c.Call(t.Context(), "progress", nil, mcpclient.WithProgress(func(mcpclient.Progress) { steps++ }), mcpclient.WithMaxTime(10*time.Minute))
		if !errors.Is(err, mcpclient.ErrTimeout) || time.Since(began) != 10*time.Minute || steps < 18 {
			t.Errorf("%v after %v, %d steps", err, time.Since(began), steps)
		}
		began = time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = c.Call(ctx, "silent", nil)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		synctest.Wait()
		if n := s.count("notifications/cancelled"); n != 4 {
			t.Errorf("%d cancellations sent", n)
		}
	})
}

// TestServerDoesNotRead checks that contexts and WriteTime end requests whose message cannot be
// written.
func TestServerDoesNotRead(t *testing.T) {
	testbed.Bound(t)
	synctest.Test(t, func(t *testing.T) {
		var conns atomic.Int32
		stuck := mcpclient.Dialer("stuck", func(context.Context) (jsonrpc.Conn, error) {
			conns.Add(1)
			client, _ := jsonrpc.Pipe()
			return client, nil
		})
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := mcpclient.Connect(ctx, stuck, mcpclient.Options{})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		began = time.Now()
		_, err = mcpclient.Connect(t.Context(), stuck, mcpclient.Options{})
		if !errors.Is(err, mcpclient.ErrTimeout) || time.Since(began) != 30*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// TestSentAgain checks which requests are sent again after the loss of the connection.
func TestSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{}
		s.handle = modern(func(conn int, m message) []string {
			if conn%2 == 1 {
				return []string{closing}
			}
			return []string{m.reply(strings.Replace(okResult, `"content"`, `"contents":[],"tools":[],"content"`, 1)), closing}
		})
		var states []string
		c := connect(t, s, mcpclient.Options{OnState: func(s mcpclient.State) { states = append(states, s.Kind.String()) }})
		if _, err := c.Read(t.Context(), "test://x"); err != nil {
			t.Errorf("a read is not sent again: %v", err)
		}
		if _, err := c.Tools(t.Context()); err != nil {
			t.Errorf("a list is not sent again: %v", err)
		}
		synctest.Wait() // the server has closed the connection of the list
		_, err := c.Call(t.Context(), "x", nil)
		if e := errorAs[*mcpclient.ConnectionError](t, err); !e.Sent || e.Method != "tools/call" {
			t.Errorf("%+v", e)
		}
		if n := s.count("tools/call"); n != 1 {
			t.Errorf("the call was sent %d times", n)
		}
		if _, err := c.Call(t.Context(), "x", nil); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if _, err := c.Call(t.Context(), "x", nil, mcpclient.WithIdempotent()); err != nil {
			t.Errorf("an idempotent call is not sent again: %v", err)
		}
		synctest.Wait()
		if !slices.Contains(states, "lost") || !slices.Contains(states, "reconnected") {
			t.Errorf("states %q", states)
		}
	})
}

// TestQuestions checks questions of a server with sessions.
func TestQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{}
		s.handle = legacy(func(_ int, m message) []string {
			if m.Method == "tools/call" {
				return []string{
					`{"jsonrpc":"2.0","id":"q1","method":"ping"}`,
					`{"jsonrpc":"2.0","id":"q2","method":"elicitation/create","params":{"message":"How many?","requestedSchema":{"type":"object","properties":{"n":{"type":"integer","default":3}},"required":["n"]}}}`,
					`{"jsonrpc":"2.0","id":"q3","method":"roots/list"}`,
					`{"jsonrpc":"2.0","id":"q4","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`,
					m.reply(okResult),
				}
			}
			return nil
		})
		c := connect(t, s, mcpclient.Options{
			Elicit: func(_ context.Context, e *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
				return mcpclient.Accept(nil), nil
			},
			Roots: func(context.Context) ([]mcp.Root, error) { return []mcp.Root{{URI: "file:///x", Name: "x"}}, nil },
		})
		if _, err := c.Call(t.Context(), "x", nil); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		replies := map[string]string{}
		for _, m := range s.received {
			if m.Method != "" {
				continue
			}
			replies[string(m.ID)] = string(m.Result)
			if m.Error != nil {
				replies[string(m.ID)] = fmt.Sprint(m.Error.Code)
			}
		}
		for id, want := range map[string]string{
			`"q1"`: "{}", `"q2"`: `{"action":"accept","content":{"n":3}}`,
			`"q3"`: `{"roots":[{"uri":"file:///x","name":"x"}]}`, `"q4"`: "-32601",
		} {
			if replies[id] != want {
				t.Errorf("the reply to %s is %s, want %s", id, replies[id], want)
			}
		}
	})
}

// TestRounds checks results that require input.
func TestRounds(t *testing.T) {
	question := `{"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}}`
	synctest.Test(t, func(t *testing.T) {
		var asked []message
		s := &scripted{handle: modern(func(_ int, m message) []string {
			asked = append(asked, m)
			switch m.member("name") {
			case `"twice"`:
				if len(asked) < 3 {
					return []string{m.reply(fmt.Sprintf(`{"resultType":"input_required","inputRequests":{"b":%s,"a":%s},"requestState":"s \u0041%d"}`, question, question, len(asked)))}
				}
				return []string{m.reply(okResult)}
			case `"ever"`:
				return []string{m.reply(`{"resultType":"input_required","requestState":"x"}`)}
			case `"empty"`:
				return []string{m.reply(`{"resultType":"input_required"}`)}
			case `"sample"`:
				return []string{m.reply(`{"resultType":"input_required","inputRequests":{"s":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}}}`)}
			}
			return []string{m.reply(`{"resultType":"input_required","requestState":"x","tools":[]}`)}
		})}
		c := connect(t, s, mcpclient.Options{
			Elicit: func(context.Context, *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
				return mcpclient.Accept(map[string]any{"n": 1}), nil
			},
		})
		if _, err := c.Call(t.Context(), "twice", json.RawMessage(`{"x":1}`)); err != nil {
			t.Fatal(err)
		}
		if len(asked) != 3 {
			t.Fatalf("%d rounds", len(asked))
		}
		if got := asked[0].member("inputResponses") + asked[0].member("requestState"); got != "" {
			t.Errorf("the first round has %s", got)
		}
		for i, m := range asked[1:] {
			if got := m.member("inputResponses"); got != `{"b":{"action":"accept","content":{"n":1}},"a":{"action":"accept","content":{"n":1}}}` {
				t.Errorf("the answers are %s", got)
			}
			var state string
			if err := json.Unmarshal([]byte(m.member("requestState")), &state); err != nil || state != fmt.Sprintf("s A%d", i+1) {
				t.Errorf("the state is %q", state)
			}
			if string(m.ID) == string(asked[0].ID) || m.member("arguments") != `{"x":1}` {
				t.Errorf("round %d: %s", i+1, m.Params)
			}
		}
		asked = nil
		_, err := c.Call(t.Context(), "ever", nil)
		if e := errorAs[*mcpclient.LimitError](t, err); e.Limit != "Rounds" || len(asked) != 10 {
			t.Errorf("%v after %d rounds", err, len(asked))
		}
		_, err = c.Call(t.Context(), "empty", nil)
		errorAs[*mcpclient.ProtocolViolationError](t, err)
		_, err = c.Call(t.Context(), "sample", nil)
		errorAs[*mcpclient.ProtocolViolationError](t, err)
		_, err = c.Tools(t.Context())
		errorAs[*mcpclient.ProtocolViolationError](t, err)
	})
}

// TestSubscription checks a subscription in both kinds of revisions, and its renewal.
func TestSubscription(t *testing.T) {
	filter := mcpclient.Filter{Tools: true, URIs: []string{"test://a"}}
	for _, kind := range []string{"modern", "legacy"} {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &scripted{}
				tag := ""
				handle := func(_ int, m message) []string {
					switch m.Method {
					case "subscriptions/listen":
						tag = fmt.Sprintf(`"_meta":{"io.modelcontextprotocol/subscriptionId":%s}`, m.ID)
						return []string{`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["test://a"]},` + tag + `}}`}
					case "resources/subscribe":
						return []string{m.reply("{}")}
					}
					return nil
				}
				if s.handle = legacy(handle); kind == "modern" {
					s.handle = modern(handle)
				}
				c := connect(t, s, mcpclient.Options{})
				sub, err := c.Subscribe(t.Context(), filter)
				if err != nil {
					t.Fatal(err)
				}
				if a := sub.Acknowledged(); !a.Tools || len(a.URIs) != 1 {
					t.Errorf("acknowledged %+v", a)
				}
				var got []mcpclient.Change
				go func() {
					for change := range sub.Changes() {
						got = append(got, change)
					}
				}()
				send := func(method, params string) {
					if tag != "" {
						params = strings.TrimSuffix(params+","+tag, ",")
					}
					s.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":{%s}}`, method, strings.TrimPrefix(params, ",")))
				}
				send("notifications/tools/list_changed", "")
				send("notifications/resources/updated", `"uri":"test://a"`)
				synctest.Wait()
				want := []mcpclient.Change{{Method: mcpclient.ToolsChanged}, {Method: mcpclient.ResourceUpdated, URI: "test://a"}}
				if !slices.Equal(got, want) {
					t.Errorf("changes %v, want %v", got, want)
				}
				got = nil
				s.mu.Lock()
				conn := s.conns[0]
				s.mu.Unlock()
				_ = conn.Close() // the server restarts
				time.Sleep(10 * time.Second)
				synctest.Wait()
				if !slices.Equal(got, want) {
					t.Errorf("after the connection was lost: changes %v, want %v", got, want)
				}
				got = nil
				send("notifications/tools/list_changed", "")
				synctest.Wait()
				if len(got) != 1 {
					t.Errorf("after the connection was opened again: changes %v", got)
				}
				if err := sub.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
