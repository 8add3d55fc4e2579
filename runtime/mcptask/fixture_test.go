package mcptask_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var quiet = mcp.WithLogger(slog.New(slog.DiscardHandler))

// within runs a test in a bubble, in which time does not pass while a goroutine works.
func within(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

// newServer returns a server with tools, each of which is a task as its Support defines.
func newServer(options ...mcp.Option) *mcp.Server {
	return mcp.NewServer(mcp.ServerInfo{Name: "fixture", Version: "1"}, append([]mcp.Option{quiet}, options...)...)
}

// args are the arguments of the tools of these tests.
const schema = `{"type":"object","properties":{"n":{"type":"integer"}}}`

// add registers a tool.
func add(s *mcp.Server, name string, support mcptask.Support, f func(ctx context.Context) (string, error)) {
	addInfo(s, mcp.ToolInfo{Name: name, InputSchema: schema}, support, f)
}

func addInfo(s *mcp.Server, info mcp.ToolInfo, support mcptask.Support, f func(ctx context.Context) (string, error)) {
	s.Register(mcptask.Tool(mcp.NewTool(info, handler(f)), support))
}

// handler returns the function of a tool whose result is a text.
func handler(f func(ctx context.Context) (string, error)) func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
	return func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		text, err := f(ctx)
		if err != nil {
			return nil, err
		}
		return mcp.TextResult(text), nil
	}
}

// addGenerated registers a tool that reads its arguments as generated code does.
func addGenerated(s *mcp.Server, name string, support mcptask.Support, f func(ctx context.Context) (string, error)) {
	s.Register(mcptask.Tool(mcpimpl.FuncTool(&mcp.ToolInfo{Name: name, InputSchema: schema}, func(ctx context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
		if err := readNumber(req); err != nil {
			return nil, err
		}
		text, err := f(ctx)
		if err != nil {
			return nil, err
		}
		return mcp.TextResult(text), nil
	}), support))
}

// client is a client of revision 2026-07-28 in memory.
type client struct {
	t    *testing.T
	conn spec.Conn
	last int

	invalid bool // its messages violate the schema

	// capabilities are the capabilities in its requests, and more contains further members of their
	// _meta.
	capabilities, more string

	mu       sync.Mutex
	replies  map[string]chan string
	notified []string
}

const withTasks = `{"elicitation":{"form":{}},"sampling":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`

// connect connects a client. It ends with the test.
func connect(t *testing.T, s *mcp.Server) *client {
	t.Helper()
	return connectAs(t, s, "")
}

// connectAs connects the client of a principal.
func connectAs(t *testing.T, s *mcp.Server, principal string) *client {
	t.Helper()
	ctx := context.Background()
	if principal != "" {
		ctx = mcp.CallerContext(ctx, mcp.Principal{ID: principal}, nil)
	}
	return connectIn(ctx, t, s)
}

func connectIn(ctx context.Context, t *testing.T, s *mcp.Server) *client {
	t.Helper()
	conn, wait := s.Connect(ctx)
	c := &client{t: t, conn: spec.NewConn(t, conn), capabilities: withTasks, replies: map[string]chan string{}}
	go c.read()
	t.Cleanup(func() {
		conn.Close()
		_ = wait()
	})
	return c
}

func (c *client) read() {
	for {
		message, err := c.conn.Read()
		if err != nil {
			return
		}
		var m struct{ ID json.RawMessage }
		if err := json.Unmarshal(message, &m); err != nil {
			c.t.Errorf("%s: %v", message, err)
		}
		c.mu.Lock()
		if reply := c.replies[string(m.ID)]; reply != nil {
			reply <- string(message)
		} else {
			c.notified = append(c.notified, string(message))
		}
		c.mu.Unlock()
	}
}

// notifications returns the notifications since the last call.
func (c *client) notifications() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.notified
	c.notified = nil
	return all
}

// meta returns the _meta of each request.
func (c *client) meta() string {
	return `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + c.capabilities + c.more + `}`
}

// start sends a request, whose params also contain these members, and returns the channel for its
// reply.
func (c *client) start(method, members string) (id string, reply <-chan string) {
	c.t.Helper()
	c.last++
	id = fmt.Sprint(c.last)
	to := make(chan string, 1)
	c.mu.Lock()
	c.replies[id] = to
	c.mu.Unlock()
	if members != "" {
		members = "," + members
	}
	text := `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + c.meta() + members + `}}`
	if c.invalid {
		text = spec.Invalid(text)
	}
	if err := c.conn.Write([]byte(text + "\n")); err != nil {
		c.t.Fatal(err)
	}
	return id, to
}

// ask sends a request and returns the reply.
func (c *client) ask(method, members string) string {
	c.t.Helper()
	_, reply := c.start(method, members)
	return <-reply
}

// askInvalid is like ask for a request that violates the schema.
func (c *client) askInvalid(method, members string) string {
	c.t.Helper()
	c.invalid = true
	defer func() { c.invalid = false }()
	return c.ask(method, members)
}

// call calls a tool.
func (c *client) call(tool, more string) string {
	c.t.Helper()
	return c.ask("tools/call", `"name":"`+tool+`"`+more)
}

// task is a task as a client sees it.
type task struct {
	ResultType    string
	TaskID        string
	Status        string
	StatusMessage string
	CreatedAt     time.Time
	LastUpdatedAt time.Time
	TTLMs         int64
	PollMs        int64 `json:"pollIntervalMs"`
	InputRequests map[string]struct {
		Method string
		Params struct{ Message string }
	}
	Result struct {
		Content []struct{ Text string }
		IsError bool
	}
	Error *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
}

// read reads the task in a reply.
func (c *client) task(reply string) task {
	c.t.Helper()
	var m struct{ Result, Params *task }
	if err := json.Unmarshal([]byte(reply), &m); err != nil {
		c.t.Fatalf("%s: %v", reply, err)
	}
	switch {
	case m.Result != nil && m.Result.TaskID != "":
		return *m.Result
	case m.Params != nil && m.Params.TaskID != "":
		return *m.Params
	}
	c.t.Fatalf("no task: %s", reply)
	return task{}
}

// begin calls a tool, whose call becomes a task.
func (c *client) begin(tool string) string {
	c.t.Helper()
	got := c.task(c.call(tool, ""))
	if got.ResultType != "task" || len(got.TaskID) != 26 {
		c.t.Fatalf("not a new task: %+v", got)
	}
	return got.TaskID
}

// get returns a task.
func (c *client) get(id string) task {
	c.t.Helper()
	got := c.task(c.ask("tasks/get", `"taskId":"`+id+`"`))
	if got.ResultType != "complete" || got.TaskID != id {
		c.t.Errorf("%+v", got)
	}
	return got
}

// is compares a task's status and text.
func (c *client) is(id, status, text string) task {
	c.t.Helper()
	got := c.get(id)
	if got.Status != status || text != "" && got.text() != text {
		c.t.Errorf("the task is %s %q, want %s %q", got.Status, got.text(), status, text)
	}
	return got
}

// text returns the result, error, or message of a task.
func (t *task) text() string {
	switch {
	case t.Error != nil:
		return t.Error.Message
	case len(t.Result.Content) > 0:
		return t.Result.Content[0].Text
	}
	return t.StatusMessage
}

// question returns the only open question of a task.
func (c *client) question(id string) (key, message string) {
	c.t.Helper()
	got := c.is(id, "input_required", "")
	if len(got.InputRequests) != 1 {
		c.t.Fatalf("%d questions are open: %+v", len(got.InputRequests), got)
	}
	for key, q := range got.InputRequests {
		return key, q.Params.Message
	}
	return "", ""
}

// answer answers a question of a task by yes.
func (c *client) answer(id, key string) {
	c.t.Helper()
	c.answerBy(id, key, `{"action":"accept","content":{"yes":true}}`)
}

func (c *client) answerBy(id, key, answer string) {
	c.t.Helper()
	if got := c.ask("tasks/update", `"taskId":"`+id+`","inputResponses":{"`+key+`":`+answer+`}`); !strings.Contains(got, `"result":{"resultType":"complete"`) {
		c.t.Errorf("the answer is not taken: %s", got)
	}
}

// sure is the form of the questions in these tests.
type sure struct {
	Yes bool
}

var sureForm = mcp.FormInfo{Fields: []mcp.FormField{{Name: "yes", Kind: mcp.BooleanField, Required: true}}}

func (f *sure) MCPFormNeedsDirective() (*mcp.FormInfo, func(*wire.Decoder)) {
	return &sureForm, func(d *wire.Decoder) {
		for o := d.Object(wire.Fields{{Must: "yes"}}); o.Next(); {
			wire.Bool(d, &f.Yes)
		}
	}
}

// readNumber reads the arguments of a tool.
func readNumber(req *mcp.Request) error {
	var n int
	d := mcpimpl.Decoder(req)
	for o := d.Object(wire.Fields{{Name: "n"}}); o.Next(); {
		wire.Int(d, &n)
	}
	return d.Finish()
}

// confirm asks a question.
func confirm(ctx context.Context, message string, options ...mcp.AskOption) (string, error) {
	a, err := mcp.Elicit[sure](ctx, message, options...)
	if err != nil {
		return "", err
	}
	return fmt.Sprint(a.Action, a.Value.Yes), nil
}

// wait waits until all goroutines wait.
func wait() { synctest.Wait() }
