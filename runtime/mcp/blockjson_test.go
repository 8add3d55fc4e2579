package mcp

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// encoding/json, too, encodes the types of content as the JSON of the protocol.
func TestVocabularyAsJSON(t *testing.T) {
	note := &Annotations{Audience: []Role{RoleUser}, Priority: new(0.5), LastModified: time.Date(2025, 1, 12, 15, 0, 58, 0, time.UTC)}
	meta := Meta{"b": json.RawMessage("[ 1 ]"), "a\n": nil}
	for want, v := range map[string]any{
		`{"type":"text","text":""}`: Text{},
		`{"type":"text","text":"a\nb","annotations":{"audience":["user"],"priority":0.5,"lastModified":"2025-01-12T15:00:58Z"},"_meta":{"a\n":null,"b":[1]}}`: &Text{Text: "a\nb", Annotations: note, Meta: meta},
		`{"type":"text","text":"[1]"}`:                        jsonText{[]byte("[1]")},
		`{"type":"image","data":"","mimeType":""}`:            Image{},
		`{"type":"audio","data":"AP8=","mimeType":"audio/x"}`: Audio{Data: []byte{0, 255}, MIMEType: "audio/x"},
		`{"type":"resource_link","uri":"a:b","name":""}`:      ResourceLink{URI: "a:b"},
		`{"type":"resource_link","mimeType":"a/b","uri":"a:b","name":"n","title":"t","description":"d","size":7,"icons":[{"src":"data:,","sizes":["any"]}]}`: ResourceLink{
			URI: "a:b", Name: "n", Title: "t", Description: "d", MIMEType: "a/b", Size: 7, Icons: []Icon{{Source: "data:,", Sizes: []string{"any"}}},
		},
		`{"type":"resource","resource":{"uri":"a:b","text":""}}`: EmbeddedResource{URI: "a:b"},
		`{"type":"resource","resource":{"uri":"a:b","mimeType":"a/b","blob":"","_meta":{"in":1}},"_meta":{"out":2}}`: EmbeddedResource{
			URI: "a:b", MIMEType: "a/b", Blob: []byte{}, Text: "not this", Meta: Meta{"out": json.RawMessage("2")}, ResourceMeta: Meta{"in": json.RawMessage("1")},
		},
		`{"type":"hologram","n":1e2}`:                                         RawContent{Type: "hologram", JSON: json.RawMessage(" {\"type\":\"hologram\",\n\"n\":1e2}")},
		`{"type":"hologram"}`:                                                 RawContent{Type: "hologram"},
		`{"type":"tool_use","name":"n","id":"1","input":{}}`:                  ToolUse{ID: "1", Name: "n"},
		`{"type":"tool_result","toolUseId":"1","content":[]}`:                 ToolOutcome{ID: "1"},
		`{"type":"tool_result","toolUseId":"1","content":[null]}`:             ToolOutcome{ID: "1", Result: &ToolResult{Content: []Content{nil}}},
		`{"role":"user","content":{"type":"text","text":"a"}}`:                UserMessage("a"),
		`{"role":"","content":[],"_meta":{"k":1}}`:                            SampleMessage{Meta: Meta{"k": json.RawMessage("1")}},
		`{"hints":[{"name":"small"}],"speedPriority":0}`:                      &ModelPreferences{Hints: []string{"small"}, Speed: new(0.0)},
		`{"name":"n","inputSchema":{"type":"object"}}`:                        SampleTool{Name: "n"},
		`{"name":"n","title":"t","description":"d","inputSchema":{"a":1}}`:    SampleTool{Name: "n", Title: "t", Description: "d", InputSchema: `{"a": 1}`},
		`{"messages":[],"maxTokens":0}`:                                       SampleRequest{Messages: []SampleMessage{}},
		`{"messages":[],"maxTokens":5,"toolChoice":{"mode":"none"}}`:          &SampleRequest{Messages: []SampleMessage{}, MaxTokens: 5, ToolChoice: ToolChoiceNone},
		`{"content":[{"type":"text","text":"a"}],"isError":true}`:             failedResult("a"),
		`{"contents":[{"uri":"","text":"a"}]}`:                                TextContents("a"),
		`{"messages":[{"role":"user","content":{"type":"text","text":"a"}}]}`: PromptText("a"),
	} {
		got, err := json.Marshal(v)
		if err != nil || string(got) != want {
			t.Errorf("%T: %s, %v, want %s", v, got, err, want)
		}
	}
	for want, v := range map[string]any{
		"_meta: k":    Text{Meta: Meta{"k": json.RawMessage("{")}},
		"input":       ToolUse{Input: json.RawMessage("{")},
		"content":     SampleResult{Content: []SampleContent{RawContent{JSON: json.RawMessage("{")}}},
		"inputSchema": SampleTool{InputSchema: "{"},
	} {
		if got, err := json.Marshal(v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%T: %s, %v, want an error about %s", v, got, err, want)
		}
	}
}

func TestTextsOfVocabulary(t *testing.T) {
	tool := ContentResult(Text{Text: "a"}, Image{}, Text{Text: "b"})
	if tool.Text() != "a\nb" || new(ToolResult).Text() != "" {
		t.Errorf("%q", tool.Text())
	}
	prompt := PromptMessages(FromUser(Text{Text: "a"}), FromUser(Image{}), FromAssistant(Text{Text: "b"}))
	if prompt.Text() != "user: a\nassistant: b" {
		t.Errorf("%q", prompt.Text())
	}
	resource := &ResourceResult{Contents: []ResourceContents{{Text: "a"}, {Blob: []byte("x")}, {Text: "b"}}}
	if resource.Text() != "ab" || string(resource.Blob()) != "x" || TextContents("a").Blob() != nil {
		t.Errorf("%q, %q", resource.Text(), resource.Blob())
	}
	request := &SampleRequest{Messages: []SampleMessage{UserMessage("a"), {Role: RoleUser, Content: []SampleContent{Image{}, Text{Text: "b"}}}}}
	if request.Text() != "a\nb" {
		t.Errorf("%q", request.Text())
	}
}

func TestMetaOfAnswer(t *testing.T) {
	const answer = `{"role":"assistant","model":"m","content":{"type":"text","text":"a"}`
	for text, want := range map[string]string{`}`: "null", `,"_meta":7}`: "null", `,"_meta":{}}`: "{}", `,"_meta":{"k":{"a":1}}}`: `{"k":{"a":1}}`} {
		s, err := readSample(json.RawMessage(answer + text))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(s.Meta); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v, want %s", text, got, err, want)
		}
	}
}
