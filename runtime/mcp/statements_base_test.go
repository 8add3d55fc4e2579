package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// membersOf returns the members of a message.
func membersOf(t *testing.T, message string) map[string]json.RawMessage {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(message), &m); err != nil {
		t.Fatalf("%v: %s", err, message)
	}
	return m
}

// inEveryRevision runs f with a client of each revision of a server that register fills.
func inEveryRevision(t *testing.T, register func(s *mcp.Server), f func(t *testing.T, c *inRevision), options ...mcp.Option) {
	t.Helper()
	for _, revision := range everyRevision {
		t.Run(revision, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, s := clientIn(t, revision, options...)
				register(s)
				c.dial(t, s)
				defer c.hangUp()
				f(t, c)
			})
		})
	}
}

// one sends a request and returns the only message that the server sent.
func (c *inRevision) one(method, params string) string {
	c.t.Helper()
	said := c.ask(method, params)
	if len(said) != 1 {
		c.t.Fatalf("%s: %q", method, said)
	}
	return said[0]
}

// Every answer to every method satisfies the definitions of JSON-RPC and the revision.
func TestAnswersAreResponses(t *testing.T) {
	asked := []struct {
		method, params string
		fails          bool
	}{
		{"tools/list", "", false}, {"resources/list", "", false}, {"resources/templates/list", "", false}, {"prompts/list", "", false},
		{"resources/read", `"uri":"test://motto"`, false}, {"prompts/get", `"name":"greet","arguments":{"name":"Ann","times":"1"}`, false},
		{"completion/complete", `"ref":{"type":"ref/resource","uri":"book://{isbn}{?lang}"},"argument":{"name":"isbn","value":""}`, false},
		{"tools/call", `"name":"tell"`, false}, {"tools/call", `"name":"fail"`, false}, {"tools/call", `"name":"protocol"`, true},
		{"tools/call", `"name":"nothing"`, true}, {"resources/read", `"uri":"test://nothing"`, true}, {"prompts/get", `"name":"nothing"`, true},
		{"nothing/known", "", true},
	}
	inEveryRevision(t, func(s *mcp.Server) {
		addLibrary(s)
		tool(s, "tell", func(ctx context.Context) (string, error) {
			mcp.Progress(ctx, 1, 2, "half")
			return "told", nil
		})
		tool(s, "fail", func(context.Context) (string, error) { return "", mcp.Errorf("it fails") })
		tool(s, "protocol", func(context.Context) (string, error) { return "", &mcp.ProtocolError{Code: 7, Message: "refused"} })
	}, func(t *testing.T, c *inRevision) {
		for _, a := range asked {
			said := c.ask(a.method, a.params)
			if len(said) == 0 {
				t.Errorf("%s %s: no answer", a.method, a.params)
				continue
			}
			for _, note := range said[:len(said)-1] {
				spec.Holds(t, "S018")
				if m := membersOf(t, note); m["id"] != nil || m["method"] == nil {
					t.Errorf("no notification: %s", note)
				}
			}
			text := said[len(said)-1]
			m := membersOf(t, text)
			spec.Holds(t, "S011", "S015")
			if string(m["id"]) != fmt.Sprint(c.id) {
				t.Errorf("%s %s: the id of %s is not %d", a.method, a.params, text, c.id)
			}
			spec.Holds(t, "S004", "S012", "S013", "S014")
			if string(m["jsonrpc"]) != `"2.0"` || (m["result"] != nil) == (m["error"] != nil) || (m["error"] != nil) != a.fails || len(m) != 3 {
				t.Errorf("%s %s: %s", a.method, a.params, text)
			}
			if a.fails {
				var e struct {
					Code    *json.Number
					Message *string
				}
				spec.Holds(t, "S016", "S017")
				if err := json.Unmarshal(m["error"], &e); err != nil || e.Code == nil || strings.Trim(e.Code.String(), "-0123456789") != "" || e.Message == nil || *e.Message == "" {
					t.Errorf("%s %s: %s: %v", a.method, a.params, text, err)
				}
				continue
			}
			r := membersOf(t, string(m["result"]))
			if c.revision < "2026" {
				if r["resultType"] != nil {
					t.Errorf("%s: resultType in %s: %s", a.method, c.revision, text)
				}
				continue
			}
			spec.Holds(t, "S023", "S024")
			if string(r["resultType"]) != `"complete"` {
				t.Errorf("%s %s: %s", a.method, a.params, text)
			}
			spec.Holds(t, "S053")
			if !strings.Contains(string(r["_meta"]), `"io.modelcontextprotocol/serverInfo":{"name":"fixture"`) {
				t.Errorf("%s %s: the server is not named: %s", a.method, a.params, text)
			}
			spec.Holds(t, "S047")
			for key := range membersOf(t, string(r["_meta"])) {
				if !strings.HasPrefix(key, "io.modelcontextprotocol/") {
					t.Errorf("%s %s: the key %q", a.method, a.params, key)
				}
			}
		}
	})
}

// The requests that the server sends in a session have ids of their own, which are integers; the
// same applies to pings.
func TestOwnIDsAreUnique(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := clientIn(t, "2025-11-25", mcp.WithPing(10*time.Second))
		tool(s, "roots", func(ctx context.Context) (string, error) {
			_, err := mcp.Roots(ctx)
			return "", err
		})
		c.dial(t, s)
		defer c.hangUp()
		seen := map[string]bool{}
		answer := func(said []string) {
			t.Helper()
			for _, text := range said {
				m := membersOf(t, text)
				if m["method"] == nil {
					continue
				}
				spec.Holds(t, "S008", "S009", "S010")
				if id := string(m["id"]); seen[id] || strings.Trim(id, "0123456789") != "" {
					t.Errorf("the id of %s", text)
				}
				seen[string(m["id"])] = true
				result := "{}"
				if string(m["method"]) == `"roots/list"` {
					result = `{"roots":[]}`
				}
				c.send(`{"jsonrpc":"2.0","id":` + string(m["id"]) + `,"result":` + result + "}\n")
				synctest.Wait()
			}
		}
		for range 10 {
			answer(c.ask("tools/call", `"name":"roots"`))
			c.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}` + "\n")
			time.Sleep(11 * time.Second)
			synctest.Wait()
			answer(c.received())
		}
		if len(seen) < 11 {
			t.Errorf("%d requests of the server", len(seen))
		}
	})
}

// In 2026-07-28 properties of one request do not apply to another one.
func TestNothingIsRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := clientIn(t, "2026-07-28")
		var names []string
		tool(s, "try", func(ctx context.Context) (string, error) {
			mcp.Logger(ctx).Warn("tried")
			names = append(names, mcp.CallFrom(ctx).Client().Name)
			_, err := mcp.Roots(ctx)
			return "", err
		})
		c.peer = dial(t, s, "stdio")
		defer c.hangUp()
		ask := func(more, capabilities string) string {
			c.id++
			c.send(request(c.id, "tools/call", `{"name":"try","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"`+more+
				`,"io.modelcontextprotocol/clientCapabilities":`+capabilities+`}}`) + "\n")
			synctest.Wait()
			return strings.Join(c.received(), "\n")
		}
		named := func(name string) string {
			return `,"io.modelcontextprotocol/clientInfo":{"name":"` + name + `","version":"1"},"io.modelcontextprotocol/logLevel":"debug"`
		}
		spec.Holds(t, "S030", "S050")
		for range 2 {
			if said := ask(named("one"), `{"roots":{}}`); !strings.Contains(said, "notifications/message") || !strings.Contains(said, `"input_required"`) {
				t.Errorf("with everything: %s", said)
			}
			if said := ask("", `{}`); strings.Contains(said, "notifications/message") || !strings.Contains(said, `"code":-32021`) {
				t.Errorf("with nothing: %s", said)
			}
		}
		spec.Holds(t, "S031")
		ask(named("other"), `{}`)
		if want := []string{"one", "", "one", "", "other"}; !slices.Equal(names, want) {
			t.Errorf("the clients are %q, want %q", names, want)
		}
	})
}

// The clientInfo of a client does not change the behavior of the server, and is not a principal.
func TestClientInfoDecidesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var principals []string
		s := newLibrary(quiet)
		tool(s, "who", func(ctx context.Context) (string, error) {
			principals = append(principals, mcp.CallFrom(ctx).Principal().ID)
			return "done", nil
		})
		p := dial(t, s, "memory")
		defer p.hangUp()
		spec.Holds(t, "S054", "S055", "S333")
		for _, asked := range []string{
			`"tools/list","params":{`, `"prompts/list","params":{`, `"resources/read","params":{"uri":"test://motto",`, `"tools/call","params":{"name":"who",`,
			`"resources/read","params":{"uri":"test://nothing",`, `"server/discover","params":{`,
		} {
			answers := map[string]bool{}
			for _, info := range []string{"", `,"io.modelcontextprotocol/clientInfo":{"name":"admin","title":"root","version":"9"}`, `,"io.modelcontextprotocol/clientInfo":{"name":"","version":""}`} {
				p.send(`{"jsonrpc":"2.0","id":1,"method":` + asked + `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}` + info + "}}}\n")
				synctest.Wait()
				answers[strings.Join(p.received(), "\n")] = true
			}
			if len(answers) != 1 {
				t.Errorf("%s is answered by %d answers", asked, len(answers))
			}
		}
		if len(principals) != 3 || principals[0]+principals[1]+principals[2] != "" {
			t.Errorf("the principals are %q", principals)
		}
	})
}

// Reserved keys of _meta may contain values that the server does not know.
func TestReservedKeysOfMeta(t *testing.T) {
	inEveryRevision(t, func(s *mcp.Server) { addLibrary(s) }, func(t *testing.T, c *inRevision) {
		meta := `"io.modelcontextprotocol/later":[1,{"a":null}],"mcp.dev/x":"y","modelcontextprotocol.io/z":false,"com.mcp.tools/t":7,"traceparent":"00-x"`
		if c.revision >= "2026" {
			meta += `,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`
		}
		spec.Holds(t, "S044")
		p := c.peer
		p.send(request(99, "prompts/list", `{"_meta":{`+meta+`}}`) + "\n")
		synctest.Wait()
		if said := p.received(); len(said) != 1 || !strings.Contains(said[0], `"prompts":[`) {
			t.Errorf("got %q", said)
		}
	})
}

// The time for an answer is fixed: progress of the client, and an answer that arrives too late,
// change nothing.
func TestTimeOfQuestions(t *testing.T) {
	for _, revision := range everyRevision[:4] {
		synctest.Test(t, func(t *testing.T) {
			c, s := clientIn(t, revision, mcp.WithLimits(mcp.Limits{QuestionTime: 20 * time.Second}))
			ended := make(chan error, 1)
			tool(s, "ask", func(ctx context.Context) (string, error) {
				_, err := mcp.Roots(ctx)
				ended <- err
				return "", err
			})
			c.dial(t, s)
			defer c.hangUp()
			asked := c.one("tools/call", `"name":"ask"`)
			id := string(membersOf(t, asked)["id"])
			for i := range 19 {
				time.Sleep(time.Second)
				c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`+"\n", id, i+1))
			}
			time.Sleep(time.Second + time.Millisecond)
			synctest.Wait()
			said := c.received()
			spec.Holds(t, "S070", "S071", "S074")
			if len(ended) != 1 || len(said) != 2 || !strings.Contains(said[1], "no answer from the client within 20s") {
				t.Fatalf("%s: after its time: %q", revision, said)
			}
			spec.Holds(t, "S072", "S166")
			if !strings.Contains(said[0], `"method":"notifications/cancelled"`) || !strings.Contains(said[0], `"requestId":`+id+`,`) {
				t.Errorf("%s: cancelled is %s", revision, said[0])
			}
			spec.Holds(t, "S174", "S175")
			c.send(`{"jsonrpc":"2.0","id":` + id + `,"result":{"roots":[]}}` + "\n")
			if got := c.one("ping", ""); !strings.HasSuffix(got, pong+"}") && !strings.Contains(got, pong) {
				t.Errorf("%s: after a late answer: %s", revision, got)
			}
		})
	}
}

// A message is one line of UTF-8, whatever it contains.
func TestMessagesAreLines(t *testing.T) {
	texts := []string{"a\nb\r\nc\rd", "e\u2028f\u2029g\u0085h", "\x00\x1f\x7f", "i\xffj\xc0\xafk\xed\xa0\x80", "\ufeff\U0001f600"}
	for _, revision := range everyRevision {
		synctest.Test(t, func(t *testing.T) {
			c, s := clientIn(t, revision)
			for i, text := range texts {
				s.Register(mcp.NewTool(mcp.ToolInfo{Name: fmt.Sprint("t", i)}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
					mcp.Progress(ctx, 1, 0, text)
					return mcp.TextResult(text), nil
				}))
			}
			c.dial(t, s)
			p := dial(t, s, "stdio")
			c.peer.hangUp()
			c.peer = p
			defer p.hangUp()
			if revision < "2026" {
				p.send(lines(initialize(revision), initialized))
				synctest.Wait()
				p.received()
			}
			for i := range texts {
				said := c.ask("tools/call", fmt.Sprintf(`"name":"t%d"`, i))
				spec.Holds(t, "S082", "S084")
				if len(said) != 2 {
					t.Errorf("%q in %s: %q", texts[i], revision, said)
				}
				for _, line := range said {
					if strings.ContainsAny(line, "\r\n") || !json.Valid([]byte(line)) || line != strings.ToValidUTF8(line, "?") {
						t.Errorf("%q in %s: %q", texts[i], revision, line)
					}
				}
			}
		})
	}
}

// If a client asks for a task on a server without tasks, it gets only the result.
func TestTasksAreNotOffered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := clientIn(t, "2025-11-25")
		tool(s, "try", func(context.Context) (string, error) { return "tried", nil })
		c.peer = dial(t, s, "memory")
		defer c.hangUp()
		spec.Holds(t, "S353")
		if said := c.one("initialize", `"protocolVersion":"2025-11-25","capabilities":{"tasks":{}},"clientInfo":{"name":"c","version":"1"}`); strings.Contains(said, "tasks") {
			t.Errorf("declared: %s", said)
		}
		c.send(initialized + "\n")
		if said := c.one("tools/call", `"name":"try","task":{"ttl":60000}`); !strings.Contains(said, `"text":"tried"`) || strings.Contains(said, "task") {
			t.Errorf("the answer is %s", said)
		}
	})
}

// Rounds that clients begin and never continue block nothing.
func TestRoundsThatAreLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := dial(t, newTalk(quiet, mcp.WithLimits(mcp.Limits{InFlight: 4})), "memory")
		defer p.hangUp()
		spec.Holds(t, "S302")
		for i := range 1000 {
			p.expect(modernTalk(i, "order", ""), `"resultType":"input_required"`)
		}
	})
}
