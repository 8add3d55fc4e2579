package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
)

// This file is the server: its configuration, and its features, which may change while it serves.
// A Server has no goroutines. Connections and handlers read its features under mu; everything
// above mu does not change after [NewServer], or has a lock.

// Server offers features to any number of clients at the same time, over any
// number of connections. Its methods may be called by many goroutines.
type Server struct {
	info         ServerInfo
	log          *logs.Log
	limits       Limits
	settings     engine.Settings // of its connections
	published    publisher       // of its replies
	interceptors []Interceptor
	access       []Access
	hasScopes    atomic.Bool // a feature has scopes
	warnScopes   sync.Once
	unshielded   bool
	keys         *stateKeys
	store        StateStore
	timeout      time.Duration // of functions without one of their own; 0 = none
	policies     []*policy
	without      withoutCapabilities
	sessionHooks []func(context.Context, SessionInfo) func()
	listed       []func(FeatureInfo) bool
	finder       *finder // nil without package mcpfind

	questionHooks []questionHook
	changes       *changes // for other replicas; nil without them

	handler Handler // the clock, all interceptors, and [Server.handle]

	extensions    extensions
	subscribers   subscribers
	hasClients    atomic.Bool   // a client has connected
	closeWatchers closeWatchers // for the ends of listens

	storeKeys  KeySource                  // of a store of tasks, without an option for keys
	configured serverPart                 // by an option; nil without one
	part       atomic.Pointer[serverPart] // nil before the first tool whose calls become tasks
	partMade   sync.Once

	mu       sync.RWMutex
	sets     [setCount]featureSet
	closest  []*template                   // the most specific first
	listers  []lister                      // templates that list resources, in order
	complete bool                          // there are completions, or were
	embeds   bool                          // results may embed resources, or could
	denied   map[deniedKey]*deniedResource // what policies deny
}

// NewServer returns a server without features. Generated code calls it. It panics
// where the website is not a URL or an icon is not valid.
func NewServer(info ServerInfo, options ...Option) *Server {
	s := &Server{info: info, log: logs.New(slog.Default()), limits: defaultLimits}
	for _, option := range options {
		option(s)
	}
	if s.keys == nil && s.storeKeys != nil {
		s.keys = &stateKeys{source: s.storeKeys}
	}
	if s.keys == nil {
		s.keys = fixedKeys(nil)
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
	s.configure()
	s.handler = s.handle
	if len(s.interceptors) > 0 {
		s.handler = intercept(recovered(s.handle), s.interceptors)
	}
	if len(s.sessionHooks) > 0 {
		s.handler = s.hooked(s.handler)
	}
	s.handler = s.timed(s.handler)
	if s.finder != nil {
		s.finder.register(s)
	}
	return s
}

// Register adds a feature. It may be called while the server serves: subscribed clients get a
// notification that the list has changed, unless [WithoutCapabilities] leaves that out.
//
// It panics, as http.ServeMux does for a mistake in the program: if the name of a tool or prompt
// is not one that the specification allows (1 to 128 letters, digits and _ - .), if a URI is
// invalid, if the name or URI is already registered, if an icon, an annotation, a MIME type or
// a key of [Meta] is not valid, or if an argument with x-mcp-header in its schema cannot
// be sent as a header field, or if a scope is not one that OAuth allows. A feature that a [Policy] does not allow is not added.
func (s *Server) Register(f Feature) {
	f.check(s.published.declared)
	if !s.allowFeature(f) {
		return
	}
	s.checkTimeout(f)
	if t, ok := f.(*tool); ok && t.task != nil {
		defer t.task.register(s)() // without the lock
	}
	set, e := setOf[f.Info().Kind], s.newEntry(f)
	s.mu.Lock()
	defer s.notifyListChanged(set)
	defer s.mu.Unlock()
	s.checkListChange(set, string(f.Info().Kind)+" "+strconv.Quote(f.names()[0]), "registered")
	s.sets[set].add(e)
	if len(f.Info().Scopes) > 0 {
		s.hasScopes.Store(true)
	}
	s.complete = s.complete || f.completes()
	switch f := f.(type) {
	case *tool:
		s.embeds = s.embeds || f.info.Embeds
	case *prompt:
		s.embeds = s.embeds || f.info.Embeds
	}
	s.reindex(set)
}

// Unregister removes the feature with that published name (the URI of a resource, the URI
// template of a resource template), and reports whether there was one. Running calls of it
// continue.
func (s *Server) Unregister(kind FeatureKind, name string) bool {
	set, ok := setOf[kind]
	if set == resourceSet || set == templateSet {
		name = uritemplate.Encode(name)
	}
	if !ok || !s.unregister(set, kind, name) {
		return false
	}
	s.notifyListChanged(set)
	return true
}

// unregister removes a feature, if it is there.
func (s *Server) unregister(set int, kind FeatureKind, name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sets[set].has(name) {
		s.checkListChange(set, string(kind)+" "+strconv.Quote(name), "unregistered")
	}
	delete(s.denied, deniedKey{kind, name})
	if !s.sets[set].has(name) {
		return false
	}
	s.sets[set].remove(name)
	s.reindex(set)
	return true
}

// reindex updates what depends on the features of a set. The caller holds the lock.
func (s *Server) reindex(set int) {
	clear(s.sets[set].first[:])
	switch {
	case set == templateSet:
		s.sortTemplates()
	case set == toolSet && s.finder != nil:
		s.finder.changes.Add(1)
	}
}

// notifyListChanged notifies subscribers that the features of a set have changed.
func (s *Server) notifyListChanged(set int) {
	s.subscribers.each(func(sub *subscriber) { sub.changed(topicOf[set], 0) })
	s.subscribers.callWatchers()
}

// Features returns the registered features that policies allow: tools, resources, resource
// templates and prompts, each in order of registration.
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
func (s *Server) Info() ServerInfo { return s.info }

// tool returns the tool with that name or alias, nil if there is none that the request may see.
func (s *Server) tool(ctx context.Context, name string) *tool {
	t, _ := s.lookUp(toolSet, name).(*tool)
	if t == nil || !s.mayUse(ctx, t) {
		return nil
	}
	return t
}

// lookUp returns the feature of a set with that name, alias or URI, nil without one.
func (s *Server) lookUp(set int, name string) Feature {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.sets[set].byName[name]
}

// offers reports whether a set has features, or had: a declared capability does not change.
func (s *Server) offers(set int) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.sets[set].offered
}

// offersResources reports whether there are resources or templates, or were, or results that
// embed resources.
func (s *Server) offersResources() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.embeds || s.sets[resourceSet].offered || s.sets[templateSet].offered
}

// offersCompletion reports whether arguments can be completed.
func (s *Server) offersCompletion() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.complete
}
