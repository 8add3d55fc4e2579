package mcp_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// specChecker holds what the server says against the official schemas, where
// the environment variable MCP_SPEC_DIR names the folder that has them.
type specChecker struct {
	t          *testing.T
	dir        string
	negotiated string
	pending    map[string]exchangeSpec
}

type exchangeSpec struct{ method, revision string }

var results = map[string]string{
	"initialize": "InitializeResult", "ping": "EmptyResult", "server/discover": "DiscoverResult",
	"tools/list": "ListToolsResult", "tools/call": "CallToolResult", "logging/setLevel": "EmptyResult",
	"resources/list": "ListResourcesResult", "resources/templates/list": "ListResourceTemplatesResult",
	"resources/read": "ReadResourceResult", "resources/subscribe": "EmptyResult", "resources/unsubscribe": "EmptyResult",
	"prompts/list": "ListPromptsResult", "prompts/get": "GetPromptResult", "completion/complete": "CompleteResult",
	"subscriptions/listen": "SubscriptionsListenResult",
	"search/run":           "Result", "search/nothing": "Result", "search/whole": "Result", "ask/run": "Result",
}

var (
	schemaMu sync.Mutex
	schemas  = map[string]*jsonschema.Schema{}
	counted  int
)

func newSpecChecker(t *testing.T) *specChecker {
	return &specChecker{t: t, dir: os.Getenv("MCP_SPEC_DIR"), pending: map[string]exchangeSpec{}}
}

// TestSpecDir says whether the conversations are held against the schemas.
func TestSpecDir(t *testing.T) {
	if os.Getenv("MCP_SPEC_DIR") == "" {
		t.Skip("MCP_SPEC_DIR is not set: messages are not validated against the official schemas " +
			"(schema/REVISION/schema.json of github.com/modelcontextprotocol/modelcontextprotocol)")
	}
	if counted < 100 {
		t.Errorf("only %d messages were validated", counted)
	}
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Meta    map[string]json.RawMessage `json:"_meta"`
		Version json.RawMessage            `json:"protocolVersion"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func (c *specChecker) sent(text string) {
	var m message
	if c.dir == "" || json.Unmarshal([]byte(text), &m) != nil || m.ID == nil || m.Method == "" {
		return
	}
	revision := c.negotiated
	if m.Params.Meta["io.modelcontextprotocol/protocolVersion"] != nil {
		revision = "2026-07-28"
	}
	c.pending[string(m.ID)] = exchangeSpec{m.Method, revision}
}

func (c *specChecker) received(text string) {
	if c.dir == "" {
		return
	}
	var batch []json.RawMessage
	if json.Unmarshal([]byte(text), &batch) == nil {
		for _, m := range batch {
			c.received(string(m))
		}
		return
	}
	var m message
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		c.t.Errorf("not JSON: %s", text)
		return
	}
	if m.Method != "" {
		c.said(&m, text)
		return
	}
	about := c.pending[string(m.ID)]
	if about.method == "initialize" && m.Result != nil {
		var r struct {
			ProtocolVersion string `json:"protocolVersion"`
		}
		json.Unmarshal(m.Result, &r)
		c.negotiated, about.revision = r.ProtocolVersion, r.ProtocolVersion
	}
	if string(m.ID) == "null" || about.revision == "" {
		// Replies to what could not be read, where the schemas want an id, and
		// what is said before a revision is known.
		if m.ID == nil && c.negotiated != "" {
			c.check(c.negotiated, []string{"JSONRPCErrorResponse", "JSONRPCError"}, text)
		}
		return
	}
	if m.Error != nil {
		c.check(about.revision, []string{"JSONRPCErrorResponse", "JSONRPCError"}, text)
		return
	}
	c.check(about.revision, []string{"JSONRPCResultResponse", "JSONRPCResponse"}, text)
	name := results[about.method]
	if name == "" {
		c.t.Errorf("result of an unknown method: %s", text)
		return
	}
	if bytes.Contains(m.Result, []byte(`"resultType":"input_required"`)) {
		name = "InputRequiredResult"
	}
	c.check(about.revision, []string{name}, string(m.Result))
}

// spoken are the requests and notifications of a server.
var spoken = map[string]string{
	"ping": "PingRequest", "elicitation/create": "ElicitRequest", "sampling/createMessage": "CreateMessageRequest",
	"roots/list": "ListRootsRequest", "notifications/message": "LoggingMessageNotification",
	"notifications/progress": "ProgressNotification", "notifications/cancelled": "CancelledNotification",
	"notifications/elicitation/complete":       "ElicitationCompleteNotification",
	"notifications/tools/list_changed":         "ToolListChangedNotification",
	"notifications/prompts/list_changed":       "PromptListChangedNotification",
	"notifications/resources/list_changed":     "ResourceListChangedNotification",
	"notifications/resources/updated":          "ResourceUpdatedNotification",
	"notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
}

// said checks what the server says by itself.
func (c *specChecker) said(m *message, text string) {
	revision := c.negotiated
	if revision == "" || m.Params.Meta["io.modelcontextprotocol/subscriptionId"] != nil {
		revision = "2026-07-28"
	}
	name, kind := spoken[m.Method], "ServerNotification"
	if m.ID != nil {
		kind = "ServerRequest"
	}
	if name == "" {
		c.t.Errorf("unknown message of the server: %s", text)
		return
	}
	c.check(revision, []string{name}, text)
	c.check(revision, []string{kind}, text)
}

// check validates text against the first of the definitions that the revision
// has.
func (c *specChecker) check(revision string, names []string, text string) {
	c.t.Helper()
	for _, name := range names {
		schema := c.schema(revision, name)
		if schema == nil {
			continue
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			c.t.Errorf("not a %s of %s: %v\n%s", name, revision, err, text)
		}
		schemaMu.Lock()
		counted++
		schemaMu.Unlock()
		return
	}
	c.t.Errorf("revision %s has none of %v", revision, names)
}

func (c *specChecker) schema(revision, name string) *jsonschema.Schema {
	schemaMu.Lock()
	defer schemaMu.Unlock()
	key := revision + name
	if s, ok := schemas[key]; ok {
		return s
	}
	file := filepath.Join(c.dir, revision, "schema.json")
	raw, err := os.ReadFile(file)
	if err != nil {
		c.t.Fatal(err)
	}
	var root map[string]json.RawMessage
	if err := json.Unmarshal(raw, &root); err != nil {
		c.t.Fatal(err)
	}
	var found *jsonschema.Schema
	for _, defs := range []string{"$defs", "definitions"} {
		var all map[string]json.RawMessage
		if json.Unmarshal(root[defs], &all) != nil || all[name] == nil {
			continue
		}
		compiler := jsonschema.NewCompiler()
		// The validator's own format refuses variables in the authority.
		compiler.RegisterFormat(&jsonschema.Format{Name: "uri-template", Validate: func(v any) error {
			if s, ok := v.(string); ok {
				_, err := uritemplate.Parse(s)
				return err
			}
			return nil
		}})
		found, err = compiler.Compile(file + "#/" + defs + "/" + name)
		if err != nil {
			c.t.Fatal(err)
		}
	}
	schemas[key] = found
	return found
}
