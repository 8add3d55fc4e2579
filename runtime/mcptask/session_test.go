package mcptask_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// session is a client of revision 2025-11-25 in memory, which reads message by message.
type session struct {
	t    *testing.T
	conn spec.Conn
	last int
	init string // the reply to initialize

	before []string // messages that arrived before a reply
}

func openSession(t *testing.T, s *mcp.Server, principal string) *session {
	t.Helper()
	ctx := context.Background()
	if principal != "" {
		ctx = mcp.CallerContext(ctx, mcp.Principal{ID: principal}, nil)
	}
	return openSessionIn(ctx, t, s)
}

func openSessionIn(ctx context.Context, t *testing.T, s *mcp.Server) *session {
	t.Helper()
	conn, wait := s.Connect(ctx)
	c := &session{t: t, conn: spec.NewConn(t, conn)}
	t.Cleanup(func() {
		conn.Close()
		_ = wait()
	})
	c.init = c.ask("initialize", `"protocolVersion":"2025-11-25","clientInfo":{"name":"c","version":"1"},"capabilities":{"elicitation":{},"sampling":{}}`)
	c.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *session) write(text string) {
	c.t.Helper()
	if err := c.conn.Write([]byte(text + "\n")); err != nil {
		c.t.Fatal(err)
	}
}

// read returns the next message.
func (c *session) read() string {
	c.t.Helper()
	if len(c.before) > 0 {
		message := c.before[0]
		c.before = c.before[1:]
		return message
	}
	return c.receive()
}

func (c *session) receive() string {
	c.t.Helper()
	message, err := c.conn.Read()
	if err != nil {
		c.t.Fatal(err)
	}
	return string(message)
}

// reply returns the reply to a request.
func (c *session) reply(id int) string {
	c.t.Helper()
	for i, message := range c.before {
		if isReply(message, id) {
			c.before = slices.Delete(c.before, i, i+1)
			return message
		}
	}
	for {
		message := c.receive()
		if isReply(message, id) {
			return message
		}
		c.before = append(c.before, message)
	}
}

func (c *session) request(method, params string) string {
	c.last++
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s","params":{%s}}`, c.last, method, params)
}

func (c *session) ask(method, params string) string {
	c.t.Helper()
	c.write(c.request(method, params))
	return c.reply(c.last)
}

func (c *session) askInvalid(method, params string) string {
	c.t.Helper()
	c.write(spec.Invalid(c.request(method, params)))
	return c.reply(c.last)
}

// begin calls a tool as a task.
func (c *session) begin(tool, ttl string) (id string) {
	c.t.Helper()
	got := c.ask("tools/call", `"name":"`+tool+`","task":{`+ttl+`}`)
	var m struct {
		Result struct {
			Task struct{ TaskID, Status string }
		}
	}
	if err := json.Unmarshal([]byte(got), &m); err != nil || m.Result.Task.Status != "working" || len(m.Result.Task.TaskID) != 26 {
		c.t.Fatalf("not a new task: %s", got)
	}
	return m.Result.Task.TaskID
}

// has checks that a message contains all texts.
func has(t *testing.T, message string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(message, text) {
			t.Errorf("%s: there is no %s", message, text)
		}
	}
}

func TestSessionDeclares(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer()
		f := func(context.Context) (string, error) { return "done", nil }
		add(s, "import", mcptask.Support{Required: true}, f)
		add(s, "count", mcptask.Support{}, f)
		c := openSession(t, s, "")
		has(t, c.init, `"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}}`)
		has(t, c.ask("tools/list", ""), `"execution":{"taskSupport":"required"}`, `"execution":{"taskSupport":"optional"}`)
	})
}

func TestSessionCompletes(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer()
		add(s, "count", mcptask.Support{Inline: time.Hour}, func(context.Context) (string, error) {
			time.Sleep(time.Minute)
			return "done", nil
		})
		c := openSession(t, s, "")
		id := c.begin("count", `"ttl":600000`)
		has(t, c.ask("tasks/get", `"taskId":"`+id+`"`), `"status":"working"`, `"ttl":600000`, `"pollInterval":1000`)
		begun := time.Now()
		has(t, c.ask("tasks/result", `"taskId":"`+id+`"`), `"text":"done"`, `"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"`+id+`"}}`)
		if d := time.Since(begun); d != time.Minute {
			t.Errorf("the result came after %v", d)
		}
		has(t, c.ask("tasks/get", `"taskId":"`+id+`"`), `"status":"completed"`)
		has(t, c.ask("tasks/cancel", `"taskId":"`+id+`"`), `-32602`, `the task has ended`)
		has(t, c.ask("tasks/result", `"taskId":"`+id+`"`), `"text":"done"`)
		has(t, c.ask("tools/call", `"name":"count"`), `"text":"done"`)
		has(t, c.ask("tools/call", `"name":"count","task":{"ttl":99999999999999999999}`), `"ttl":3600000`)
		has(t, c.ask("tools/call", `"name":"count","task":{"ttl":0}`), `"ttl":1000`)
		time.Sleep(time.Hour)
		has(t, c.ask("tasks/get", `"taskId":"`+id+`"`), `-32602`, `unknown taskId`)
	})
}

func TestSessionFails(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer()
		add(s, "fail", mcptask.Support{}, func(context.Context) (string, error) { return "", errors.New("no shelf") })
		add(s, "break", mcptask.Support{}, func(context.Context) (string, error) {
			return "", &mcp.ProtocolError{Code: 7, Message: "broken"}
		})
		c := openSession(t, s, "")
		id := c.begin("fail", "")
		has(t, c.ask("tasks/result", `"taskId":"`+id+`"`), `"isError":true`, `no shelf`, id)
		has(t, c.ask("tasks/get", `"taskId":"`+id+`"`), `"status":"failed"`)
		id = c.begin("break", "")
		has(t, c.ask("tasks/result", `"taskId":"`+id+`"`), `"error":{"code":7,"message":"broken"`)
		has(t, c.ask("tasks/get", `"taskId":"`+id+`"`), `"status":"failed"`, `"statusMessage":"broken"`)
	})
}

func TestSessionCancels(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer()
		var cause error
		add(s, "wait", mcptask.Support{}, func(ctx context.Context) (string, error) {
			<-ctx.Done()
			cause = context.Cause(ctx)
			return "late", nil
		})
		c := openSession(t, s, "")
		id := c.begin("wait", "")
		wait()
		c.write(c.request("tasks/result", `"taskId":"`+id+`"`)) // waits
		wait()
		c.write(c.request("tasks/cancel", `"taskId":"`+id+`"`))
		both := c.read() + c.read()
		has(t, both, `"status":"cancelled"`, `the task has been cancelled`)
		wait()
		if !errors.Is(cause, mcp.ErrCancelled) {
			t.Errorf("cause %v", cause)
		}
		has(t, c.ask("tasks/cancel", `"taskId":"`+id+`"`), `-32602`)
	})
}

func TestSessionErrors(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer()
		f := func(context.Context) (string, error) { return "done", nil }
		addGenerated(s, "import", mcptask.Support{Required: true}, f)
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: "plain", InputSchema: schema}, handler(f)))
		c := openSession(t, s, "ann")
		has(t, c.ask("tools/call", `"name":"import"`), `-32601`, `only be called as a task`)
		has(t, c.ask("tools/call", `"name":"plain","task":{}`), `-32601`, `cannot be called as a task`)
		has(t, c.askInvalid("tools/call", `"name":"import","task":1`), `-32602`)
		has(t, c.askInvalid("tools/call", `"name":"import","task":{"ttl":"1"}`), `-32602`)
		has(t, c.ask("tools/call", `"name":"import","task":{"ttl":-1}`), `-32602`)
		has(t, c.ask("tools/call", `"name":"import","task":{},"arguments":{"n":"x"}`), `-32602`)
		for _, method := range []string{"tasks/get", "tasks/result", "tasks/cancel"} {
			unknown := `-32602,"message":"invalid params: unknown taskId"`
			has(t, c.ask(method, `"taskId":"none"`), unknown)
			has(t, c.askInvalid(method, ``), unknown)
			id := c.begin("import", "")
			has(t, openSession(t, s, "bob").ask(method, `"taskId":"`+id+`"`), unknown)
		}
		has(t, c.ask("tasks/list", ""), `-32601`)
		has(t, c.ask("tasks/update", `"taskId":"none","inputResponses":{}`), `-32601`)
	})
}

// A question is a request to the client that waits for the result, whether the run waits for its
// answer or is parked. If two requests wait for the result, each asks, and the answer to one of the
// questions takes the other one back.
func TestSessionAsks(t *testing.T) {
	for _, parked := range []bool{false, true} {
		t.Run(fmt.Sprint("parked ", parked), func(t *testing.T) {
			within(t, func(t *testing.T) {
				s := newServer()
				add(s, "ask", mcptask.Support{}, func(ctx context.Context) (string, error) { return confirm(ctx, "sure?") })
				c := openSession(t, s, "")
				id := c.begin("ask", "")
				wait()
				has(t, c.ask("tasks/get", `"taskId":"`+id+`"`), `"status":"input_required"`)
				if parked {
					time.Sleep(2 * time.Minute)
				}
				c.write(c.request("tasks/result", `"taskId":"`+id+`"`))
				c.write(c.request("tasks/result", `"taskId":"`+id+`"`))
				asked := []string{c.read(), c.read()}
				for _, question := range asked {
					has(t, question, `"method":"elicitation/create"`, `"io.modelcontextprotocol/related-task":{"taskId":"`+id+`"}`, `sure?`)
				}
				wait()
				c.write(answerTo(t, asked[1]))
				rest := c.read() + c.read() + c.read()
				if strings.Count(rest, "accepttrue") != 2 || strings.Count(rest, `"notifications/cancelled","params":{"requestId":`+idOf(t, asked[0])) != 1 {
					t.Errorf("after the answer: %s", rest)
				}
				has(t, c.ask("tasks/get", `"taskId":"`+id+`"`), `"status":"completed"`)
			})
		})
	}
}

// A client that refuses a question is asked again, and in the end the handler gets an error.
func TestSessionRefusesQuestions(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer()
		add(s, "ask", mcptask.Support{}, func(ctx context.Context) (string, error) { return confirm(ctx, "sure?") })
		c := openSession(t, s, "")
		id := c.begin("ask", "")
		c.write(c.request("tasks/result", `"taskId":"`+id+`"`))
		for range 3 {
			c.write(`{"jsonrpc":"2.0","id":` + idOf(t, c.read()) + `,"error":{"code":-1,"message":"no"}}`)
		}
		has(t, c.read(), `"isError":true`, `answer is not valid`)
	})
}

// A task does not send messages by itself: neither its changes nor its questions.
func TestSessionIsQuiet(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer()
		add(s, "ask", mcptask.Support{}, func(ctx context.Context) (string, error) { return confirm(ctx, "Sure?") })
		c := openSession(t, s, "")
		id := c.begin("ask", "")
		time.Sleep(2 * time.Minute)
		has(t, c.ask("tasks/get", `"taskId":"`+id+`"`), `"status":"input_required"`)
		c.ask("tasks/cancel", `"taskId":"`+id+`"`)
		time.Sleep(time.Minute)
		c.ask("ping", "")
		if len(c.before) > 0 {
			t.Errorf("sent: %v", c.before)
		}
	})
}

// Over every transport, the request for the result asks on its own channel.
func TestSessionAsksOnEachTransport(t *testing.T) {
	onEachTransport(t, func(t *testing.T, open func(*mcp.Server, string) *peer) {
		s := newServer(mcptask.WithStore(mcptask.NewMemory()))
		defer mcptask.Shutdown(context.Background(), s)
		add(s, "ask", mcptask.Support{}, func(ctx context.Context) (string, error) { return confirm(ctx, "Sure?") })
		c := open(s, "ada")
		if c.revision != session25 {
			return
		}
		id := c.begin("ask")
		settled(func() bool {
			return strings.Contains(c.ask("tasks/get", `"taskId":"`+id+`"`), "input_required")
		})
		c.put(c.request("tasks/result", `"taskId":"`+id+`"`))
		waits := c.last
		c.put(answerTo(t, c.find(`"method":"elicitation/create"`)))
		has(t, c.reply(waits), "accepttrue")
	})
}

// Requests for a result fail when the task expires, and take their questions back.
func TestResultOfATaskThatExpires(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer()
		add(s, "ask", mcptask.Support{}, func(ctx context.Context) (string, error) { return confirm(ctx, "Sure?") })
		c := openSession(t, s, "")
		id := c.begin("ask", `"ttl":60000`)
		c.write(c.request("tasks/result", `"taskId":"`+id+`"`))
		waits := c.last
		time.Sleep(2 * time.Minute)
		has(t, c.reply(waits), `-32602`, `unknown taskId`)
		wait()
		c.ask("ping", "")
		if n := strings.Count(strings.Join(c.before, ""), "notifications/cancelled"); n != 1 {
			t.Errorf("%d questions are taken back: %v", n, c.before)
		}
	})
}

// idOf returns the id of a request.
func idOf(t *testing.T, request string) string {
	t.Helper()
	var m struct{ ID json.RawMessage }
	if err := json.Unmarshal([]byte(request), &m); err != nil {
		t.Fatalf("%s: %v", request, err)
	}
	return string(m.ID)
}

// answerTo returns the answer yes to a question.
func answerTo(t *testing.T, asked string) string {
	t.Helper()
	return `{"jsonrpc":"2.0","id":` + idOf(t, asked) + `,"result":{"action":"accept","content":{"yes":true}}}`
}
