// Package gosdk serves the catalogue with the official SDK, github.com/modelcontextprotocol/go-sdk,
// as its guide recommends: typed handlers, which validate arguments and results. The schemas come
// from the contract as JSON text, which the SDK lists faster than schemas of its own type.
package gosdk

import (
	"context"
	"encoding/json"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/bench/catalog"
	"github.com/mcpgen/mcpgen/bench/contract"
)

type addArgs struct {
	A int64 `json:"a"`
	B int64 `json:"b"`
}

type textArgs struct {
	Text string `json:"text"`
}

type recordsArgs struct {
	Count int `json:"count"`
}

// New returns the server.
func New() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "catalog", Version: "1.0.0"}, nil)
	for _, c := range contract.Tools() {
		t := &mcp.Tool{Name: c.Name, Description: c.Description, InputSchema: c.InputSchema}
		if c.OutputSchema != nil {
			t.OutputSchema = c.OutputSchema
		}
		if err := json.Unmarshal(c.Annotations, &t.Annotations); err != nil {
			log.Fatal(err)
		}
		switch c.Name {
		case "add":
			mcp.AddTool(s, t, func(_ context.Context, _ *mcp.CallToolRequest, in addArgs) (*mcp.CallToolResult, catalog.Sum, error) {
				return nil, catalog.Add(in.A, in.B), nil
			})
		case "search":
			mcp.AddTool(s, t, func(_ context.Context, _ *mcp.CallToolRequest, in catalog.Query) (*mcp.CallToolResult, catalog.Hits, error) {
				return nil, catalog.Search(&in), nil
			})
		case "text":
			mcp.AddTool(s, t, func(_ context.Context, _ *mcp.CallToolRequest, in textArgs) (*mcp.CallToolResult, any, error) {
				return text(catalog.Text(in.Text)), nil, nil
			})
		case "records":
			mcp.AddTool(s, t, func(_ context.Context, _ *mcp.CallToolRequest, in recordsArgs) (*mcp.CallToolResult, catalog.Records, error) {
				return nil, catalog.List(in.Count), nil
			})
		case "report":
			mcp.AddTool(s, t, func(ctx context.Context, req *mcp.CallToolRequest, _ any) (*mcp.CallToolResult, any, error) {
				token := req.Params.GetProgressToken()
				return text(catalog.Report(ctx, func(ctx context.Context, done, total float64, message string) {
					_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
						ProgressToken: token, Progress: done, Total: total, Message: message,
					})
				})), nil, nil
			})
		default:
			s.AddTool(t, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return text("only listed"), nil
			})
		}
	}
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "book", URITemplate: catalog.BookTemplate, MIMEType: "application/json"}, book)
	return s
}

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}

func book(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	id, err := catalog.BookID(req.Params.URI)
	if err != nil {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	b, err := catalog.BookAt(id)
	if err != nil {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	content, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
		{URI: req.Params.URI, MIMEType: "application/json", Text: string(content)},
	}}, nil
}
