package mcpclient

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// wrong checks that reading a text returns a violation.
func wrong[T any](t *testing.T, text, want string, read func([]byte) (T, error)) {
	t.Helper()
	_, err := read([]byte(text))
	if v, ok := errors.AsType[*dial.Violation](err); !ok || !strings.Contains(v.Text, want) {
		t.Errorf("%s: %v, want %s", text, err, want)
	}
}

func TestReadProgress(t *testing.T) {
	data := []byte(`{"progressToken":"a","progress":0.5,"total":1e2,"message":"half"}`)
	p, err := readProgress(data)
	if err != nil {
		t.Fatal(err)
	}
	clear(data)
	if *p != (Progress{Done: 0.5, Total: 100, Message: "half"}) {
		t.Errorf("%+v", p)
	}
	wrong(t, `{"progress":NaN}`, "unexpected character 'N'", readProgress)
	wrong(t, `{"progress":1e400}`, "progress: must be at most", readProgress)
	wrong(t, `{"progress":"1"}`, "progress: must be a number", readProgress)
	wrong(t, `{"Progress":1}`, "progress: required", readProgress)
	wrong(t, `{"progress":1,"message":{}}`, "message: must be a string", readProgress)
}

func TestReadLogMessage(t *testing.T) {
	data := []byte(`{"level":"info","logger":"db","data":{"n":9007199254740993}}`)
	m, err := readLogMessage(data)
	if err != nil {
		t.Fatal(err)
	}
	clear(data)
	if m.Level != "info" || m.Logger != "db" || string(m.Data) != `{"n":9007199254740993}` {
		t.Errorf("%+v", m)
	}
	if m, err := readLogMessage([]byte(`{"level":"info","data":null}`)); err != nil || string(m.Data) != "null" {
		t.Errorf("%+v, %v", m, err)
	}
	wrong(t, `{"level":"info"}`, "data: required", readLogMessage)
	wrong(t, `{"data":1}`, "level: required", readLogMessage)
	wrong(t, `{"level":3,"data":1}`, "level: must be a string", readLogMessage)
	wrong(t, `{"level":"info","data":{"a":1,"a":1}}`, "duplicate key", readLogMessage)
}

func TestReadInitialize(t *testing.T) {
	version, s, err := readInitialize([]byte(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"logging":null,"x":{}},
		"serverInfo":{"name":"library","version":"1","title":"Library","websiteUrl":"https://example.com","icons":[{"src":"a:b"}]},"instructions":"Ask.","_meta":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	if version != "2025-06-18" || len(s.Capabilities) != 2 || string(s.Capabilities["tools"]) != `{"listChanged":true}` ||
		!reflect.DeepEqual(s.ServerInfo, mcp.ServerInfo{
			Name: "library", Version: "1", Title: "Library", Website: "https://example.com", Icons: []mcp.Icon{{Source: "a:b"}}, Instructions: "Ask.",
		}) {
		t.Errorf("%q %+v", version, s)
	}
	read := func(data []byte) (string, error) {
		version, _, err := readInitialize(data)
		return version, err
	}
	for text, want := range map[string]string{
		`{"capabilities":{}}`:                                               "protocolVersion: required",
		`{"protocolVersion":1,"capabilities":{}}`:                           "protocolVersion: must be a string",
		`{"protocolVersion":"2025-06-18"}`:                                  "capabilities: required",
		`{"protocolVersion":"2025-06-18","capabilities":[]}`:                "capabilities: must be an object",
		`{"protocolVersion":"2025-06-18","capabilities":{"tools":true}}`:    "capabilities.tools: must be an object",
		`{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":1}`: "serverInfo: must be an object",
		`[]`: "must be an object",
	} {
		wrong(t, text, want, read)
	}
}

func TestReadDiscover(t *testing.T) {
	s, err := readDiscover([]byte(`{"supportedVersions":["2026-07-28","2025-11-25"],"capabilities":{"prompts":{}},"resultType":"complete",
		"_meta":{"a":1,"io.modelcontextprotocol/serverInfo":{"name":"library","version":"1"}}}`))
	if err != nil || !reflect.DeepEqual(s.Versions, []string{"2026-07-28", "2025-11-25"}) || s.Name != "library" || len(s.Capabilities) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	for text, want := range map[string]string{
		`{}`: "supportedVersions: required",
		`{"supportedVersions":"2026-07-28","capabilities":{}}`:                                          "supportedVersions: must be an array",
		`{"supportedVersions":[1],"capabilities":{}}`:                                                   "supportedVersions[0]: must be a string",
		`{"supportedVersions":[],"capabilities":null}`:                                                  "capabilities: must be an object",
		`{"supportedVersions":[],"capabilities":{},"_meta":[]}`:                                         "_meta: must be an object",
		`{"supportedVersions":[],"capabilities":{},"_meta":{"io.modelcontextprotocol/serverInfo":"a"}}`: `_meta["io.modelcontextprotocol/serverInfo"]: must be an object`,
	} {
		wrong(t, text, want, readDiscover)
	}
	file := filepath.Join(spec.Dir(t), "2026-07-28", "examples", "DiscoverResult", "server-capabilities-discovery.json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := readDiscover(data); err != nil || len(s.Versions) == 0 || len(s.Capabilities) == 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

// Missing hints have the defaults of the specification, and a title among them becomes the title of
// a tool without one (server/tools, tool annotations).
func TestReadHints(t *testing.T) {
	for text, want := range map[string]struct {
		hints *mcp.ToolHints
		title string
	}{
		``:                    {nil, ""},
		`,"annotations":null`: {nil, ""},
		`,"annotations":{}`:   {&mcp.ToolHints{Destructive: true, OpenWorld: true}, ""},
		`,"annotations":{"readOnlyHint":true,"destructiveHint":false,"openWorldHint":null}`:             {&mcp.ToolHints{ReadOnly: true, OpenWorld: true}, ""},
		`,"annotations":{"idempotentHint":true,"destructiveHint":true,"openWorldHint":false}`:           {&mcp.ToolHints{Destructive: true, Idempotent: true}, ""},
		`,"annotations":{"title":"Hint","destructiveHint":false,"openWorldHint":false}`:                 {&mcp.ToolHints{}, "Hint"},
		`,"title":"Own","annotations":{"title":"Hint","destructiveHint":false,"openWorldHint":false}`:   {&mcp.ToolHints{}, "Own"},
		`,"annotations":{"title":"Hint","destructiveHint":false,"openWorldHint":false},"title":"After"`: {&mcp.ToolHints{}, "After"},
	} {
		tool, err := readOne(listOfTools, []byte(`{"name":"a","inputSchema":{"type":"object"}`+text+`}`))
		if err != nil || !reflect.DeepEqual(tool.Hints, want.hints) || tool.Title != want.title {
			t.Errorf("%s: %+v, %v", text, tool, err)
		}
	}
	wrong(t, `{"name":"a","inputSchema":{},"annotations":{"readOnlyHint":"yes"}}`, "annotations.readOnlyHint: must be a boolean",
		func(data []byte) (*Tool, error) { return readOne(listOfTools, data) })
}

func TestReadElicitation(t *testing.T) {
	e, err := readElicitation([]byte(`{"message":"Name?","requestedSchema":{"type":"object","properties":{}},"_meta":{"progressToken":1}}`))
	if err != nil || e.Mode != "" || e.Message != "Name?" || string(e.Schema) != `{"type":"object","properties":{}}` {
		t.Errorf("%+v, %v", e, err)
	}
	e, err = readElicitation([]byte(`{"mode":"url","message":"Pay","url":"javascript:alert(1)","elicitationId":"1"}`))
	if err != nil || e.URL != "javascript:alert(1)" || e.ID != "1" {
		t.Errorf("%+v, %v", e, err)
	}
	for text, want := range map[string]string{
		`{"requestedSchema":{}}`:                              "message: required",
		`{"message":"a"}`:                                     "requestedSchema",
		`{"message":"a","mode":"form"}`:                       "requestedSchema",
		`{"message":"a","requestedSchema":[]}`:                "requestedSchema: must be an object",
		`{"message":"a","mode":"url"}`:                        "url",
		`{"message":"a","mode":"URL","url":"https://a"}`:      "mode: must be",
		`{"message":"a","mode":"url","url":["https://a"]}`:    "url: must be a string",
		`{"message":"a","mode":"voice","requestedSchema":{}}`: "mode: must be",
	} {
		wrong(t, text, want, readElicitation)
	}
}

func TestReadSampleRequest(t *testing.T) {
	read := func(data []byte) (*mcp.SampleRequest, error) { return readSampleRequest(data, &defaultLimits) }
	r, err := read([]byte(`{"messages":[{"role":"user","content":{"type":"text","text":"Hello"}},
		{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"a","input":{"n":1.0}},{"type":"x"}]}],
		"maxTokens":1e2,"temperature":0.5,"modelPreferences":{"hints":[{"name":"big"},{}],"costPriority":0},"tools":[` + tool("a") + `],"toolChoice":{"mode":"auto"},
		"stopSequences":["."],"metadata":{"a":[1]},"includeContext":"none","systemPrompt":"Be brief.","task":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	if r.Text() != "Hello" || r.MaxTokens != 100 || *r.Temperature != 0.5 || r.Preferences.Hints[0] != "big" || *r.Preferences.Cost != 0 || r.Preferences.Speed != nil ||
		r.Tools[0].Name != "a" || r.ToolChoice != "auto" || string(r.Metadata) != `{"a":[1]}` || string(r.Messages[1].Content[0].(mcp.ToolUse).Input) != `{"n":1.0}` ||
		string(r.Messages[1].Content[1].(mcp.RawContent).JSON) != `{"type":"x"}` || r.System != "Be brief." || r.Context != "none" || r.StopSequences[0] != "." {
		t.Errorf("%+v", r)
	}
	for text, want := range map[string]mcp.ToolChoice{``: "", `,"toolChoice":null`: "", `,"toolChoice":{}`: mcp.ToolChoiceAuto, `,"toolChoice":{"mode":"none"}`: mcp.ToolChoiceNone} {
		if r, err := read([]byte(`{"messages":[],"maxTokens":1` + text + `}`)); err != nil || r.ToolChoice != want {
			t.Errorf("%s: %+v, %v", text, r, err)
		}
	}
	for text, want := range map[string]string{
		`{"messages":[{"role":"user","content":{"type":"tool_use","id":"1","name":"a","input":[]}}],"maxTokens":1}`: "messages[0].content.input: must be an object",
		`{"messages":[]}`:                                                          "maxTokens: required",
		`{"maxTokens":1}`:                                                          "messages: required",
		`{"maxTokens":0.5,"messages":[]}`:                                          "maxTokens: must be an integer",
		`{"maxTokens":1,"messages":[{"role":"user"}]}`:                             "messages[0].content: required",
		`{"maxTokens":1,"messages":[{"role":"user","content":"a"}]}`:               "messages[0].content: must be an object",
		`{"maxTokens":1,"messages":[{"role":"user","content":[{"type":"text"}]}]}`: "messages[0].content[0].text: required",
		`{"maxTokens":1,"messages":[],"tools":[{"name":"a"}]}`:                     "tools[0].inputSchema: required",
		`{"maxTokens":1,"messages":[],"metadata":1}`:                               "metadata: must be an object",
	} {
		wrong(t, text, want, read)
	}
}
