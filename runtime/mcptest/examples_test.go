package mcptest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// passage reads an example message and writes it again.
type passage func(data []byte) ([]byte, error)

// typed reads into a T, and fails on unknown members.
func typed[T any](data []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	v := new(T)
	if err := d.Decode(v); err != nil {
		return nil, err
	}
	return marshal(v)
}

// envelope reads a message with the server's parser, and writes it with the server's functions. The
// content goes through the passage.
func envelope(inside passage) passage {
	return func(data []byte) ([]byte, error) {
		m, e := jsonrpc.Parse(data)
		if e != nil {
			return nil, e
		}
		var err error
		switch {
		case m.Kind == jsonrpc.Request:
			var params []byte
			params, err = optional(m.Params.Raw, inside)
			return jsonrpc.AppendRequest(nil, m.ID, string(m.Method), params), err
		case m.Kind == jsonrpc.Notification:
			var params []byte
			params, err = optional(m.Params.Raw, inside)
			return jsonrpc.AppendNotification(nil, string(m.Method), params), err
		case m.Error != nil:
			var w wireError
			if err = json.Unmarshal(m.Error, &w); err != nil {
				return nil, err
			}
			return jsonrpc.AppendError(nil, m.ID, &jsonrpc.Error{Code: w.Code, Message: w.Message, Data: w.Data}), nil
		case m.Kind == jsonrpc.Response:
			var result []byte
			result, err = inside(m.Result)
			return jsonrpc.AppendResult(nil, m.ID, result), err
		}
		return nil, fmt.Errorf("a message of kind %v", m.Kind)
	}
}

func optional(data json.RawMessage, inside passage) ([]byte, error) {
	if data == nil {
		return nil, nil
	}
	return inside(data)
}

// params reads the params of a request like the server: member by member.
func params(data []byte) ([]byte, error) {
	m, e := jsonrpc.Parse(jsonrpc.AppendRequest(nil, jsonrpc.IntID(1), "x", data))
	if e != nil {
		return nil, e
	}
	var names map[string]json.RawMessage
	if err := json.Unmarshal(data, &names); err != nil {
		return nil, err
	}
	if m.Params.Len() != len(names) {
		return nil, fmt.Errorf("%d members, want %d", m.Params.Len(), len(names))
	}
	for name := range names {
		names[name] = m.Params.Get(name)
	}
	return marshal(names)
}

// question reads a request inside an input_required result, and its params by their type.
func question(data []byte) ([]byte, error) {
	type embedded struct { // the example of roots/list has an id, unlike these requests
		inputRequest
		ID json.RawMessage `json:"id,omitempty"`
	}
	var q embedded
	if err := json.Unmarshal(data, &q); err != nil {
		return nil, err
	}
	var err error
	switch q.Method {
	case "elicitation/create":
		q.Params, err = typed[mcpclient.Elicitation](q.Params)
	case "sampling/createMessage", "roots/list":
	default:
		err = fmt.Errorf("unknown question %q", q.Method)
	}
	if err != nil {
		return nil, err
	}
	return marshal(q)
}

// each passes the values of an object.
func each(inside passage) passage {
	return func(data []byte) ([]byte, error) {
		var all map[string]json.RawMessage
		if err := json.Unmarshal(data, &all); err != nil {
			return nil, err
		}
		for name, value := range all {
			again, err := inside(value)
			if err != nil {
				return nil, err
			}
			all[name] = again
		}
		return marshal(all)
	}
}

// response reads an answer to a question.
func response(data []byte) ([]byte, error) {
	if bytes.Contains(data, []byte(`"action"`)) {
		return typed[mcpclient.ElicitAnswer](data)
	}
	return data, nil
}

func required(data []byte) ([]byte, error) {
	r, err := inputRequired(data)
	if err != nil {
		return nil, err
	}
	for key, q := range r.Requests {
		text, err := marshal(q)
		if err == nil {
			text, err = question(text)
		}
		if err == nil {
			err = json.Unmarshal(text, &q)
		}
		if err != nil {
			return nil, err
		}
		r.Requests[key] = q
	}
	return marshal(r)
}

type resultInfo struct {
	Type  string   `json:"resultType,omitempty"`
	TTL   *int64   `json:"ttlMs,omitempty"`
	Cache string   `json:"cacheScope,omitempty"`
	Meta  mcp.Meta `json:"_meta,omitempty"`
}

type listed[T any] struct {
	Tools     []T    `json:"tools,omitempty"`
	Resources []T    `json:"resources,omitempty"`
	Templates []T    `json:"resourceTemplates,omitempty"`
	Prompts   []T    `json:"prompts,omitempty"`
	Cursor    string `json:"nextCursor,omitempty"`
	resultInfo
}

type completed struct {
	Completion mcp.Completion `json:"completion"`
	resultInfo
}

type discovered struct {
	Versions     []string                   `json:"supportedVersions"`
	Capabilities map[string]json.RawMessage `json:"capabilities"`
	Instructions string                     `json:"instructions,omitempty"`
	resultInfo
}

type progressed struct {
	Token json.RawMessage `json:"progressToken"`
	mcpclient.Progress
}

type cancelled struct {
	ID     json.RawMessage `json:"requestId"`
	Reason string          `json:"reason,omitempty"`
}

type changed struct {
	URI           string      `json:"uri,omitempty"`
	Notifications *wireFilter `json:"notifications,omitempty"`
	Meta          mcp.Meta    `json:"_meta,omitempty"`
}

type rooted struct {
	Roots []root `json:"roots"`
}

// passages contains the reader for the examples in each folder.
var passages = map[string]passage{
	"Tool": typed[mcpclient.Tool], "Resource": typed[mcpclient.Resource], "Root": typed[root],

	"CallToolRequest": envelope(params), "CallToolRequestParams": params,
	"CompleteRequest": envelope(params), "CompleteRequestParams": params,
	"CompleteResult": typed[completed], "CompleteResultResponse": envelope(typed[completed]),
	"DiscoverRequest": envelope(params), "DiscoverResult": typed[discovered], "DiscoverResultResponse": envelope(typed[discovered]),
	"GetPromptRequest": envelope(params), "GetPromptRequestParams": params,
	"ReadResourceRequest": envelope(params), "ReadResourceRequestParams": params,
	"PaginatedRequestParams": params,
	"ListToolsRequest":       envelope(params),
	"ListToolsResult":        typed[listed[mcpclient.Tool]], "ListToolsResultResponse": envelope(typed[listed[mcpclient.Tool]]),
	"ListResourcesRequest": envelope(params),
	"ListResourcesResult":  typed[listed[mcpclient.Resource]], "ListResourcesResultResponse": envelope(typed[listed[mcpclient.Resource]]),
	"ListResourceTemplatesRequest": envelope(params),
	"ListResourceTemplatesResult":  typed[listed[mcpclient.Template]], "ListResourceTemplatesResultResponse": envelope(typed[listed[mcpclient.Template]]),
	"ListPromptsRequest": envelope(params),
	"ListPromptsResult":  typed[listed[mcpclient.Prompt]], "ListPromptsResultResponse": envelope(typed[listed[mcpclient.Prompt]]),

	"CreateMessageRequest": question,
	"ElicitRequest":        question, "ElicitRequestFormParams": typed[mcpclient.Elicitation], "ElicitRequestURLParams": typed[mcpclient.Elicitation],
	"ElicitResult": typed[mcpclient.ElicitAnswer], "ListRootsRequest": question, "ListRootsResult": typed[rooted],
	"InputRequests": each(question), "InputResponses": each(response), "InputRequiredResult": required,

	"SubscriptionsListenRequest": envelope(params), "SubscriptionsListenResult": typed[resultInfo],
	"SubscriptionsListenResultResponse":     envelope(typed[resultInfo]),
	"SubscriptionsAcknowledgedNotification": envelope(typed[changed]),
	"ToolListChangedNotification":           envelope(typed[changed]), "PromptListChangedNotification": envelope(typed[changed]),
	"ResourceListChangedNotification": envelope(typed[changed]), "ResourceUpdatedNotification": envelope(typed[changed]),
	"ResourceUpdatedNotificationParams": typed[changed],
	"LoggingMessageNotification":        envelope(typed[mcpclient.LogMessage]), "LoggingMessageNotificationParams": typed[mcpclient.LogMessage],
	"ProgressNotification": envelope(typed[progressed]), "ProgressNotificationParams": typed[progressed],
	"CancelledNotification": envelope(typed[cancelled]), "CancelledNotificationParams": typed[cancelled],

	"HeaderMismatchError": envelope(nil), "MissingRequiredClientCapabilityError": envelope(nil),
	"UnsupportedProtocolVersionError": envelope(nil),
	"InternalError":                   typed[wireError], "InvalidParamsError": typed[wireError], "MethodNotFoundError": typed[wireError], "ParseError": typed[wireError],

	"ServerCapabilities": typed[map[string]json.RawMessage],
	"ClientCapabilities": declared,
	"BooleanSchema":      formField, "NumberSchema": formField, "StringSchema": formField,
	"TitledMultiSelectEnumSchema": formField, "TitledSingleSelectEnumSchema": formField,
	"UntitledMultiSelectEnumSchema": formField, "UntitledSingleSelectEnumSchema": formField,
}

// elsewhere lists the examples that package mcpclient reads, and that its own tests write again.
var elsewhere = []string{
	"TextContent", "ImageContent", "AudioContent", "EmbeddedResource", "ResourceLink", "ToolUseContent", "ToolResultContent",
	"TextResourceContents", "BlobResourceContents", "CallToolResult", "CallToolResultResponse", "GetPromptResult", "GetPromptResultResponse",
	"ReadResourceResult", "ReadResourceResultResponse", "CreateMessageRequestParams", "CreateMessageResult", "ModelPreferences", "SamplingMessage",
}

// The examples of the specification are read without loss: the written JSON is equal to them.
func TestExamples(t *testing.T) {
	dir := os.Getenv("MCP_SPEC_DIR")
	if dir == "" {
		t.Skip("MCP_SPEC_DIR is not set: the example messages are not read " +
			"(schema/REVISION/examples of github.com/modelcontextprotocol/modelcontextprotocol)")
	}
	dir = filepath.Join(dir, newestRevision, "examples")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the example messages are not there: %v", err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 129 {
		t.Errorf("%d examples, want 129", len(files))
	}
	for _, file := range files {
		folder := filepath.Base(filepath.Dir(file))
		if slices.Contains(elsewhere, folder) {
			continue
		}
		t.Run(folder+"/"+strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			pass := passages[folder]
			if pass == nil {
				t.Fatalf("nothing reads a %s", folder)
			}
			again, err := pass(data)
			if err != nil {
				t.Fatalf("read: %v\n%s", err, data)
			}
			if got, want := meaning(t, again), meaning(t, data); !reflect.DeepEqual(got, want) {
				t.Errorf("written again:\n%s\nwant:\n%s", again, data)
			}
		})
	}
}

const newestRevision = "2026-07-28"

// meaning returns JSON in canonical form: without order, blanks, and members that equal their
// defaults.
func meaning(t *testing.T, data []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return plain(v)
}

func plain(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for name, value := range v {
			if (name == "isError" || name == "hasMore") && value == false {
				delete(v, name)
				continue
			}
			v[name] = plain(value)
		}
	}
	return v
}

// declared declares capabilities to a server and writes the ones that a handler sees.
func declared(data []byte) (again []byte, err error) {
	var given map[string]any
	if err := json.Unmarshal(data, &given); err != nil {
		return nil, err
	}
	s := silentServer(func(ctx context.Context) {
		call := mcp.CallFrom(ctx)
		found := map[string]any{}
		for name, parts := range map[string]map[string]mcp.Capability{
			"elicitation": {"": mcp.CapabilityElicitation, "url": mcp.CapabilityElicitationURL},
			"sampling":    {"": mcp.CapabilitySampling, "tools": mcp.CapabilitySamplingTools, "context": mcp.CapabilitySamplingContext},
			"roots":       {"": mcp.CapabilityRoots},
		} {
			if !call.Can(parts[""]) {
				continue
			}
			object := map[string]any{}
			for part, capability := range parts {
				if part != "" && call.Can(capability) {
					object[part] = map[string]any{}
				}
			}
			found[name] = object
		}
		// An empty object means forms, like one that contains form.
		if e, ok := given["elicitation"].(map[string]any); ok && call.Can(mcp.CapabilityElicitation) && e["form"] != nil {
			found["elicitation"].(map[string]any)["form"] = map[string]any{}
		}
		const ui = "io.modelcontextprotocol/ui"
		if settings := call.Extension(ui); settings != nil {
			found["extensions"] = map[string]any{ui: settings}
		}
		again, err = marshal(found)
	})
	inTest(func(t testing.TB) { New(t, s, Options{Capabilities: given}).Call("run", nil) }, &err)
	return again, err
}

// formField creates a form field from a schema, and returns the schema that a server sends for it.
func formField(data []byte) (again []byte, err error) {
	type choice struct{ Const, Title string }
	var given struct {
		Type, Title, Description, Format string
		Minimum, Maximum, Default        json.RawMessage
		MinLength, MaxLength             int
		MinItems, MaxItems               int
		Enum                             []string
		OneOf                            []choice
		Items                            struct {
			Enum  []string
			AnyOf []choice
		}
	}
	if err := json.Unmarshal(data, &given); err != nil {
		return nil, err
	}
	f := mcp.FormField{
		Name: "x", Title: given.Title, Description: given.Description, Format: given.Format, Default: string(given.Default),
		Minimum: string(given.Minimum), Maximum: string(given.Maximum), MinLength: given.MinLength, MaxLength: given.MaxLength,
		MinItems: given.MinItems, MaxItems: given.MaxItems,
		Kind: map[string]mcp.FieldKind{"number": mcp.NumberField, "boolean": mcp.BooleanField, "array": mcp.ChoicesField}[given.Type],
	}
	for _, v := range slices.Concat(given.Enum, given.Items.Enum) {
		f.Choices = append(f.Choices, mcp.FormChoice{Value: v})
	}
	for _, v := range slices.Concat(given.OneOf, given.Items.AnyOf) {
		f.Choices = append(f.Choices, mcp.FormChoice{Value: v.Const, Title: v.Title})
	}
	if given.Type == "string" && f.Choices != nil {
		f.Kind = mcp.ChoiceField
	}
	s := silentServer(func(ctx context.Context) {
		_, _ = mcp.ElicitFields(ctx, "x", &mcp.FormInfo{Fields: []mcp.FormField{f}})
	})
	inTest(func(t testing.TB) {
		New(t, s, Options{Elicit: func(_ context.Context, e *mcpclient.Elicitation) mcpclient.ElicitAnswer {
			var schema struct{ Properties map[string]json.RawMessage }
			err = json.Unmarshal(e.Schema, &schema)
			again = schema.Properties["x"]
			return mcpclient.Decline()
		}}).Call("run", nil)
	}, &err)
	return again, err
}

// silentServer returns a server with a tool that runs a function.
func silentServer(f func(context.Context)) *mcp.Server {
	s := mcp.NewServer(mcp.ServerInfo{Name: "x"}, mcp.WithLogger(slog.New(slog.DiscardHandler)))
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "run"}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		f(ctx)
		return mcp.TextResult("done"), nil
	}))
	return s
}

// inTest runs a separate test, whose failure is an error.
func inTest(test func(testing.TB), err *error) {
	if said := Failure(test); said != "" && *err == nil {
		*err = errors.New(said)
	}
}
