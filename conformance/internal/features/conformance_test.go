package features

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

const (
	june     = "2025-06-18"
	november = "2025-11-25"
	july     = "2026-07-28"
)

// revisions are the revisions with scenarios in the suite.
var revisions = []string{june, november, july}

// everyRevision runs a test with a client of each revision, whose user and model answer every
// question.
func everyRevision(t *testing.T, test func(*testing.T, *mcptest.Client)) {
	t.Helper()
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, connect(t, revision)) })
		})
	}
}

func quietServer() *mcp.Server {
	return NewServer(mcp.WithLogger(slog.New(slog.DiscardHandler)))
}

func connect(t *testing.T, revision string) *mcptest.Client {
	return mcptest.New(t, quietServer(), mcptest.Options{
		Revision: revision,
		LogLevel: "debug", OnMessage: spec.OnMessage(t),
		Elicit: func(_ context.Context, e *mcpclient.Elicitation) mcpclient.ElicitAnswer {
			return mcpclient.Accept(fillIn(t, e.Schema))
		},
		Sample: func(_ context.Context, r *mcp.SampleRequest) (*mcp.SampleResult, error) {
			return mcpclient.TextAnswer("you said " + r.Text()), nil
		},
		Roots: func() []mcp.Root { return []mcp.Root{{URI: "file:///work"}} },
	})
}

// fillIn answers a form with its defaults, or else with valid values.
func fillIn(t *testing.T, schema json.RawMessage) map[string]any {
	t.Helper()
	type choice struct {
		Enum  []string
		OneOf []struct{ Const string }
		AnyOf []struct{ Const string }
	}
	var form struct {
		Properties map[string]struct {
			Type, Format string
			Default      any
			choice
			Items choice
		}
	}
	if err := json.Unmarshal(schema, &form); err != nil {
		t.Errorf("read form: %v", err)
	}
	content := map[string]any{}
	for name, field := range form.Properties {
		switch {
		case field.Default != nil:
			content[name] = field.Default
		case field.Type == "boolean":
			content[name] = true
		case field.Format == "email":
			content[name] = "ada@example.com"
		case len(field.Enum) > 0:
			content[name] = field.Enum[0]
		case len(field.OneOf) > 0:
			content[name] = field.OneOf[0].Const
		case len(field.Items.Enum) > 0:
			content[name] = field.Items.Enum[:1]
		case len(field.Items.AnyOf) > 0:
			content[name] = []string{field.Items.AnyOf[0].Const}
		case field.Type == "string":
			content[name] = "Ada"
		}
	}
	return content
}

func TestLists(t *testing.T) {
	everyRevision(t, func(t *testing.T, c *mcptest.Client) {
		tools := c.Tools()
		for _, tool := range tools {
			var schema struct{ Type string }
			if err := json.Unmarshal(tool.InputSchema, &schema); err != nil || schema.Type != "object" || tool.Description == "" {
				t.Errorf("%s: %q, %s: %v", tool.Name, tool.Description, tool.InputSchema, err)
			}
		}
		// The suite calls the first tool without arguments, and expects a result.
		if r := c.Call(tools[0].Name, map[string]any{}); r.IsError {
			t.Errorf("%s: %s", tools[0].Name, r.Text())
		}
		i := slices.IndexFunc(tools, func(tool mcpclient.Tool) bool { return tool.Name == "json_schema_2020_12_tool" })
		if got := compact(t, tools[i].InputSchema); got != compact(t, []byte(contactSchema)) {
			t.Errorf("the schema is not word for word what it was: %s", got)
		}
		var resources, prompts []string
		for _, r := range c.Resources() {
			resources = append(resources, r.URI)
		}
		if want := []string{"test://static-binary", "test://static-text", "test://watched-resource"}; !slices.Equal(resources, want) {
			t.Errorf("resources %q, want %q", resources, want)
		}
		if all := c.Templates(); len(all) != 1 || all[0].URITemplate != "test://template/{id}/data" {
			t.Errorf("templates %+v", all)
		}
		for _, p := range c.Prompts() {
			prompts = append(prompts, p.Name)
			if p.Description == "" {
				t.Errorf("%s has no description", p.Name)
			}
		}
		for _, want := range []string{
			"test_simple_prompt", "test_prompt_with_arguments", "test_prompt_with_embedded_resource",
			"test_prompt_with_image", "test_input_required_result_prompt",
		} {
			if !slices.Contains(prompts, want) {
				t.Errorf("there is no prompt %s", want)
			}
		}
		for _, want := range []string{"tools", "resources", "prompts", "completions", "logging"} {
			if c.Server().Capabilities[want] == nil {
				t.Errorf("the capability %s is not declared", want)
			}
		}
	})
}

func compact(t *testing.T, text []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The results of all tools that return a text.
func TestTexts(t *testing.T) {
	everyRevision(t, func(t *testing.T, c *mcptest.Client) {
		texts := []struct {
			tool      string
			arguments any
			want      string
		}{
			{"test_simple_text", nil, "This is a simple text response for testing."},
			{"test_x_mcp_header", map[string]any{"region": "eu"}, "The region is eu."},
			{"json_schema_2020_12_tool", map[string]any{"phone": "1"}, `The arguments are {"phone":"1"}`},
			{"test_coming_and_going", nil, "Here at the moment."},
			{"test_missing_capability", nil, "The client has declared that it samples."},
			{"test_logging_tool", nil, "The tool has logged a message."},
			{"test_reconnection", nil, "The stream was let go, and the result is here nevertheless."},
			{"test_sampling", map[string]any{"prompt": "hello"}, "LLM response: you said hello"},
			{"test_elicitation", map[string]any{"message": "Who?"}, `User response: action=accept, content={"username":"Ada","email":"ada@example.com"}`},
			{"test_elicitation_sep1034_defaults", nil, "Elicitation completed: action=accept, content=" + profileOf(c)},
			{"test_streaming_elicitation", nil, `action=accept, content={"ok":true}`},
			{"test_input_required_result_elicitation", nil, "Hello, Ada!"},
			{"test_input_required_result_sampling", nil, "you said What is the capital of France?"},
			{"test_input_required_result_list_roots", nil, "Roots: file:///work"},
			{"test_input_required_result_request_state", nil, `state-ok: action=accept, content={"ok":true}`},
			{"test_input_required_result_multiple_inputs", nil, "you said Generate a greeting Ada, from file:///work"},
			{"test_input_required_result_multi_round", nil, "Ada likes Ada."},
			{"test_input_required_result_tampered_state", nil, `action=accept, content={"ok":true}`},
			{"test_input_required_result_capabilities", nil, "you said Generate a greeting"},
		}
		for _, test := range texts {
			if r := c.Call(test.tool, test.arguments); r.IsError || r.Text() != test.want {
				t.Errorf("%s: %q, failed %v, want %q", test.tool, r.Text(), r.IsError, test.want)
			}
		}
		if text := c.CallError("test_error_handling", nil); text != "this tool intentionally returns an error for testing" {
			t.Errorf("test_error_handling: %q", text)
		}
		// Forms of the oldest revision do not support fields with several choices.
		const enums = "test_elicitation_sep1330_enums"
		if c.Revision() == june {
			if text := c.CallError(enums, nil); !strings.Contains(text, "untitledMulti") {
				t.Errorf("%s: %q", enums, text)
			}
		} else if text := c.Call(enums, nil).Text(); text != `Elicitation completed: action=accept, content=`+
			`{"legacyEnum":"opt1","titledMulti":["value1"],"titledSingle":"value1","untitledMulti":["option1"],"untitledSingle":"option1"}` {
			t.Errorf("%s: %q", enums, text)
		}
	})
}

// profileOf returns the result for a user who changes nothing. The form of the oldest revision
// contains defaults of booleans only; empty fields still get the defaults.
func profileOf(c *mcptest.Client) string {
	if c.Revision() == june {
		return `{"name":"Ada","age":30,"score":95.5,"status":"active","verified":true}`
	}
	return `{"name":"John Doe","age":30,"score":95.5,"status":"active","verified":true}`
}

func TestContent(t *testing.T) {
	everyRevision(t, func(t *testing.T, c *mcptest.Client) {
		image, _ := c.Call("test_image_content", nil).Content[0].(mcp.Image)
		if _, err := png.Decode(bytes.NewReader(image.Data)); err != nil || image.MIMEType != "image/png" {
			t.Errorf("the picture is %+v: %v", image, err)
		}
		sound, _ := c.Call("test_audio_content", nil).Content[0].(mcp.Audio)
		if !bytes.HasPrefix(sound.Data, []byte("RIFF")) || sound.MIMEType != "audio/wav" {
			t.Errorf("the sound is %+v", sound)
		}
		embedded := c.Call("test_embedded_resource", nil).Content[0]
		if want := (mcp.EmbeddedResource{
			URI: "test://embedded-resource", MIMEType: "text/plain", Text: "This is an embedded resource content.",
		}); !reflect.DeepEqual(embedded, mcp.Content(want)) {
			t.Errorf("the resource is %+v, want %+v", embedded, want)
		}
		var types []string
		for _, block := range c.Call("test_multiple_content_types", nil).Content {
			types = append(types, fmt.Sprintf("%T", block))
		}
		if want := []string{"mcp.Text", "mcp.Image", "mcp.EmbeddedResource"}; !slices.Equal(types, want) {
			t.Errorf("the blocks are %q, want %q", types, want)
		}
	})
}

func TestDuring(t *testing.T) {
	everyRevision(t, func(t *testing.T, c *mcptest.Client) {
		c.Logs()
		c.Call("test_tool_with_logging", nil)
		var logs []string
		for _, m := range c.Logs() {
			logs = append(logs, m.Level+" "+string(m.Data))
		}
		if want := []string{
			`info "Tool execution started"`, `info "Tool processing data"`, `info "Tool execution completed"`,
		}; !slices.Equal(logs, want) {
			t.Errorf("logged %q, want %q", logs, want)
		}
		var progress []float64
		c.Call("test_tool_with_progress", nil, mcptest.WithProgress(func(p mcpclient.Progress) {
			progress = append(progress, p.Done)
			if p.Total != 100 {
				t.Errorf("the total is %v", p.Total)
			}
		}))
		if want := []float64{0, 50, 100}; !slices.Equal(progress, want) {
			t.Errorf("progress %v, want %v", progress, want)
		}
	})
}

func TestResourcesAndPrompts(t *testing.T) {
	everyRevision(t, func(t *testing.T, c *mcptest.Client) {
		if text := c.Read("test://static-text").Text(); text != staticText {
			t.Errorf("the text is %q", text)
		}
		if blob := c.Read("test://static-binary").Blob(); !bytes.Equal(blob, redPixel) {
			t.Errorf("the blob is %q", blob)
		}
		if text := c.Read("test://watched-resource").Text(); text != watchedResource {
			t.Errorf("the watched text is %q", text)
		}
		if text := c.Read("test://template/123/data").Text(); text != `{"id":"123","templateTest":true,"data":"Data for ID: 123"}` {
			t.Errorf("the data are %s", text)
		}
		for name, test := range map[string]struct {
			arguments map[string]string
			want      string
		}{
			"test_simple_prompt":                {nil, "user: This is a simple prompt for testing."},
			"test_prompt_with_arguments":        {map[string]string{"arg1": "hello", "arg2": "world"}, "user: Prompt with arguments: arg1='hello', arg2='world'"},
			"test_input_required_result_prompt": {nil, "user: Use this context: Ada"},
			"test_coming_and_going_prompt":      {nil, "user: Here at the moment."},
		} {
			if text := c.Prompt(name, test.arguments).Text(); text != test.want {
				t.Errorf("%s: %q, want %q", name, text, test.want)
			}
		}
		about := c.Prompt("test_prompt_with_embedded_resource", map[string]string{"resourceUri": "test://x"}).Messages
		if embedded, ok := about[0].Content.(mcp.EmbeddedResource); !ok || len(about) != 2 || embedded.URI != "test://x" || embedded.Text == "" {
			t.Errorf("the prompt about a resource: %+v", about)
		}
		picture := c.Prompt("test_prompt_with_image", nil).Messages
		if _, ok := picture[0].Content.(mcp.Image); !ok || len(picture) != 2 {
			t.Errorf("the prompt about a picture: %+v", picture)
		}
		if values := c.CompletePrompt("test_prompt_with_arguments", "arg1", "test", nil).Values; !slices.Equal(values, []string{"test", "testing"}) {
			t.Errorf("completions %q", values)
		}
	})
}

func TestChanges(t *testing.T) {
	everyRevision(t, func(t *testing.T, c *mcptest.Client) {
		w := c.Watch(mcpclient.Filter{Tools: true, Prompts: true})
		hasTool := func() bool {
			return slices.ContainsFunc(c.Tools(), func(tool mcpclient.Tool) bool { return tool.Name == comingTool })
		}
		hasPrompt := func() bool {
			return slices.ContainsFunc(c.Prompts(), func(p mcpclient.Prompt) bool { return p.Name == comingPrompt })
		}
		for i, there := range []bool{false, true} {
			c.Call("test_trigger_tool_change", nil)
			if change := w.Next(); change.Method != mcpclient.ToolsChanged || hasTool() != there {
				t.Errorf("turn %d: %v, the tool is there: %v", i, change, hasTool())
			}
			c.Call("test_trigger_prompt_change", nil)
			if change := w.Next(); change.Method != mcpclient.PromptsChanged || hasPrompt() != there {
				t.Errorf("turn %d: %v, the prompt is there: %v", i, change, hasPrompt())
			}
		}
	})
}

// The first questions have the names that the suite expects.
func TestQuestions(t *testing.T) {
	c := connect(t, july)
	for tool, want := range map[string][]string{
		"test_input_required_result_elicitation":     {"user_name elicitation/create"},
		"test_input_required_result_sampling":        {"capital_question sampling/createMessage"},
		"test_input_required_result_list_roots":      {"client_roots roots/list"},
		"test_input_required_result_request_state":   {"confirm elicitation/create"},
		"test_input_required_result_multi_round":     {"step1 elicitation/create"},
		"test_input_required_result_tampered_state":  {"confirm elicitation/create"},
		"test_input_required_result_capabilities":    {"greeting sampling/createMessage"},
		"test_input_required_result_multiple_inputs": {"client_roots roots/list", "greeting sampling/createMessage", "user_name elicitation/create"},
	} {
		raw, err := c.Request("tools/call", map[string]any{"name": tool})
		var asked struct {
			ResultType    string
			RequestState  string
			InputRequests map[string]struct{ Method string }
		}
		if err == nil {
			err = json.Unmarshal(raw, &asked)
		}
		var got []string
		for key, q := range asked.InputRequests {
			got = append(got, key+" "+q.Method)
		}
		slices.Sort(got)
		if err != nil || asked.ResultType != "input_required" || !slices.Equal(got, want) || asked.RequestState == "" {
			t.Errorf("%s: %s: %v, want %q", tool, raw, err, want)
		}
		_, err = c.Request("tools/call", map[string]any{"name": tool, "requestState": asked.RequestState + "-TAMPERED"})
		if refused, ok := errors.AsType[*jsonrpc.Error](err); !ok || refused.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("%s, with a state that was changed: %v", tool, err)
		}
	}
}

func TestMissingCapabilities(t *testing.T) {
	c := mcptest.New(t, quietServer(), mcptest.Options{Revision: july, OnMessage: spec.OnMessage(t)})
	for _, tool := range []string{"test_missing_capability", "test_sampling", "test_elicitation", "test_streaming_elicitation"} {
		_, err := c.Request("tools/call", map[string]any{"name": tool, "arguments": map[string]any{}})
		if refused, ok := errors.AsType[*jsonrpc.Error](err); !ok || refused.Code != -32021 {
			t.Errorf("%s: %v", tool, err)
		}
	}
	if text := c.CallError("test_input_required_result_capabilities", nil); text != "the client can ask neither a user nor a model" {
		t.Errorf("no question possible: %q", text)
	}
}
