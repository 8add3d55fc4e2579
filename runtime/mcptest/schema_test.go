package mcptest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// checker holds messages against the official schema of a revision.
type checker struct {
	t        *testing.T
	file     string
	defs     string            // $defs, or definitions
	byMethod map[string]string // definitions of requests and notifications
	has      map[string]bool

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
	asked    [2]map[string]string // methods by id: of the client, of the server
	counted  int
}

func newChecker(t *testing.T, revision string) *checker {
	dir := os.Getenv("MCP_SPEC_DIR")
	if dir == "" {
		t.Skip("MCP_SPEC_DIR is not set: messages are not validated against the official schemas " +
			"(schema/REVISION/schema.json of github.com/modelcontextprotocol/modelcontextprotocol)")
	}
	c := &checker{
		t: t, file: filepath.Join(dir, revision, "schema.json"), defs: "$defs",
		byMethod: map[string]string{}, has: map[string]bool{}, compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{},
		asked: [2]map[string]string{{}, {}},
	}
	data, err := os.ReadFile(c.file)
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]json.RawMessage
	if err := json.Unmarshal(data, &root); err != nil {
		t.Fatal(err)
	}
	if root[c.defs] == nil {
		c.defs = "definitions"
	}
	var all map[string]struct {
		Properties struct {
			Method struct {
				Const string `json:"const"`
			} `json:"method"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(root[c.defs], &all); err != nil {
		t.Fatal(err)
	}
	for name, d := range all {
		c.has[name] = true
		if d.Properties.Method.Const != "" {
			c.byMethod[d.Properties.Method.Const] = name
		}
	}
	return c
}

// resultOf are the definitions of results, by method.
var resultOf = map[string]string{
	"initialize": "InitializeResult", "ping": "EmptyResult", "logging/setLevel": "EmptyResult", "server/discover": "DiscoverResult",
	"tools/list": "ListToolsResult", "tools/call": "CallToolResult", "prompts/list": "ListPromptsResult", "prompts/get": "GetPromptResult",
	"resources/list": "ListResourcesResult", "resources/templates/list": "ListResourceTemplatesResult", "resources/read": "ReadResourceResult",
	"resources/subscribe": "EmptyResult", "resources/unsubscribe": "EmptyResult", "completion/complete": "CompleteResult",
	"elicitation/create": "ElicitResult", "sampling/createMessage": "CreateMessageResult", "roots/list": "ListRootsResult",
}

// see is an [mcptest.Options.OnMessage].
func (c *checker) see(fromServer bool, message json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var m struct {
		ID     json.RawMessage
		Method string
		Result json.RawMessage
		Error  json.RawMessage
	}
	if err := json.Unmarshal(message, &m); err != nil {
		c.t.Errorf("%v: %s", err, message)
		return
	}
	side := 0
	if fromServer {
		side = 1
	}
	switch {
	case m.Method != "":
		c.check(c.byMethod[m.Method], message)
		c.asked[side][string(m.ID)] = m.Method
	case m.Error != nil && c.has["JSONRPCErrorResponse"]:
		c.check("JSONRPCErrorResponse", message)
	case m.Error != nil:
		c.check("JSONRPCError", message)
	case bytes.Contains(m.Result, []byte(`"input_required"`)):
		c.check("InputRequiredResult", m.Result)
	default:
		c.check(resultOf[c.asked[1-side][string(m.ID)]], m.Result)
	}
}

func (c *checker) check(name string, value json.RawMessage) {
	if !c.has[name] {
		c.t.Errorf("no definition %q for %s", name, value)
		return
	}
	s := c.compiled[name]
	if s == nil {
		var err error
		if s, err = c.compiler.Compile(c.file + "#/" + c.defs + "/" + name); err != nil {
			c.t.Errorf("%s: %v", name, err)
			return
		}
		c.compiled[name] = s
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err == nil {
		err = s.Validate(v)
	}
	if err != nil {
		c.t.Errorf("not a %s: %v\n%s", name, err, value)
	}
	c.counted++
}

// What the client and the server say to each other is what the official schemas
// allow, in both directions.
func TestSchemas(t *testing.T) {
	for _, revision := range mcptest.Revisions() {
		t.Run(revision, func(t *testing.T) {
			check := newChecker(t, revision)
			o := mcptest.Options{
				Revision: revision, OnMessage: check.see, LogLevel: "debug",
				Client: mcp.ClientInfo{Name: "checker", Title: "Checker", Version: "1"},
				Sample: func(context.Context, *mcptest.SampleRequest) (*mcptest.SampleAnswer, error) {
					return mcptest.Says("so be it"), nil
				},
				Roots: func() []mcp.Root { return []mcp.Root{{URI: "file:///a"}} },
			}
			if revision >= "2025-06-18" {
				o.Elicit = func(_ context.Context, e *mcptest.Elicitation) mcptest.ElicitAnswer {
					if e.Mode == "url" {
						return mcptest.Accept(nil)
					}
					return mcptest.Accept(map[string]any{"yes": true})
				}
			}
			blocked := make(chan string, 2)
			s := newLibrary(blocked)
			c := mcptest.New(t, s, o)
			c.Server()
			c.Tools()
			c.Resources()
			c.Templates()
			c.Prompts()
			c.Read("library://covers/Emma")
			c.Prompt("review", map[string]string{"title": "Emma"})
			c.CompletePrompt("review", "title", "E", map[string]string{"author": "Austen"})
			c.Call("import", nil, mcptest.OnProgress(func(mcptest.Progress) {}), mcptest.WithMeta("com.example/k", 1))
			c.Call("titles", nil)
			c.Call("summarize", nil)
			c.Call("roots", nil)
			c.RootsChanged()
			if o.Elicit != nil {
				c.Call("burn", nil)
			}
			if revision >= "2025-11-25" {
				c.Call("pay", nil)
			}
			if _, err := c.Start("refuse", nil).Result(); err == nil {
				t.Error("not refused")
			}
			w := c.Watch(mcptest.Filter{Tools: true, URIs: []string{"library://rules"}})
			s.ResourceUpdated("library://rules")
			s.Unregister(mcp.KindTool, "fail")
			w.Next()
			w.Next()
			w.Close()
			r := c.Start("block", nil)
			<-blocked
			r.Cancel("enough")
			c.Close()
			if check.counted < 40 {
				t.Errorf("only %d messages were held against the schema", check.counted)
			}
		})
	}
}
