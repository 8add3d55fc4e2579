package mcpgo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
)

// callTool is the handler of all tools.
func (m *mount) callTool(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	params := map[string]any{"name": req.Params.Name}
	if arguments := req.GetRawArguments(); arguments != nil {
		params["arguments"] = arguments
	}
	text, err := m.call(ctx, protocol.ToolsCall, req.Header, req.Params.Meta, params, req.Params.MultiRoundTripParams)
	if err != nil {
		return nil, err
	}
	result := new(mcp.CallToolResult)
	if err := json.Unmarshal(text, result); err != nil {
		return nil, fmt.Errorf("read result: %w", err)
	}
	if s := result.RawStructuredContent; s != nil {
		if result.StructuredContent = s; s[0] != '{' {
			result.StructuredContent = map[string]any{"result": s}
		}
		result.RawStructuredContent = nil
	}
	finish(&result.Result)
	result.RequestState, err = m.sealState(ctx, req.Header, result.RequestState)
	return result, err
}

// getPrompt is the handler of all prompts.
func (m *mount) getPrompt(ctx context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	params := map[string]any{"name": req.Params.Name}
	if req.Params.Arguments != nil {
		params["arguments"] = req.Params.Arguments
	}
	text, err := m.call(ctx, protocol.PromptsGet, req.Header, req.Params.Meta, params, req.Params.MultiRoundTripParams)
	if err != nil {
		return nil, err
	}
	result, err := mcp.ParseGetPromptResult(&text)
	if err != nil {
		return nil, fmt.Errorf("read result: %w", err)
	}
	finish(&result.Result)
	result.RequestState, err = m.sealState(ctx, req.Header, result.RequestState)
	return result, err
}

// readResource is the handler of all resources and templates. In mcp-go such a handler cannot ask
// the client.
func (m *mount) readResource(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	text, err := m.call(ctx, protocol.ResourcesRead, req.Header, req.Params.Meta, map[string]any{"uri": req.Params.URI}, req.Params.MultiRoundTripParams)
	if err != nil {
		return nil, err
	}
	result, err := mcp.ParseReadResourceResult(&text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read result: %w", err)
	case result.ResultType == mcp.ResultTypeInputRequired:
		return nil, errors.New("the resource asks the client, which it cannot on a server of mcp-go")
	}
	return result.Contents, nil
}

// finish removes the identity of the inner server. mcp-go writes the type of a complete result.
func finish(r *mcp.Result) {
	if r.ResultType != mcp.ResultTypeInputRequired {
		r.ResultType = ""
	}
	if r.Meta != nil {
		if delete(r.Meta.AdditionalFields, protocol.MetaServerInfo); len(r.Meta.AdditionalFields) == 0 {
			r.Meta = nil
		}
	}
}

// notifier passes on the notifications of a request. It implements bridge.Client.
type notifier struct {
	server *server.MCPServer
	token  any // for progress; nil if the request asks for none
}

// Notify sends progress and log messages. Messages that cannot be sent are lost.
func (c *notifier) Notify(ctx context.Context, method string, params json.RawMessage) {
	members := map[string]any{}
	if json.Unmarshal(params, &members) != nil {
		return
	}
	switch method {
	case protocol.Progress:
		if c.token == nil {
			return
		}
		members["progressToken"] = c.token
	case protocol.LogMessage:
	default:
		return
	}
	_ = c.server.SendNotificationToClient(ctx, method, members)
}

// Ask is never called: in the revision without sessions a question is a result.
func (c *notifier) Ask(context.Context, string, json.RawMessage) (json.RawMessage, error) {
	return nil, errors.New("the server sends no requests")
}
