package mcpclient

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

func TestAppendRoots(t *testing.T) {
	for want, roots := range map[string][]mcp.Root{
		`{"roots":[]}`: nil,
		`{"roots":[{"uri":"file:///a","name":"a \"b\"\n<c>"},{"uri":"file:///b"}]}`: {{URI: "file:///a", Name: "a \"b\"\n<c>"}, {URI: "file:///b"}},
	} {
		if got := string(appendRoots([]byte("x"), roots)); got != "x"+want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestAppendElicitAnswer(t *testing.T) {
	form, err := (&Elicitation{Schema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string","default":"Ann"},"age":{"type":"integer"}}}`)}).Form()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		form   *Form
		answer ElicitAnswer
		want   string // or an error
	}{
		{form, Accept(nil), `{"action":"accept","content":{"name":"Ann"}}`},
		{form, Accept(json.RawMessage("{\n\"age\" : 9007199254740993 }")), `{"action":"accept","content":{"name":"Ann","age":9007199254740993}}`},
		{form, Accept(map[string]any{"name": "<b>\n"}), `{"action":"accept","content":{"name":"<b>\n"}}`},
		{form, Decline(), `{"action":"decline"}`},
		{form, ElicitAnswer{Action: mcp.ActionCancel, Content: 7}, `{"action":"cancel"}`},
		{nil, Accept(nil), `{"action":"accept"}`},
		{nil, Cancel(), `{"action":"cancel"}`},
		{form, Accept(map[string]any{"age": "old"}), `field age: must be an integer, got a string "old"`},
		{form, ElicitAnswer{}, `the action of an answer is "": it must be accept, decline or cancel`},
	} {
		got, err := appendElicitAnswer(nil, c.form, c.answer)
		if err != nil {
			got = []byte(err.Error())
		}
		if string(got) != c.want {
			t.Errorf("%+v: %s, want %s", c.answer, got, c.want)
		}
	}
}

func TestSampleAnswer(t *testing.T) {
	content := func(c ...mcp.SampleContent) []mcp.SampleContent { return c }
	for want, a := range map[string]*mcp.SampleResult{
		`{"role":"assistant","content":{"type":"text","text":"so be it"},"model":"own","stopReason":"endTurn"}`: TextAnswer("so be it"),
		`{"role":"user","content":[{"type":"text","text":""},{"type":"tool_use","name":"a","id":"1","input":{"n":1.0}}],"model":"big","_meta":{"a":null,"b":[1]}}`: {
			Role: "user", Model: "big", Meta: mcp.Meta{"b": json.RawMessage("[ 1 ]"), "a": nil},
			Content: content(mcp.Text{}, mcp.ToolUse{ID: "1", Name: "a", Input: json.RawMessage("{ \"n\":\n1.0}")}),
		},
		`{"role":"assistant","content":{"type":"x","n":1e2},"model":"own"}`: {Content: content(mcp.RawContent{Type: "x", JSON: json.RawMessage(`{"type":"x","n" : 1e2}`)})},
		`{"role":"assistant","content":{"type":"image","data":"AP8=","mimeType":"image/png","annotations":{"priority":0}},"model":"own"}`: {
			Content: content(mcp.Image{Data: []byte{0, 255}, MIMEType: "image/png", Annotations: &mcp.Annotations{Priority: new(0.0)}}),
		},
		`{"role":"assistant","content":{"type":"tool_result","toolUseId":"1","content":[{"type":"text","text":"<&>\n"}],"structuredContent":[1],"isError":true,"_meta":{"k":1}},"model":"own"}`: {
			Content: content(mcp.ToolOutcome{ID: "1", Result: &mcp.ToolResult{
				Content: []mcp.Content{mcp.Text{Text: "<&>\n"}}, Structured: json.RawMessage("[ 1]"), IsError: true, Meta: mcp.Meta{"k": json.RawMessage("1")},
			}}),
		},
	} {
		got, err := sampleAnswer(*a, "own").MarshalJSON()
		if err != nil || string(got) != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
	for name, a := range map[string]*mcp.SampleResult{
		"input":             {Content: content(mcp.ToolUse{Input: json.RawMessage(`{"a":}`)})},
		"structuredContent": {Content: content(mcp.ToolOutcome{Result: &mcp.ToolResult{Structured: json.RawMessage(`{"a":1,"a":1}`)}})},
		"_meta: k":          {Content: content(mcp.Text{}), Meta: mcp.Meta{"k": json.RawMessage("x")}},
		"_meta: l":          {Content: content(mcp.Text{Meta: mcp.Meta{"l": json.RawMessage("")}})},
		"unexpected":        {Content: content(mcp.RawContent{Type: "x", JSON: json.RawMessage(`{`)})},
	} {
		if got, err := sampleAnswer(*a, "own").MarshalJSON(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}

// TestCheckSampleAnswer checks answers that a revision cannot express.
func TestCheckSampleAnswer(t *testing.T) {
	content := func(c ...mcp.SampleContent) *mcp.SampleResult { return &mcp.SampleResult{Content: c} }
	for _, r := range protocol.All {
		s := &r.ServerRequests
		if _, asks := s.Capabilities["sampling"]; !asks {
			continue
		}
		for text, c := range map[string]struct {
			answer *mcp.SampleResult
			ok     bool
		}{
			"text":        {TextAnswer("a"), true},
			"role":        {&mcp.SampleResult{Role: "system", Content: TextAnswer("a").Content}, false},
			"none":        {content(), false},
			"nil":         {content(nil), false},
			"no type":     {content(mcp.RawContent{}), false},
			"own type":    {content(mcp.RawContent{Type: "x"}), true},
			"two":         {content(mcp.Text{}, mcp.Text{}), s.MessageBlocks},
			"tool use":    {content(mcp.ToolUse{ID: "1", Name: "a"}), s.MessageBlocks},
			"tool result": {content(mcp.ToolOutcome{ID: "1"}), s.MessageBlocks},
			"audio":       {content(mcp.Audio{}), s.MessageAudio},
			"a pointer":   {content(&mcp.Audio{}), s.MessageAudio},
		} {
			if err := checkSample(c.answer, s); err == nil != c.ok {
				t.Errorf("%s: %s: %v", r.Version, text, err)
			}
		}
	}
}

// The examples of the specification are written as they are.
func TestAnswerExamples(t *testing.T) {
	dir := filepath.Join(spec.Dir(t), "2026-07-28", "examples")
	for pattern, write := range map[string]func(data []byte) ([]byte, error){
		"CreateMessageResult": func(data []byte) ([]byte, error) {
			a, err := ReadAnswer(data)
			if err != nil {
				return nil, err
			}
			return sampleAnswer(*a, "own").MarshalJSON()
		},
		"ListRootsResult": func(data []byte) ([]byte, error) {
			var r struct{ Roots []mcp.Root }
			if err := json.Unmarshal(data, &r); err != nil {
				return nil, err
			}
			return appendRoots(nil, r.Roots), nil
		},
	} {
		files, err := filepath.Glob(filepath.Join(dir, pattern, "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no examples of %s: %v", pattern, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := write(data); err != nil || !sameJSON(t, data, got) {
				t.Errorf("%s: %s, %v", file, got, err)
			}
		}
	}
}
