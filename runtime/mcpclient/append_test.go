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

func TestAppendSampleAnswer(t *testing.T) {
	for want, a := range map[string]*SampleAnswer{
		`{"role":"assistant","content":{"type":"text","text":"so be it"},"model":"own","stopReason":"endTurn"}`: TextAnswer("so be it"),
		`{"role":"user","content":[{"type":"text","text":""},{"type":"tool_use","name":"a","id":"1","input":{"n":1.0}}],"model":"big","_meta":{"a":null,"b":[1]}}`: {
			Role: "user", Model: "big", Meta: mcp.Meta{"b": json.RawMessage("[ 1 ]"), "a": nil},
			Content: Blocks{Text(""), {Type: "tool_use", ID: "1", Name: "a", Input: json.RawMessage("{ \"n\":\n1.0}")}},
		},
		`{"role":"assistant","content":{"type":"x","n":1e2},"model":"own"}`: {Content: Blocks{{Type: "x", Raw: json.RawMessage(`{"type":"x","n" : 1e2}`)}}},
	} {
		got, err := appendSampleAnswer(nil, a, "own")
		if err != nil || string(got) != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
	for name, a := range map[string]*SampleAnswer{
		"input":             {Content: Blocks{{Type: "tool_use", Input: json.RawMessage(`{"a":}`)}}},
		"structuredContent": {Content: Blocks{{Type: "tool_result", Structured: json.RawMessage(`{"a":1,"a":1}`)}}},
		"_meta k":           {Content: Blocks{Text("")}, Meta: mcp.Meta{"k": json.RawMessage("x")}},
		"_meta l":           {Content: Blocks{{Type: "text", Meta: mcp.Meta{"l": json.RawMessage("")}}}},
		"unexpected":        {Content: Blocks{{Type: "x", Raw: json.RawMessage(`{`)}}},
	} {
		if got, err := appendSampleAnswer(nil, a, "own"); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}

// An answer has a form in the revision.
func TestCheckSampleAnswer(t *testing.T) {
	use := Content{Type: "tool_use", ID: "1", Name: "a"}
	for _, r := range protocol.All {
		s := &r.ServerRequests
		if _, asks := s.Capabilities["sampling"]; !asks {
			continue
		}
		for text, c := range map[string]struct {
			answer *SampleAnswer
			ok     bool
		}{
			"text":     {TextAnswer("a"), true},
			"role":     {&SampleAnswer{Role: "system", Content: Blocks{Text("a")}}, false},
			"none":     {&SampleAnswer{}, false},
			"no type":  {&SampleAnswer{Content: Blocks{{}}}, false},
			"two":      {&SampleAnswer{Content: Blocks{Text("a"), Text("b")}}, s.MessageBlocks},
			"tool use": {&SampleAnswer{Content: Blocks{use}}, s.MessageBlocks},
			"audio":    {&SampleAnswer{Content: Blocks{{Type: "audio"}}}, s.MessageAudio},
		} {
			if err := c.answer.check(s); err == nil != c.ok {
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
			var a SampleAnswer
			if err := json.Unmarshal(data, &a); err != nil {
				return nil, err
			}
			return appendSampleAnswer(nil, &a, "own")
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
