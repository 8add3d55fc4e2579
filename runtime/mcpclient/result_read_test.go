package mcpclient

import (
	"encoding/json"
	"strings"
	"testing"
)

// benchResult is a result of 1 KB: a text, and the same value as structured content.
func benchResult() []byte {
	value := `{"title":"Emma","author":{"name":"Jane Austen","born":1775},"tags":["novel","romance","classic"],"pages":474,"ratings":[4.5,4.25,3.75],"summary":"` + strings.Repeat("A comedy of manners. ", 14) + `"}`
	text, _ := json.Marshal(value)
	return []byte(`{"content":[{"type":"text","text":` + string(text) + `}],"structuredContent":` + value + `,"resultType":"complete"}`)
}

func BenchmarkReadToolResult(b *testing.B) {
	data := benchResult()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := readToolResult(data, &defaultLimits, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadToolResultByReflection(b *testing.B) {
	data := benchResult()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		var r plainToolResult
		if err := json.Unmarshal(data, &r); err != nil {
			b.Fatal(err)
		}
	}
}

type plainToolResult struct {
	Content []struct {
		Type, Text string
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
}
