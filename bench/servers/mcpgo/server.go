// Package mcpgo serves the catalogue with github.com/mark3labs/mcp-go, as its guide recommends:
// structured handlers, and input validation. The schemas come from the contract as JSON text, which
// the library need not marshal for every call.
package mcpgo

import (
	"context"
	"encoding/json"
	"log"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

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
func New() *server.MCPServer {
	s := server.NewMCPServer("catalog", "1.0.0",
		server.WithToolCapabilities(true), server.WithRecovery(), server.WithInputSchemaValidation())
	for _, c := range contract.Tools() {
		options := []mcp.ToolOption{mcp.WithDescription(c.Description), mcp.WithRawInputSchema(c.InputSchema)}
		if c.OutputSchema != nil {
			options = append(options, mcp.WithRawOutputSchema(c.OutputSchema))
		}
		var annotations mcp.ToolAnnotation
		if err := json.Unmarshal(c.Annotations, &annotations); err != nil {
			log.Fatal(err)
		}
		t := mcp.NewTool(c.Name, append(options, mcp.WithToolAnnotation(annotations))...)
		t.InputSchema = mcp.ToolInputSchema{}
		s.AddTool(t, handler(c.Name))
	}
	s.AddResourceTemplate(mcp.NewResourceTemplate(catalog.BookTemplate, "book", mcp.WithTemplateMIMEType("application/json")), book)
	return s
}

func handler(name string) server.ToolHandlerFunc {
	switch name {
	case "add":
		return mcp.NewStructuredToolHandler(func(_ context.Context, _ mcp.CallToolRequest, in addArgs) (catalog.Sum, error) {
			return catalog.Add(in.A, in.B), nil
		})
	case "search":
		return mcp.NewStructuredToolHandler(func(_ context.Context, _ mcp.CallToolRequest, in catalog.Query) (catalog.Hits, error) {
			return catalog.Search(&in), nil
		})
	case "text":
		return mcp.NewTypedToolHandler(func(_ context.Context, _ mcp.CallToolRequest, in textArgs) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText(catalog.Text(in.Text)), nil
		})
	case "records":
		return mcp.NewStructuredToolHandler(func(_ context.Context, _ mcp.CallToolRequest, in recordsArgs) (catalog.Records, error) {
			return catalog.List(in.Count), nil
		})
	case "report":
		return report
	}
	return func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("only listed"), nil
	}
}

func report(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	s := server.ServerFromContext(ctx)
	token := req.Params.Meta.ProgressToken
	return mcp.NewToolResultText(catalog.Report(ctx, func(ctx context.Context, done, total float64, message string) {
		err := s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
			"progressToken": token, "progress": done, "total": total, "message": message,
		})
		if err != nil {
			log.Print(err)
		}
	})), nil
}

func book(_ context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	id, err := catalog.BookID(req.Params.URI)
	if err != nil {
		return nil, err
	}
	b, err := catalog.BookAt(id)
	if err != nil {
		return nil, err
	}
	content, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	return []mcp.ResourceContents{
		mcp.TextResourceContents{URI: req.Params.URI, MIMEType: "application/json", Text: string(content)},
	}, nil
}
