package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
)

// This file leaves capabilities out of the declaration of a server. Its fields do not change after
// [NewServer].

// WithoutCapabilities leaves capabilities out of the declaration of the server, in every revision
// (basic/lifecycle, server/discover). Without the option a server declares all that it can do. The
// option may be given more than once. It panics if a capability is not one of the constants.
//
// Using a capability that is left out is a mistake in the program, and panics at the call, so that
// a test shows it:
//
//   - ServerLogging: [Logger] in a call. The method logging/setLevel is not found. The log of the
//     server ([WithLogger]) is not affected.
//   - ServerToolsListChanged, ServerResourcesListChanged, ServerPromptsListChanged: a
//     [Server.Register] or [Server.Unregister] that changes the list after the first client has
//     connected. The list is then unchanged.
//   - ServerSubscribe: [Server.ResourceUpdated]. The methods resources/subscribe and
//     resources/unsubscribe are not found.
//
// From revision 2026-07-28 on, the acknowledgement of subscriptions/listen leaves out the same
// notifications; if nothing remains, the method is not found.
func WithoutCapabilities(capabilities ...ServerCapability) Option {
	for _, c := range capabilities {
		switch c {
		case ServerLogging, ServerListChanged, ServerToolsListChanged, ServerResourcesListChanged, ServerPromptsListChanged, ServerSubscribe:
		default:
			panic(fmt.Sprintf("mcp: a server has no capability %q that it can leave out", string(c)))
		}
	}
	// The caller may change its slice later.
	without := slices.Clone(capabilities)
	return func(s *Server) {
		for _, c := range without {
			s.without.add(c)
		}
	}
}

// connected records that a client has connected. From now on, a list that the server declared not
// to change must not change, and changes of other replicas concern the clients of this replica.
func (s *Server) connected() {
	if !s.hasClients.Load() { // most calls only read, since all connections share the field
		s.mu.Lock() // wait for a running registration, whose feature this client sees in lists
		s.hasClients.Store(true)
		s.mu.Unlock()
	}
	if part := s.part.Load(); part != nil {
		(*part).serve()
	}
	if s.changes != nil {
		s.changes.reading.Do(func() { go s.changes.read() })
	}
}

// checkListChange panics if a set must no longer change. The caller holds s.mu.
func (s *Server) checkListChange(set int, feature, done string) {
	t := topicOf[set]
	if s.without.lists[t] && s.hasClients.Load() {
		panic(fmt.Sprintf("mcp: %s is %s after a client has connected, and WithoutCapabilities leaves out %s", feature, done, listCapability[t]))
	}
}

// offersSubscribe reports whether clients can subscribe to resources.
func (s *Server) offersSubscribe() bool { return !s.without.subscribe && s.offersResources() }

// offersListChanged returns the lists whose changes the server declares and sends.
func (s *Server) offersListChanged() (lists [topics]bool) {
	lists = [topics]bool{toolsChanged: s.offers(toolSet), promptsChanged: s.offers(promptSet), resourcesChanged: s.offersResources()}
	for t := range lists {
		lists[t] = lists[t] && !s.without.lists[t]
	}
	return lists
}

// offersChanges reports whether there is something that a client can listen to.
func (s *Server) offersChanges() bool {
	return s.offersSubscribe() || s.offersListChanged() != [topics]bool{}
}

// appendCapabilities writes the capabilities of the server. changes is set if the client can get
// notifications that do not belong to a request.
func (s *Server) appendCapabilities(b []byte, rev *protocol.Revision, changes bool) []byte {
	list := func(t topic) string {
		if changes && !s.without.lists[t] {
			return `"listChanged":true`
		}
		return ""
	}
	b = append(b, '{')
	start := len(b)
	if !s.without.logging {
		b = append(b, `"logging":{}`...)
	}
	add := func(name string, members ...string) {
		b = append(jsonobject.Comma(b, start), '"')
		b = append(append(b, name...), `":{`...)
		inner := len(b)
		for _, m := range members {
			if m != "" {
				b = append(jsonobject.Comma(b, inner), m...)
			}
		}
		b = append(b, '}')
	}
	if s.offers(toolSet) {
		add("tools", list(toolsChanged))
	}
	if s.offersResources() {
		subscribe := ""
		if changes && !s.without.subscribe {
			subscribe = `"subscribe":true`
		}
		add("resources", subscribe, list(resourcesChanged))
	}
	if s.offers(promptSet) {
		add("prompts", list(promptsChanged))
	}
	if rev.Fields.Completions && s.offersCompletion() {
		add("completions")
	}
	tasks := s.tasks() != nil
	if rev.Tasks == protocol.TaskSession && tasks {
		add("tasks", `"cancel":{}`, `"requests":{"tools":{"call":{}}}`)
	}
	b = s.extensions.appendTo(b, start, rev, s.broughtSettings(rev, tasks))
	return append(b, '}')
}

// broughtSettings returns the settings of the extensions that features bring.
func (s *Server) broughtSettings(rev *protocol.Revision, tasks bool) map[string]json.RawMessage {
	settings := map[string]json.RawMessage{}
	if tasks && rev.Tasks == protocol.TaskExtension {
		settings[protocol.TasksName] = emptyObject
	}
	if brought := s.brought.Load(); brought != nil && rev.Skills {
		maps.Copy(settings, brought.settings)
	}
	if s.showsPages() {
		settings[protocol.UIName] = json.RawMessage(`{"mimeTypes":["` + UIMIMEType + `"]}`)
	}
	return settings
}
