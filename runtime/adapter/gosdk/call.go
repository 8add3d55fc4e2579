package gosdk

import (
	"bytes"
	"context"
	encoding "encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/runtime/internal/bridge"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/toolfind"
	ours "github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// call sends a request to the inner server: in a separate session, or, in a revision without
// sessions, by itself. Errors of the server become errors of the SDK.
func (m *mount) call(ctx context.Context, from *origin, method protocol.Method, params []byte, c bridge.Client) (json, error) {
	req := &bridge.Request{Method: method.String(), Params: params, Principal: from.principal, Header: from.header}
	var result json
	var err error
	if from.modern {
		result, err = m.bridge.Call(ctx, req, c)
	} else {
		var inner *bridge.Session
		if inner, err = m.host.session(from.session).in(ctx, m, from); err == nil {
			result, err = inner.Call(ctx, req, c)
		}
	}
	if e, ok := errors.AsType[*ours.Error](err); ok {
		return nil, &jsonrpc.Error{Code: int64(e.Code), Message: e.Message, Data: e.Data}
	}
	return result, err
}

// callTool is the handler of all tools.
func (m *mount) callTool(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	p := req.Params
	from := originOf(req.Session, p.GetMeta(), req.Extra)
	params := append(make([]byte, 0, 256+len(p.Arguments)), '{')
	through, _ := ctx.Value(throughKey{}).(string)
	if through != "" && m.tools.get(through) == nil { // middleware has chosen a tool of another mount
		through = ""
	}
	if through != "" { // removed by renamed
		params = append(wire.AppendString(append(params, `"name":`...), through), `,"arguments":{`...)
	} else if name, _, forwards := m.forwarded(p); forwards != "" && m.has(name) && !toolfind.Is(name) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "unknown tool: " + name}
	}
	params = wire.AppendString(append(params, `"name":`...), p.Name)
	if len(p.Arguments) > 0 {
		params = append(append(params, `,"arguments":`...), p.Arguments...)
	}
	if through != "" {
		params = append(params, '}')
	}
	params, err := appendRest(params, from.meta, p.InputResponses, p.RequestState)
	if err != nil {
		return nil, err
	}
	result, err := m.call(ctx, from, protocol.ToolsCall, params, clientOf(req.Session, p))
	if err != nil {
		return nil, err
	}
	return readToolResult(result)
}

// getPrompt is the handler of all prompts.
func (m *mount) getPrompt(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	p := req.Params
	from := originOf(req.Session, p.GetMeta(), req.Extra)
	params := wire.AppendString([]byte(`{"name":`), p.Name)
	if p.Arguments != nil {
		arguments, err := encoding.Marshal(p.Arguments)
		if err != nil {
			return nil, fmt.Errorf("write arguments: %w", err)
		}
		params = append(append(params, `,"arguments":`...), arguments...)
	}
	params, err := appendRest(params, from.meta, p.InputResponses, p.RequestState)
	if err != nil {
		return nil, err
	}
	text, err := m.call(ctx, from, protocol.PromptsGet, params, clientOf(req.Session, p))
	if err != nil {
		return nil, err
	}
	result := new(sdk.GetPromptResult)
	result.Meta, result.InputRequests, err = readInto(text, result)
	return result, err
}

// readResource is the handler of all resources and templates.
func (m *mount) readResource(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	p := req.Params
	from := originOf(req.Session, p.GetMeta(), req.Extra)
	params := wire.AppendString([]byte(`{"uri":`), p.URI)
	params, err := appendRest(params, from.meta, p.InputResponses, p.RequestState)
	if err != nil {
		return nil, err
	}
	text, err := m.call(ctx, from, protocol.ResourcesRead, params, clientOf(req.Session, p))
	if err != nil {
		return nil, err
	}
	result := new(sdk.ReadResourceResult)
	result.Meta, result.InputRequests, err = readInto(text, result)
	return result, err
}

// complete answers completion/complete for prompts and templates of mounts, and calls own for
// others. own is the program's function, which may be nil.
func (p *pass) complete(ctx context.Context, req *sdk.CompleteRequest, own completionHandler) (*sdk.CompleteResult, error) {
	var mounts []*mount
	if p != nil && req.Params.Ref != nil {
		mounts = p.host.mounted()
	}
	for _, m := range mounts {
		if m.prompts.get(req.Params.Ref.Name) != nil || m.templates.get(req.Params.Ref.URI) != nil {
			return m.complete(ctx, req)
		}
	}
	switch {
	case own != nil:
		return own(ctx, req)
	case slices.ContainsFunc(mounts, (*mount).canComplete):
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "unknown prompt or resource template"}
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found"}
}

func (m *mount) complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	from := originOf(req.Session, req.Params.GetMeta(), req.Extra)
	p := *req.Params
	p.Meta = from.meta
	params, err := encoding.Marshal(&p)
	if err != nil {
		return nil, fmt.Errorf("write params: %w", err)
	}
	text, err := m.call(ctx, from, protocol.Complete, params, nil)
	if err != nil {
		return nil, err
	}
	result := new(sdk.CompleteResult)
	result.Meta, _, err = readInto(text, result)
	return result, err
}

// appendRest appends the members that all params may have, and the closing brace.
func appendRest(b []byte, meta map[string]any, answers sdk.InputResponseMap, state string) ([]byte, error) {
	if len(meta) > 0 {
		text, err := encoding.Marshal(meta)
		if err != nil {
			return nil, fmt.Errorf("write _meta: %w", err)
		}
		b = append(append(b, `,"_meta":`...), text...)
	}
	if answers != nil {
		text, err := encoding.Marshal(answers)
		if err != nil {
			return nil, fmt.Errorf("write inputResponses: %w", err)
		}
		b = append(append(b, `,"inputResponses":`...), text...)
	}
	if state != "" {
		b = wire.AppendString(append(b, `,"requestState":`...), state)
	}
	return append(b, '}'), nil
}

// readInto reads a result into one of the SDK's types. It returns the _meta of the result, and its
// questions with unchanged form schemas.
func readInto(text json, to any) (meta sdk.Meta, questions sdk.InputRequestMap, err error) {
	if err := encoding.Unmarshal(text, to); err != nil {
		return nil, nil, fmt.Errorf("read result: %w", err)
	}
	ours.Members(text, func(name, value []byte) bool {
		switch string(name) {
		case "_meta":
			meta, err = readMeta(value)
		case "inputRequests":
			questions, err = readQuestions(value)
		}
		return err == nil
	})
	return meta, questions, err
}

// readToolResult reads the result of a tool. Most results have one text, and structured content,
// which it does not parse.
func readToolResult(text json) (*sdk.CallToolResult, error) {
	r := new(sdk.CallToolResult)
	var err error
	ours.Members(text, func(name, value []byte) bool {
		switch string(name) {
		case "content":
			r.Content, err = readContent(value)
		case "structuredContent":
			r.StructuredContent = json(value)
		case "isError":
			r.IsError = string(value) == "true"
		case "_meta":
			r.Meta, err = readMeta(value)
		case "inputRequests":
			r.InputRequests, err = readQuestions(value)
		case "requestState":
			r.RequestState, _ = ours.String(value)
		}
		return err == nil
	})
	if err != nil {
		return nil, fmt.Errorf("read result: %w", err)
	}
	return r, nil
}

// readContent reads content blocks.
func readContent(value []byte) ([]sdk.Content, error) {
	if text, ok := onlyText(value); ok {
		return []sdk.Content{&sdk.TextContent{Text: text}}, nil
	}
	var r sdk.CallToolResult
	if err := encoding.Unmarshal(append(append([]byte(`{"content":`), value...), '}'), &r); err != nil {
		return nil, err
	}
	if r.Content == nil {
		r.Content = []sdk.Content{}
	}
	return r.Content, nil
}

// onlyText returns the text if content is a single plain text block.
func onlyText(value []byte) (text string, ok bool) {
	if len(value) < 2 || value[1] != '{' {
		return "", false
	}
	object := value[1 : len(value)-1]
	members, end := 0, false
	ours.Members(object, func(name, value []byte) bool {
		members++
		switch string(name) {
		case "type":
			end = string(value) == `"text"`
		case "text":
			text, ok = ours.String(value)
		}
		return true
	})
	if !ok || !end || members != 2 {
		return "", false
	}
	// A second block would follow the first one.
	only := append(append([]byte(`{"type":"text","text":`), wire.AppendString(nil, text)...), '}')
	return text, len(only) == len(object)
}

// readMeta reads _meta, and removes the identity of the inner server.
func readMeta(value []byte) (meta sdk.Meta, err error) {
	d := encoding.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	if err := d.Decode(&meta); err != nil {
		return nil, fmt.Errorf("read _meta: %w", err)
	}
	delete(meta, protocol.MetaServerInfo)
	if len(meta) == 0 {
		return nil, nil
	}
	return meta, nil
}

// readQuestions reads input requests.
func readQuestions(value []byte) (questions sdk.InputRequestMap, err error) {
	if err := encoding.Unmarshal(value, &questions); err != nil {
		return nil, fmt.Errorf("read inputRequests: %w", err)
	}
	ours.Members(value, func(key, request []byte) bool {
		form, ok := questions[string(key)].(*sdk.ElicitParams)
		if !ok {
			return true
		}
		ours.Members(request, func(name, params []byte) bool {
			if string(name) == "params" {
				keepSchema(form, params)
			}
			return true
		})
		return true
	})
	return questions, nil
}

// keepSchema replaces the schema of a form by its original text, since clients show the fields in
// its order.
func keepSchema(form *sdk.ElicitParams, params []byte) {
	ours.Members(params, func(name, value []byte) bool {
		if string(name) == "requestedSchema" {
			form.RequestedSchema = json(bytes.Clone(value))
		}
		return true
	})
}
