package uimeta_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"reflect"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/uimeta"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

func meta(t *testing.T, text string) mcp.Meta {
	var m mcp.Meta
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestTool(t *testing.T) {
	for text, want := range map[string]*mcp.ToolUI{
		`{}`:                              nil,
		`{"ui":null}`:                     nil,
		`{"ui":[]}`:                       nil,
		`{"ui":{}}`:                       nil,
		`{"ui":{"resourceUri":1}}`:        nil,
		`{"ui":{"resourceUri":"ui://a"}}`: {ResourceURI: "ui://a"},
		`{"ui/resourceUri":"ui://a"}`:     {ResourceURI: "ui://a"},
		`{"ui":{"resourceUri":"ui://a"},"ui/resourceUri":"ui://b"}`:        {ResourceURI: "ui://a"},
		`{"ui":{"visibility":["app"]},"ui/resourceUri":"ui://b"}`:          {ResourceURI: "ui://b", Visibility: mcp.VisibleToApp},
		`{"ui":{"resourceUri":"ui://a","visibility":["app","model","x"]}}`: {ResourceURI: "ui://a"},
		`{"ui":{"visibility":["model"],"other":{"a":1}}}`:                  {Visibility: mcp.VisibleToModel},
		`{"ui":{"visibility":[]}}`:                                         {Visibility: mcp.VisibleToApp},
		`{"ui":{"visibility":"app"}}`:                                      nil,
	} {
		m := meta(t, text)
		if got := uimeta.Tool(m); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", text, got, want)
		}
		m["com.example/a"] = json.RawMessage("1")
		if got := uimeta.Take(m); !reflect.DeepEqual(got, want) || len(m) != 1 {
			t.Errorf("%s: took %+v, left %v", text, got, m)
		}
	}
}

func TestResource(t *testing.T) {
	for text, want := range map[string]*mcp.ResourceUI{
		`{}`:        nil,
		`{"ui":[]}`: nil,
		`{"ui":{}}`: {},
		`{"ui":{"csp":{"connectDomains":["a",1],"resourceDomains":"b","frameDomains":null,"other":[]},"permissions":[],"domain":1,"prefersBorder":"yes"}}`: {ConnectDomains: []string{"a"}},
	} {
		if got := uimeta.Resource(meta(t, text)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", text, got, want)
		}
	}
}

// A client gets the descriptions that a server was given, in every revision.
func TestRoundTrip(t *testing.T) {
	tool := mcp.ToolUI{ResourceURI: "ui://a", Visibility: mcp.VisibleToModel}
	page := mcp.ResourceUI{
		ConnectDomains: []string{"https://a.example"}, ResourceDomains: []string{"https://b.example"}, FrameDomains: []string{"https://c.example"},
		BaseURIDomains: []string{"https://d.example"}, Permissions: []mcp.UIPermission{mcp.PermissionCamera}, Domain: "e", PrefersBorder: new(true),
	}
	for _, revision := range []string{"2024-11-05", "2025-11-25", "2026-07-28"} {
		s := mcp.NewServer(mcp.ServerInfo{Name: "a", Version: "1"}, mcp.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil))))
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: "a", UI: &tool}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.TextResult("done"), nil }))
		s.Register(mcp.TextResource(&mcp.ResourceInfo{URI: "ui://a", Name: "a", UI: &page}, "<!doctype html><title>a</title>"))
		c := mcptest.New(t, s, mcptest.Options{Revision: revision})
		if got := c.Tools()[0].UI; !reflect.DeepEqual(got, &tool) {
			t.Errorf("%s: tool %+v", revision, got)
		}
		if got := c.Read("ui://a").Contents[0].UI; !reflect.DeepEqual(got, &page) {
			t.Errorf("%s: contents %+v", revision, got)
		}
		if got := c.Resources()[0].UI; revision != "2024-11-05" && !reflect.DeepEqual(got, &page) {
			t.Errorf("%s: entry %+v", revision, got)
		}
	}
}
