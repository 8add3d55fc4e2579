// Package mcpgo combines servers of mcp-go (github.com/mark3labs/mcp-go) with generated packages,
// in both directions: [Mount] adds the features of a package to an mcp-go server, and [Tool]
// returns a tool of mcp-go as a feature for a server of package mcp. docs/write/adapters.md lists
// the limitations.
package mcpgo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcpgen/mcpgen/runtime/internal/bridge"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/toolfind"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	ours "github.com/mcpgen/mcpgen/runtime/mcp"
)

// Mount adds features to an mcp-go server, before or after it has sessions. It calls register once,
// with its own *mcp.Server, which the options configure. Later registrations on that server are not
// added.
//
// If the server already has the name of a tool or prompt, or the URI of a resource, Mount returns
// an error and adds nothing. mcp-go has no list of its resource templates: one with an equal URI
// template is replaced. A tool whose calls must become tasks is omitted, and a warning about it is
// logged.
//
// The features are features of mcp-go, so its middleware, filters and hooks receive each request
// before a mount. The tools of package mcpfind, which call others by name, are omitted, since
// middleware would not see which tool runs. With Select of [ours.WithPolicy] a function excludes
// further features.
//
// mcp-go has no principals: features with scopes are refused, unless [ours.WithAccess] decides
// otherwise. The contexts of handlers contain the values of mcp-go's context. A request state is
// bound to the field Authorization of the request that received it.
//
// unmount removes tools, prompts and resources, and ends running calls. mcp-go cannot remove a
// resource template: it remains, and reading it is an error.
func Mount(s *server.MCPServer, register func(ours.Registrar), options ...ours.Option) (unmount func(), err error) {
	inner := ours.NewServer(ours.ServerInfo{Name: "mounted", Version: "1"}, options...)
	register(inner)
	m := &mount{server: s, bridge: bridge.New(inner, "mcpgo")}
	f, err := m.features(inner)
	if err == nil {
		err = f.collisions(s)
	}
	if err != nil {
		m.bridge.Close()
		return nil, fmt.Errorf("mount: %w", err)
	}
	s.AddTools(f.tools...)
	s.AddResources(f.resources...)
	s.AddResourceTemplates(f.templates...)
	s.AddPrompts(f.prompts...)
	return sync.OnceFunc(func() {
		s.DeleteTools(names(f.tools, toolName)...)
		s.DeleteResources(names(f.resources, resourceURI)...)
		s.DeletePrompts(names(f.prompts, promptName)...)
		m.bridge.Close()
	}), nil
}

// mount connects an inner server with the mcp-go server that has its features. mcp-go calls a
// handler again with the answers of clients of every revision, so each request uses the revision
// without sessions.
type mount struct {
	server *server.MCPServer
	bridge *bridge.Bridge
}

// features are the features of an inner server in mcp-go's types.
type features struct {
	tools     []server.ServerTool
	resources []server.ServerResource
	templates []server.ServerResourceTemplate
	prompts   []server.ServerPrompt
}

func (m *mount) features(inner *ours.Server) (*features, error) {
	leftOut, finds := map[string]bool{}, m.finds()
	for _, f := range inner.Features() {
		var why string
		switch {
		case f.Task == "required":
			why = "its calls must become tasks"
		case f.Kind == ours.KindTool && finds && toolfind.Is(f.Name):
			why = "middleware would not see which tool it calls"
		default:
			continue
		}
		leftOut[f.Name] = true
		m.bridge.Server().Log().Warn("tool left out of the server of mcp-go: "+why, slog.String("tool", f.Name))
	}
	f := new(features)
	for _, method := range []protocol.Method{protocol.ToolsList, protocol.ResourcesList, protocol.ResourcesTemplatesList, protocol.PromptsList} {
		// In this revision, structured results are objects.
		for _, entry := range m.bridge.Server().Listing(method, protocol.Latest) {
			if err := m.add(f, method, entry, leftOut); err != nil {
				return nil, fmt.Errorf("read the entry of %s: %w", method, err)
			}
		}
	}
	return f, nil
}

// finds reports whether the inner server has the tools of package mcpfind.
func (m *mount) finds() bool {
	text := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + toolfind.UseTool + `","arguments":{"name":"any"}}}`
	call, err := jsonrpc.Parse([]byte(text))
	if err != nil {
		return false
	}
	_, _, through := m.bridge.Server().Forwarded(&call.Params)
	return through != ""
}

// add adds a feature from its entry in a list.
func (m *mount) add(f *features, method protocol.Method, entry json.RawMessage, leftOut map[string]bool) error {
	switch method {
	case protocol.ToolsList:
		var t mcp.Tool
		var schemas struct{ InputSchema, OutputSchema json.RawMessage }
		if err := errors.Join(json.Unmarshal(entry, &t), json.Unmarshal(entry, &schemas)); err != nil {
			return err
		}
		t.InputSchema, t.OutputSchema, t.Execution = mcp.ToolInputSchema{}, mcp.ToolOutputSchema{}, nil
		t.RawInputSchema, t.RawOutputSchema = schemas.InputSchema, schemas.OutputSchema
		if !leftOut[t.Name] {
			f.tools = append(f.tools, server.ServerTool{Tool: t, Handler: m.callTool})
		}
	case protocol.ResourcesList:
		f.resources = append(f.resources, server.ServerResource{Handler: m.readResource})
		return json.Unmarshal(entry, &f.resources[len(f.resources)-1].Resource)
	case protocol.ResourcesTemplatesList:
		f.templates = append(f.templates, server.ServerResourceTemplate{Handler: m.readResource})
		return json.Unmarshal(entry, &f.templates[len(f.templates)-1].Template)
	default:
		f.prompts = append(f.prompts, server.ServerPrompt{Handler: m.getPrompt})
		return json.Unmarshal(entry, &f.prompts[len(f.prompts)-1].Prompt)
	}
	return nil
}

// collisions returns an error that lists the names which the server already has.
func (f *features) collisions(s *server.MCPServer) error {
	return errors.Join(taken("tool", f.tools, s.ListTools(), toolName), taken("resource", f.resources, s.ListResources(), resourceURI),
		taken("prompt", f.prompts, s.ListPrompts(), promptName))
}

func toolName(t server.ServerTool) string        { return t.Tool.Name }
func resourceURI(r server.ServerResource) string { return r.Resource.URI }
func promptName(p server.ServerPrompt) string    { return p.Prompt.Name }

func taken[T any](kind string, all []T, there map[string]*T, name func(T) string) error {
	var errs []error
	for _, item := range all {
		if there[name(item)] != nil {
			errs = append(errs, fmt.Errorf("the server has a %s %q already", kind, name(item)))
		}
	}
	return errors.Join(errs...)
}

func names[T any](all []T, name func(T) string) []string {
	var names []string
	for _, item := range all {
		names = append(names, name(item))
	}
	return names
}

// call sends a request to the inner server. mcp-go replaces the code of an error by -32603, except
// for a resource that is not found.
func (m *mount) call(ctx context.Context, method protocol.Method, header map[string][]string, meta *mcp.Meta, params map[string]any, more mcp.MultiRoundTripParams) (json.RawMessage, error) {
	full := metaFor(ctx, meta)
	params["_meta"] = full
	if more.InputResponses != nil {
		params["inputResponses"] = more.InputResponses
	}
	if more.RequestState != "" {
		state, err := m.openState(ctx, header, more.RequestState)
		if err != nil {
			return nil, err
		}
		params["requestState"] = state
	}
	text, err := json.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("write params: %w", err)
	}
	req := &bridge.Request{Method: method.String(), Params: text, Header: header}
	result, err := m.bridge.Call(ctx, req, &notifier{m.server, full["progressToken"]})
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		if method == protocol.ResourcesRead && e.Code == jsonrpc.CodeInvalidParams {
			return nil, fmt.Errorf("%s: %w", e.Message, server.ErrResourceNotFound)
		}
		return nil, errors.New(e.Message)
	}
	return result, err
}

// metaFor returns the _meta of a request in the revision without sessions.
func metaFor(ctx context.Context, given *mcp.Meta) map[string]any {
	meta := map[string]any{}
	if text, err := json.Marshal(given); given != nil && err == nil {
		_ = json.Unmarshal(text, &meta) // it was created from JSON
	}
	var capabilities any = map[string]any{}
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		capabilities = withoutTasks(info.ClientCapabilities)
	} else {
		session := server.ClientSessionFromContext(ctx)
		if s, ok := session.(server.SessionWithClientInfo); ok {
			declared := s.GetClientCapabilities()
			capabilities = withoutTasks(&declared)
			meta[protocol.MetaClientInfo] = s.GetClientInfo()
		}
		if s, ok := session.(server.SessionWithLogging); ok && s.GetLogLevel() != "" {
			meta[protocol.MetaLogLevel] = s.GetLogLevel()
		}
	}
	meta[protocol.MetaVersion] = protocol.All[len(protocol.All)-1].Version
	meta[protocol.MetaCapabilities] = capabilities
	return meta
}

// withoutTasks returns capabilities without those for tasks.
func withoutTasks(c *mcp.ClientCapabilities) any {
	all := map[string]any{}
	if text, err := json.Marshal(c); err != nil || json.Unmarshal(text, &all) != nil || all == nil {
		return map[string]any{}
	}
	delete(all, "tasks")
	if extensions, ok := all["extensions"].(map[string]any); ok {
		delete(extensions, protocol.TasksName)
	}
	return all
}
