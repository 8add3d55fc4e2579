package gosdk

import (
	encoding "encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

type json = encoding.RawMessage

// kind describes how an SDK server stores one kind of feature.
type kind[T any] struct {
	text   string // for errors
	list   protocol.Method
	member string // of the list result that contains the features
	name   func(*T) string
	read   func(json) (*T, error)
	add    func(m *mount, item *T)
	remove func(s *sdk.Server, names ...string)
}

var toolKind = kind[sdk.Tool]{
	text: "tool", list: protocol.ToolsList, member: "tools",
	name:   func(t *sdk.Tool) string { return t.Name },
	read:   readTool,
	add:    func(m *mount, t *sdk.Tool) { m.host.server.AddTool(t, m.callTool) },
	remove: func(s *sdk.Server, names ...string) { s.RemoveTools(names...) },
}

var resourceKind = kind[sdk.Resource]{
	text: "resource", list: protocol.ResourcesList, member: "resources",
	name:   func(r *sdk.Resource) string { return r.URI },
	read:   read[sdk.Resource],
	add:    func(m *mount, r *sdk.Resource) { m.host.server.AddResource(r, m.readResource) },
	remove: func(s *sdk.Server, uris ...string) { s.RemoveResources(uris...) },
}

var templateKind = kind[sdk.ResourceTemplate]{
	text: "resource template", list: protocol.ResourcesTemplatesList, member: "resourceTemplates",
	name:   func(r *sdk.ResourceTemplate) string { return r.URITemplate },
	read:   read[sdk.ResourceTemplate],
	add:    func(m *mount, r *sdk.ResourceTemplate) { m.host.server.AddResourceTemplate(r, m.readResource) },
	remove: func(s *sdk.Server, templates ...string) { s.RemoveResourceTemplates(templates...) },
}

var promptKind = kind[sdk.Prompt]{
	text: "prompt", list: protocol.PromptsList, member: "prompts",
	name:   func(p *sdk.Prompt) string { return p.Name },
	read:   read[sdk.Prompt],
	add:    func(m *mount, p *sdk.Prompt) { m.host.server.AddPrompt(p, m.getPrompt) },
	remove: func(s *sdk.Server, names ...string) { s.RemovePrompts(names...) },
}

// read reads a feature from its entry in a list.
func read[T any](entry json) (*T, error) {
	item := new(T)
	if err := encoding.Unmarshal(entry, item); err != nil {
		return nil, err
	}
	return item, nil
}

// readTool reads a tool, whose schemas remain unchanged text.
func readTool(entry json) (*sdk.Tool, error) {
	t, err := read[sdk.Tool](entry)
	if err != nil {
		return nil, err
	}
	jsonrpc.Members(entry, func(name, value []byte) bool {
		switch string(name) {
		case "inputSchema":
			t.InputSchema = json(slices.Clone(value))
		case "outputSchema":
			t.OutputSchema = json(slices.Clone(value))
		}
		return true
	})
	return t, nil
}

// registered is a feature of the SDK's server, with the JSON from which it was created.
type registered[T any] struct {
	item *T
	text string
	old  *T // the item that is being replaced, during the replacement
}

// set contains the features of one kind that a mount has added.
type set[T any] struct {
	*kind[T]
	cache lists[T]

	mu    sync.RWMutex
	items map[string]registered[T]
	taken map[string]bool // names of features that are omitted, since the SDK's server has others with these names
}

// knows reports whether a feature belongs to the mount, or is omitted, and is not listed by a
// template.
func (s *set[T]) knows(name string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.items[name]
	return ok || s.taken[name]
}

// get returns a feature, or nil.
func (s *set[T]) get(name string) *T {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.items[name].item
}

// has reports whether the item is a feature of the mount, or is being replaced.
func (s *set[T]) has(item *T) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	r, ok := s.items[s.name(item)]
	return ok && (r.item == item || r.old == item)
}

// any reports whether the set is not empty.
func (s *set[T]) any() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.items) > 0
}

func (s *set[T]) put(name string, r registered[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.items == nil {
		s.items = map[string]registered[T]{}
	}
	s.items[name] = r
}

func (s *set[T]) snapshot() map[string]registered[T] {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return maps.Clone(s.items)
}

func (s *set[T]) delete(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.items, name)
}

// plan contains the features that a mount should have, by name.
type plan struct {
	tools     map[string]registered[sdk.Tool]
	resources map[string]registered[sdk.Resource]
	templates map[string]registered[sdk.ResourceTemplate]
	prompts   map[string]registered[sdk.Prompt]
	owner     *mount
}

// plan reads the features of the inner server, in the form of the newest revision.
func (m *mount) plan() (p *plan, err error) {
	p = &plan{owner: m}
	if p.tools, err = planned(m, &m.tools); err != nil {
		return nil, err
	}
	if p.resources, err = planned(m, &m.resources); err != nil {
		return nil, err
	}
	if p.templates, err = planned(m, &m.templates); err != nil {
		return nil, err
	}
	if p.prompts, err = planned(m, &m.prompts); err != nil {
		return nil, err
	}
	for _, f := range m.inner.Features() {
		if f.Task == taskRequired {
			delete(p.tools, f.Name)
			m.bridge.Server().Log().Warn("tool left out of the server of the Go SDK, which has no tasks: its calls must become tasks", slog.String("tool", f.Name))
		}
	}
	return p, nil
}

func planned[T any](m *mount, s *set[T]) (map[string]registered[T], error) {
	all := map[string]registered[T]{}
	for _, entry := range m.bridge.Server().Listing(s.list, protocol.All[len(protocol.All)-1]) {
		item, err := s.read(entry)
		if err != nil {
			return nil, fmt.Errorf("read the entry of a %s: %w", s.text, err)
		}
		all[s.name(item)] = registered[T]{item: item, text: string(entry)}
	}
	return all, nil
}

// collisions returns an error text for each name in the plan that another feature of the SDK's
// server has.
func (p *plan) collisions(taken *existing) []string {
	m := p.owner
	all := slices.Concat(
		collisions(&m.tools, p.tools, taken.tools), collisions(&m.resources, p.resources, taken.resources),
		collisions(&m.templates, p.templates, taken.templates), collisions(&m.prompts, p.prompts, taken.prompts))
	for _, f := range m.inner.Features() {
		for _, alias := range f.Aliases {
			if taken.tools[alias] != nil || m.host.hasAlias(m, alias) {
				all = append(all, fmt.Sprintf("the server has a tool %q already, which is an alias of %q", alias, f.Name))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.tools)) {
		if m.host.hasAlias(m, name) {
			all = append(all, fmt.Sprintf("the server has a tool with the alias %q already", name))
		}
	}
	return all
}

func collisions[T any](s *set[T], planned map[string]registered[T], taken map[string]*T) (all []string) {
	for _, name := range slices.Sorted(maps.Keys(planned)) {
		if other := taken[name]; other != nil && other != s.get(name) {
			all = append(all, fmt.Sprintf("the server has a %s %q already", s.text, name))
		}
	}
	return all
}

// dropTaken removes colliding features from the plan.
func (p *plan) dropTaken(taken *existing) {
	m := p.owner
	drop(&m.tools, p.tools, taken.tools)
	drop(&m.resources, p.resources, taken.resources)
	drop(&m.templates, p.templates, taken.templates)
	drop(&m.prompts, p.prompts, taken.prompts)
}

func drop[T any](s *set[T], planned map[string]registered[T], taken map[string]*T) {
	out := map[string]bool{}
	for name := range planned {
		if other := taken[name]; other != nil && other != s.get(name) {
			delete(planned, name)
			out[name] = true
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = out
}

// apply adds new and changed features. The SDK panics on features that it does not allow.
func (p *plan) apply(m *mount) (err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("add a feature to the server of the Go SDK: %v", e)
		}
	}()
	addAll(m, &m.tools, p.tools)
	addAll(m, &m.resources, p.resources)
	addAll(m, &m.templates, p.templates)
	addAll(m, &m.prompts, p.prompts)
	return nil
}

func addAll[T any](m *mount, s *set[T], planned map[string]registered[T]) {
	for name, r := range planned {
		s.mu.RLock()
		old, had := s.items[name]
		s.mu.RUnlock()
		if had && old.text == r.text {
			continue
		}
		addOne(m, s, name, r, old)
	}
}

// addOne adds or replaces a feature. It adds it to the set first: a feature that the SDK lists and
// no set contains would be listed for every caller.
func addOne[T any](m *mount, s *set[T], name string, r, old registered[T]) {
	added := false
	defer func() {
		switch {
		case added:
			s.put(name, r)
		case old.item != nil:
			s.put(name, old)
		default:
			s.delete(name)
		}
	}()
	s.put(name, registered[T]{item: r.item, text: r.text, old: old.item})
	s.add(m, r.item) // may panic
	added = true
}

// removeOld removes features that are not in the plan.
func removeOld[T any](m *mount, s *set[T], planned map[string]registered[T], taken *existing) {
	for name, r := range s.snapshot() {
		if _, ok := planned[name]; !ok {
			removeOne(m, s, name, r.item, taken)
		}
	}
}

// removeAll removes all features of the mount.
func removeAll[T any](m *mount, s *set[T], taken *existing) {
	for name, r := range s.snapshot() {
		removeOne(m, s, name, r.item, taken)
	}
}

// removeOne removes a feature, unless the SDK's server has another one with its name now.
func removeOne[T any](m *mount, s *set[T], name string, item *T, taken *existing) {
	if other := of[T](taken)[name]; other == nil || other == item {
		s.remove(m.host.server, name)
	}
	s.delete(name)
}
