package mcp

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
)

// This file defines the server: its configuration, and its features, which may change while it
// serves. A Server has no goroutines. mu guards the features, which connections and handlers read;
// everything above mu does not change after [NewServer], or has a lock.

// Server offers features to any number of clients at the same time, over any number of connections.
// Its methods may be called by many goroutines.
type Server struct {
	info         ServerInfo
	log          *logs.Log
	limits       Limits
	settings     engine.Settings // for its connections
	published    publisher       // parts of its replies
	interceptors []Interceptor
	access       []Access
	hasScopes    atomic.Bool                      // a feature has scopes
	scopes       atomic.Pointer[transport.Scopes] // of all features; nil where they have changed
	warnScopes   sync.Once
	unshielded   bool
	keys         *stateKeys
	store        StateStore
	timeout      time.Duration // for functions without a timeout of their own; 0 = no timeout
	policies     []*policy
	without      withoutCapabilities
	sessionHooks []func(context.Context, SessionInfo) func()
	listed       []func(FeatureInfo) bool
	finder       *finder // nil without package mcpfind

	questionHooks []questionHook
	changes       *changes // queue for other replicas; nil without them

	handler Handler // the clock, all interceptors, and [Server.handle]

	extensions    extensions
	brought       atomic.Pointer[extensions] // the extension of a feature; nil before the first with one
	begun         atomic.Bool                // the parts of resources know that the server serves
	subscribers   subscribers
	hasClients    atomic.Bool   // a client has connected
	closeWatchers closeWatchers // run the functions that end listens

	storeKeys  KeySource                  // from a store of tasks; used if no option sets keys
	configured serverPart                 // set by an option; nil without one
	part       atomic.Pointer[serverPart] // nil before the first tool whose calls become tasks
	partMade   sync.Once

	mu       sync.RWMutex
	sets     [setCount]featureSet
	closest  []Feature                     // the most specific first
	listers  []entry                       // templates that list resources, in order
	complete bool                          // there are completions, or were
	pages    bool                          // pages show results of tools, now or earlier
	embeds   bool                          // results may contain embedded resources, now or earlier
	denied   map[deniedKey]*deniedResource // resources and templates that policies deny
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

// Option changes how a [Server] is made. Options override directives.
type Option func(*Server)

// Info returns the identity of the server.
func (s *Server) Info() ServerInfo { return s.info }

// lookUp returns the feature of a set with that name, alias or URI, or nil.
func (s *Server) lookUp(set int, name string) Feature {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.sets[set].byName[name]
}

// offers reports whether a set contains or has contained features: a declared capability does not
// change.
func (s *Server) offers(set int) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.sets[set].offered
}

// offersResources reports whether there are or have been resources, templates, or results that
// embed resources.
func (s *Server) offersResources() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.embeds || s.sets[resourceSet].offered || s.sets[templateSet].offered
}

// showsPages reports whether pages show results of tools, now or earlier.
func (s *Server) showsPages() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.pages
}

// offersCompletion reports whether arguments can be completed.
func (s *Server) offersCompletion() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.complete
}
