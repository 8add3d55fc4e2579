package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// A Server has no goroutines of its own. Every connection and handler reads its features under
// mu; what is above mu does not change after [NewServer].

// Server offers features to any number of clients at the same time, over any
// number of connections. Its methods may be called by many goroutines.
type Server struct {
	info         Info
	log          *logs.Log
	limits       Limits
	memory       *membudget.Budget
	interceptors []Interceptor
	visible      func(context.Context, FeatureInfo) bool
	unshielded   bool
	keys         *seal.Keyring
	store        StateStore
	pingAfter    time.Duration
	timeout      time.Duration // of functions without one of their own; 0 = none
	policies     []*policy

	calls   *share.Counter // of all connections
	listens *share.Counter
	handler Handler // all interceptors, and the server behind them
	parser  jsonrpc.Parser

	extensions    extensions
	subscribers   subscribers
	closeWatchers closeWatchers // for the ends of listens

	mu       sync.RWMutex
	sets     [setCount]featureSet
	closest  []*template                   // by how much of a URI they fix
	listers  []lister                      // templates that list resources, in order
	complete bool                          // there are completions, or have been
	embeds   bool                          // results may embed resources, or have done so
	denied   map[deniedKey]*deniedResource // what policies deny
	identity [revisions][]byte             // info as each revision has it, in short
}

// NewServer returns a server without features. Generated code calls it. It panics
// where the website is not a URL or an icon is not valid.
func NewServer(info Info, options ...Option) *Server {
	s := &Server{info: info, log: logs.New(slog.Default()), limits: defaultLimits}
	for _, option := range options {
		option(s)
	}
	if s.keys == nil {
		s.keys = newKeyring(nil)
	}
	if s.store == nil {
		s.store = newLocalStore()
	}
	if s.info.Version == "" {
		s.info.Version = buildVersion()
	}
	if err := s.info.check(); err != nil {
		panic(fmt.Sprintf("mcp: info of server %q: %v", s.info.Name, err))
	}
	s.memory = membudget.New(int64(s.limits.Memory), largeReplies)
	s.parser = jsonrpc.Parser{MaxDepth: s.limits.Depth, Deferred: "arguments"}
	for i, rev := range protocol.All {
		s.identity[i] = s.info.appendImplementation(nil, &rev.Fields, false)
	}
	s.calls = share.NewCounter(s.limits.Calls, s.limits.CallsPerClient)
	s.listens = share.NewCounter(s.limits.Listens, s.limits.ListensPerClient)
	s.handler = s.handle
	if len(s.interceptors) > 0 {
		s.handler = intercept(recovered(s.handle), s.interceptors)
	}
	s.handler = s.timed(s.handler)
	return s
}

// Register adds a feature. It may be called while the server serves: clients that
// want to know are told that the list has changed.
//
// It panics if the name of a tool or prompt is not one that the specification
// allows (1 to 128 letters, digits and _ - .), if a URI is none, if either is
// taken, if a schema, an icon, an annotation, a MIME type or a key of [Meta] is not
// valid, or if an argument cannot be mirrored as the schema of the tool says
// (x-mcp-header), as http.ServeMux does: that is a mistake in the program. What a
// [Policy] does not let through is not added.
func (s *Server) Register(f Feature) {
	f.check(s)
	if !s.allowFeature(f) {
		return
	}
	s.checkTimeout(f)
	shelf := setOf[f.Info().Kind]
	s.mu.Lock()
	defer s.notifyListChanged(shelf)
	defer s.mu.Unlock()
	s.sets[shelf].add(f)
	s.complete = s.complete || f.completes()
	switch f := f.(type) {
	case *tool:
		s.embeds = s.embeds || f.info.Embeds
	case *prompt:
		s.embeds = s.embeds || f.info.Embeds
	}
	s.reindex(shelf)
}

// Unregister removes the feature with that published name, of resources the URI,
// of resource templates the URI template, and reports whether there was one. Calls
// that run go on.
func (s *Server) Unregister(kind Kind, name string) bool {
	shelf, ok := setOf[kind]
	s.mu.Lock()
	delete(s.denied, deniedKey{kind, name})
	ok = ok && s.sets[shelf].remove(name)
	if ok {
		s.reindex(shelf)
	}
	s.mu.Unlock()
	if ok {
		s.notifyListChanged(shelf)
	}
	return ok
}

// reshelve brings up to date what depends on the features of a shelf. The caller
// holds the lock.
func (s *Server) reindex(shelf int) {
	clear(s.sets[shelf].first[:])
	if shelf == templateSet {
		s.sortTemplates()
	}
}

// tellOf tells of a change of a list.
func (s *Server) notifyListChanged(shelf int) {
	s.subscribers.each(func(sub *subscriber) { sub.changed(topicOf[shelf]) })
}

// Features returns what is registered, and let through by policies: tools,
// resources, resource templates and prompts, each in order.
func (s *Server) Features() []FeatureInfo {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var infos []FeatureInfo
	for i := range s.sets {
		for _, f := range s.sets[i].items {
			infos = append(infos, f.Info())
		}
	}
	return infos
}

// Info returns the identity of the server.
func (s *Server) Info() Info { return s.info }

// tool finds a tool by name or alias, among those that the request may see.
func (s *Server) tool(ctx context.Context, name string) *tool {
	t, _ := s.lookUp(toolSet, name).(*tool)
	if t == nil || !s.isVisible(ctx, t) {
		return nil
	}
	return t
}

func (s *Server) lookUp(shelf int, name string) Feature {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.sets[shelf].byName[name]
}

// offers reports whether there are features on a shelf, or have been: a
// capability that was declared stays.
func (s *Server) offers(shelf int) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.sets[shelf].offered
}

// offersResources reports whether there are resources, or have been, or results that
// embed some.
func (s *Server) offersResources() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.embeds || s.sets[resourceSet].offered || s.sets[templateSet].offered
}

// offersChanges reports whether there is a list that can change.
func (s *Server) offersChanges() bool {
	return s.offersResources() || s.offers(toolSet) || s.offers(promptSet)
}

// offersCompletion reports whether arguments can be completed.
func (s *Server) offersCompletion() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.complete
}
