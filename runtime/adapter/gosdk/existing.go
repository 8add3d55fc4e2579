package gosdk

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// existing is the features that a server of the SDK has, of whomever.
type existing struct {
	tools     map[string]*sdk.Tool
	resources map[string]*sdk.Resource
	templates map[string]*sdk.ResourceTemplate
	prompts   map[string]*sdk.Prompt
}

// of returns the features of one kind.
func of[T any](e *existing) map[string]*T {
	switch any((*T)(nil)).(type) {
	case *sdk.Tool:
		return any(e.tools).(map[string]*T)
	case *sdk.Resource:
		return any(e.resources).(map[string]*T)
	case *sdk.ResourceTemplate:
		return any(e.templates).(map[string]*T)
	default:
		return any(e.prompts).(map[string]*T)
	}
}

// existing lists the features of the server. The SDK has no function for that, so a session
// without a client does it, through the middleware below that of this package.
func (h *host) existing() (e *existing, err error) {
	session, err := h.server.Connect(context.Background(), &silent{closed: make(chan struct{})}, nil)
	if err != nil {
		return nil, fmt.Errorf("list the features of the server: %w", err)
	}
	defer func() { _ = session.Close() }()
	defer func() {
		if err != nil {
			err = fmt.Errorf("list the features of the server: %w", err)
		}
	}()
	e = new(existing)
	if e.tools, err = listAll(h, session, &toolKind, func(cursor string) *sdk.ListToolsParams {
		return &sdk.ListToolsParams{Cursor: cursor}
	}, func(r *sdk.ListToolsResult) ([]*sdk.Tool, string) { return r.Tools, r.NextCursor }); err != nil {
		return nil, err
	}
	if e.resources, err = listAll(h, session, &resourceKind, func(cursor string) *sdk.ListResourcesParams {
		return &sdk.ListResourcesParams{Cursor: cursor}
	}, func(r *sdk.ListResourcesResult) ([]*sdk.Resource, string) { return r.Resources, r.NextCursor }); err != nil {
		return nil, err
	}
	if e.templates, err = listAll(h, session, &templateKind, func(cursor string) *sdk.ListResourceTemplatesParams {
		return &sdk.ListResourceTemplatesParams{Cursor: cursor}
	}, func(r *sdk.ListResourceTemplatesResult) ([]*sdk.ResourceTemplate, string) {
		return r.ResourceTemplates, r.NextCursor
	}); err != nil {
		return nil, err
	}
	e.prompts, err = listAll(h, session, &promptKind, func(cursor string) *sdk.ListPromptsParams {
		return &sdk.ListPromptsParams{Cursor: cursor}
	}, func(r *sdk.ListPromptsResult) ([]*sdk.Prompt, string) { return r.Prompts, r.NextCursor })
	return e, err
}

// listAll returns all features of a kind, by their names.
func listAll[T any, P sdk.Params, R sdk.Result](h *host, session *sdk.ServerSession, k *kind[T], params func(cursor string) P, page func(R) ([]*T, string)) (map[string]*T, error) {
	all := map[string]*T{}
	for cursor, first := "", true; first || cursor != ""; first = false {
		method := k.list.String()
		result, err := h.next(context.Background(), method, &sdk.ServerRequest[P]{Session: session, Params: params(cursor), Extra: &sdk.RequestExtra{}})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		r, ok := result.(R)
		if !ok {
			return nil, fmt.Errorf("%s: middleware has replaced the result by a %T", method, result)
		}
		var items []*T
		items, cursor = page(r)
		for _, item := range items {
			all[k.name(item)] = item
		}
	}
	return all, nil
}

// silent is a transport whose client says nothing.
type silent struct {
	once   sync.Once
	closed chan struct{}
}

func (s *silent) Connect(context.Context) (sdk.Connection, error) { return s, nil }

func (s *silent) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case <-s.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *silent) Write(context.Context, jsonrpc.Message) error { return nil }

func (s *silent) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

func (s *silent) SessionID() string { return "" }
