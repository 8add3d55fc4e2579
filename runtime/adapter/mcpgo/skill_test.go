package mcpgo

import (
	"context"
	"encoding/json"
	"testing"
	"testing/fstest"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	ours "github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpskill"
)

// A skill is its files, as resources: all are listed, since mcp-go serves no others.
func TestSkills(t *testing.T) {
	s := server.NewMCPServer("host", "1", server.WithResourceCapabilities(true, true))
	unmount, err := Mount(s, func(r ours.Registrar) {
		r.Register(mcpskill.New(mcpskill.Info{URI: "skill://acme/refunds", Frontmatter: json.RawMessage(`{"name":"refunds","description":"Refunds."}`)}, fstest.MapFS{
			"SKILL.md": {Data: []byte("---\nname: refunds\ndescription: Refunds.\n---\n")},
			"notes.md": {Data: []byte("# Notes\n")},
		}))
	})
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, s, "2025-11-25")
	list, err := c.ListResources(context.Background(), mcp.ListResourcesRequest{})
	if err != nil || len(list.Resources) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, r := range list.Resources {
		var req mcp.ReadResourceRequest
		req.Params.URI = r.URI
		got, err := c.ReadResource(context.Background(), req)
		if err != nil || len(got.Contents) != 1 {
			t.Errorf("%s: %+v, %v", r.URI, got, err)
		}
	}
	unmount()
	if list, err := c.ListResources(context.Background(), mcp.ListResourcesRequest{}); err != nil || len(list.Resources) != 0 {
		t.Errorf("after unmount: %+v, %v", list, err)
	}
}
