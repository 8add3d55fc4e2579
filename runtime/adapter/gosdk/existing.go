package gosdk

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
)

// existing contains all features of an SDK server, including the features of mounts.
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

// hostOptions contains the known facts about the options of a server.
type hostOptions struct {
	filledIn  bool // the options are from Subscribable
	completes bool // the program completes arguments
}

// optionsKey is the context key for a *hostOptions in the context of a list, which a function of
// Subscribable fills in.
type optionsKey struct{}

// existing lists the features of the server, and determines the facts about its options.
func (h *host) existing() (*existing, error) {
	e, o, err := existingOf(h.server)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.options = o
	return e, nil
}

// existingOf lists the features of a server. The SDK has no function for that, so a session without
// a client lists them, bypassing the middleware, which may refuse requests without a token.
func existingOf(s *sdk.Server) (e *existing, o hostOptions, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("list the features of the server: %w", err)
		}
	}()
	session, err := s.Connect(context.Background(), &silent{closed: make(chan struct{})}, nil)
	if err != nil {
		return nil, o, err
	}
	defer func() { _ = session.Close() }()
	ctx := context.WithValue(context.Background(), optionsKey{}, &o)
	e = new(existing)
	if e.tools, err = listAll(ctx, session, &toolKind, func(cursor string) *sdk.ListToolsParams {
		return &sdk.ListToolsParams{Cursor: cursor}
	}, func(r *sdk.ListToolsResult) ([]*sdk.Tool, string) { return r.Tools, r.NextCursor }); err != nil {
		return nil, o, err
	}
	if e.resources, err = listResources(ctx, session); err != nil {
		return nil, o, err
	}
	if e.templates, err = listTemplates(ctx, session); err != nil {
		return nil, o, err
	}
	e.prompts, err = listAll(ctx, session, &promptKind, func(cursor string) *sdk.ListPromptsParams {
		return &sdk.ListPromptsParams{Cursor: cursor}
	}, func(r *sdk.ListPromptsResult) ([]*sdk.Prompt, string) { return r.Prompts, r.NextCursor })
	return e, o, err
}

// offersSubscriptions reports whether clients can subscribe to resources of a server.
func offersSubscriptions(s *sdk.Server) bool {
	session, err := s.Connect(context.Background(), &silent{closed: make(chan struct{})}, nil)
	if err != nil {
		return false
	}
	defer func() { _ = session.Close() }()
	result, err := bare()(context.Background(), protocol.Discover.String(), &sdk.ServerRequest[*sdk.DiscoverParams]{
		Session: session, Params: new(sdk.DiscoverParams), Extra: new(sdk.RequestExtra),
	})
	d, ok := result.(*sdk.DiscoverResult)
	return err == nil && ok && d.Capabilities.Resources != nil && d.Capabilities.Resources.Subscribe
}

func listResources(ctx context.Context, session *sdk.ServerSession) (map[string]*sdk.Resource, error) {
	return listAll(ctx, session, &resourceKind, func(cursor string) *sdk.ListResourcesParams {
		return &sdk.ListResourcesParams{Cursor: cursor}
	}, func(r *sdk.ListResourcesResult) ([]*sdk.Resource, string) { return r.Resources, r.NextCursor })
}

func listTemplates(ctx context.Context, session *sdk.ServerSession) (map[string]*sdk.ResourceTemplate, error) {
	return listAll(ctx, session, &templateKind, func(cursor string) *sdk.ListResourceTemplatesParams {
		return &sdk.ListResourceTemplatesParams{Cursor: cursor}
	}, func(r *sdk.ListResourceTemplatesResult) ([]*sdk.ResourceTemplate, string) {
		return r.ResourceTemplates, r.NextCursor
	})
}

// listAll returns all features of a kind, by name.
func listAll[T any, P sdk.Params, R sdk.Result](ctx context.Context, session *sdk.ServerSession, k *kind[T], params func(cursor string) P, page func(R) ([]*T, string)) (map[string]*T, error) {
	all := map[string]*T{}
	for cursor, first := "", true; first || cursor != ""; first = false {
		method := k.list.String()
		result, err := bare()(ctx, method, &sdk.ServerRequest[P]{Session: session, Params: params(cursor), Extra: new(sdk.RequestExtra)})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		r, ok := result.(R)
		if !ok {
			return nil, fmt.Errorf("%s: the result is a %T", method, result)
		}
		var items []*T
		items, cursor = page(r)
		for _, item := range items {
			all[k.name(item)] = item
		}
	}
	return all, nil
}

// silent is a transport whose client sends nothing.
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
