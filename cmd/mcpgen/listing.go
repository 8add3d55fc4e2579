package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/generator/model"
	"github.com/mcpgen/mcpgen/generator/schema"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// listed returns the tools of a package as revision 2026-07-28 lists them, in
// order. The runtime renders them, as it does for clients, so that the two
// cannot differ; the tools do nothing. That this command imports the runtime
// also lets "go mod vendor" find it before the first file is generated.
func listed(ctx context.Context, m *model.Package) ([]json.RawMessage, error) {
	s := mcp.NewServer(mcp.Info{Name: m.Name})
	for _, t := range m.Tools {
		s.Register(mcp.NewTool(toolInfo(t), func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			return nil, errors.New("only listed")
		}))
	}
	client, wait := s.Connect(ctx)
	defer wait() //nolint:errcheck // the answer is here, or an error that says more
	defer client.Close()
	const request = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"
	if err := client.Write([]byte(request)); err != nil {
		return nil, fmt.Errorf("list tools: %w", err)
	}
	answer, err := client.Read()
	if err != nil {
		return nil, fmt.Errorf("list tools: %w", err)
	}
	var reply struct {
		Result struct {
			Tools []json.RawMessage `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal(answer, &reply); err != nil {
		return nil, fmt.Errorf("list tools: %w", err)
	}
	if len(reply.Result.Tools) != len(m.Tools) {
		return nil, fmt.Errorf("list tools: got %d of %d: %s", len(reply.Result.Tools), len(m.Tools), bytes.TrimSpace(answer))
	}
	return reply.Result.Tools, nil
}

// toolInfo is what a listing shows of a tool.
func toolInfo(t *model.Tool) mcp.ToolInfo {
	info := mcp.ToolInfo{
		Name: t.Name, Title: t.Title, Description: t.Description, Symbol: t.Func.Symbol,
		Hints: mcp.Hints(t.Hints), Icons: icons(t.Icons),
	}
	info.InputSchema = schema.InputOf(t)
	info.OutputSchema = schema.OutputOf(t)
	return info
}

func icons(sources []string) []mcp.Icon {
	all := make([]mcp.Icon, 0, len(sources))
	for _, source := range sources {
		all = append(all, mcp.Icon{Source: source})
	}
	return all
}

// identity is the server that the package describes, as far as it is known
// before the program runs.
func identity(m *model.Package) json.RawMessage {
	s := m.Server
	if s == nil {
		s = &model.Server{Name: m.Name}
	}
	text, err := json.Marshal(struct {
		Name         string `json:"name"`
		Title        string `json:"title,omitempty"`
		Version      string `json:"version,omitempty"`
		Description  string `json:"description,omitempty"`
		Instructions string `json:"instructions,omitempty"`
		Website      string `json:"websiteUrl,omitempty"`
	}{s.Name, s.Title, s.Version, s.Description, s.Instructions, s.Website})
	if err != nil {
		return json.RawMessage("{}") // strings always marshal
	}
	return text
}
