package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Server offers features to any number of clients at the same time, over any
// number of connections. Its methods may be called by many goroutines.
type Server struct {
	info         Info
	log          *slog.Logger
	limits       Limits
	interceptors []Interceptor
	visible      func(context.Context, FeatureInfo) bool
	unshielded   bool

	handler Handler // all interceptors, and the server behind them
	parser  jsonrpc.Parser

	mu       sync.RWMutex
	tools    []*tool          // in order of registration
	byName   map[string]*tool // aliases included
	offers   bool             // tools have been registered, now or before
	lists    [revisions][]byte
	identity [revisions][]byte // info as each revision has it, in short
}

// NewServer returns a server without features. Generated code calls it.
func NewServer(info Info, options ...Option) *Server {
	s := &Server{info: info, log: slog.Default(), limits: defaultLimits, byName: map[string]*tool{}}
	for _, option := range options {
		option(s)
	}
	if s.info.Version == "" {
		s.info.Version = buildVersion()
	}
	s.parser = jsonrpc.Parser{MaxDepth: s.limits.Depth, Deferred: "arguments"}
	for i, rev := range protocol.All {
		s.identity[i] = s.info.appendImplementation(nil, &rev.Fields, false)
	}
	s.handler = s.handle
	if len(s.interceptors) > 0 {
		s.handler = intercept(recovered(s.handle), s.interceptors)
	}
	return s
}

// Register adds a feature. It may be called while the server serves.
//
// It panics if the name is not one that the specification allows (1 to 128
// letters, digits and _ - .) or is taken, as http.ServeMux does: that is a
// mistake in the program.
func (s *Server) Register(f Feature) {
	f.check()
	t, ok := f.(*tool)
	if !ok {
		panic(fmt.Sprintf("mcp: cannot register a %s", f.Info().Kind))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	names := t.names()
	for i, name := range names {
		if other := s.byName[name]; other != nil {
			panic(fmt.Sprintf("mcp: tool %q registered twice: %s and %s", name, other.symbol(), t.symbol()))
		}
		for _, before := range names[:i] {
			if before == name {
				panic(fmt.Sprintf("mcp: %s has the name %q twice", t.describe(), name))
			}
		}
	}
	for _, name := range names {
		s.byName[name] = t
	}
	s.tools = append(s.tools, t)
	s.offers = true
	clear(s.lists[:])
}

// Unregister removes the feature with that published name and reports whether
// there was one. Calls that run go on.
func (s *Server) Unregister(kind Kind, name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.byName[name]
	if kind != KindTool || t == nil || t.name != name {
		return false
	}
	for _, n := range t.names() {
		delete(s.byName, n)
	}
	for i := range s.tools {
		if s.tools[i] == t {
			s.tools = append(s.tools[:i:i], s.tools[i+1:]...)
			break
		}
	}
	clear(s.lists[:])
	return true
}

// Features returns what is registered, in order.
func (s *Server) Features() []FeatureInfo {
	s.mu.RLock()
	defer s.mu.RUnlock()
	infos := make([]FeatureInfo, len(s.tools))
	for i, t := range s.tools {
		infos[i] = t.Info()
	}
	return infos
}

// Info returns the identity of the server.
func (s *Server) Info() Info { return s.info }

// tool finds a tool by name or alias, among those that the request may see.
func (s *Server) tool(ctx context.Context, name string) *tool {
	t := s.lookUp(name)
	if t != nil && s.visible != nil && !s.visible(ctx, t.Info()) {
		return nil
	}
	return t
}

func (s *Server) lookUp(name string) *tool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.byName[name]
}

// offersTools reports whether the capability tools is declared.
func (s *Server) offersTools() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.offers
}
