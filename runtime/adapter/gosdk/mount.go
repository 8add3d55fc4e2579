package gosdk

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/runtime/internal/bridge"
	"github.com/mcpgen/mcpgen/runtime/internal/toolfind"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Mount adds features to an SDK server, before or after it has sessions. It calls register once,
// with its own *mcp.Server, which the options configure. Later registrations and removals on that
// server are applied to the SDK's server, and its ResourceUpdated notifies clients that have
// subscribed to a resource (see [Subscribable]).
//
// If the SDK's server already has a name or URI, Mount returns an error that lists all of them, and
// adds nothing. Features that are added to the SDK's server at the same time may escape this check.
// A tool whose calls must become tasks cannot be added: a warning about it is logged. With Select
// of [mcp.WithPolicy] a function selects the features to add.
//
// Receiving middleware of the SDK's server receives every request before a mount, whether it is
// added before or after. It receives a call by an alias, or through use_tool of package mcpfind, as
// a call of the tool that runs; if middleware was added since the last request, it receives the
// first such call twice, with both names. A context that it passes on must contain the values of
// the context that it gets. Middleware that was added before the first Mount receives the SDK's
// lists, not the caller's: entries that it removes remain removed, and Mount considers a copy of an
// entry a feature of the SDK's server, which it neither hides nor removes.
//
// [auth.TokenInfo] identifies callers: the ID of the principal is its UserID or, without one, a
// digest of the bearer token; the value is the *auth.TokenInfo, and its scopes determine which
// features can be used. The SDK has checked the token of each request, so principals do not expire.
// Without a TokenInfo, features with scopes are refused, unless [mcp.WithAccess] decides otherwise.
//
// unmount removes everything, and ends running calls. It waits for nothing else, and may be called
// more than once. Sessions of the SDK continue, but subscriptions to the resources end: clients
// subscribe again after another Mount.
func Mount(s *sdk.Server, register func(mcp.Registrar), options ...mcp.Option) (unmount func(), err error) {
	inner := mcp.NewServer(mcp.ServerInfo{Name: "mounted", Version: "1"}, options...)
	register(inner)
	h := hostOf(s)
	m := &mount{host: h, inner: inner, bridge: bridge.New(inner, "gosdk")}
	m.tools.kind = &toolKind
	m.resources.kind = &resourceKind
	m.templates.kind = &templateKind
	m.prompts.kind = &promptKind
	h.changing.Lock()
	defer h.changing.Unlock()
	if err := m.begin(); err != nil {
		m.end()
		return nil, fmt.Errorf("mount: %w", err)
	}
	m.warn()
	return sync.OnceFunc(func() {
		h.changing.Lock()
		defer h.changing.Unlock()
		m.end()
	}), nil
}

// mount connects an inner server with the SDK's server that has its features. The lock
// host.changing guards changes of its features, and the lock of each set its map.
type mount struct {
	host   *host
	number int64 // of the mount in its host
	inner  *mcp.Server
	bridge *bridge.Bridge
	stop   func() // stops the goroutine for changes; nil before begin and after end

	tools     set[sdk.Tool]
	resources set[sdk.Resource]
	templates set[sdk.ResourceTemplate]
	prompts   set[sdk.Prompt]

	mu       sync.RWMutex
	aliases  map[string]string // of tools
	matchers []*uritemplate.Template
}

// begin adds the features.
func (m *mount) begin() error {
	m.watch()
	taken, err := m.host.existing()
	if err != nil {
		return err
	}
	plan, err := m.plan()
	if err != nil {
		return err
	}
	if collisions := plan.collisions(taken); collisions != nil {
		return errors.New(strings.Join(collisions, "; "))
	}
	if err := m.look(); err != nil {
		return err
	}
	m.host.add(m)
	if err := plan.apply(m); err != nil {
		return err
	}
	if m.hasOtherNames() {
		m.host.namesFirst()
	}
	return nil
}

// warn logs the restrictions that result from options without [Subscribable].
func (m *mount) warn() {
	m.host.mu.RLock()
	o := m.host.options
	m.host.mu.RUnlock()
	if o.filledIn {
		return
	}
	log := m.bridge.Server().Log()
	if m.canComplete() {
		log.Warn("arguments of prompts and templates are not completed: make the options of the server of the Go SDK by gosdk.Subscribable")
	}
	if (m.resources.any() || m.templates.any()) && offersSubscriptions(m.host.server) {
		log.Warn("subscriptions to resources have no effect: make the options of the server of the Go SDK by gosdk.Subscribable")
	}
}

// end removes the features, and all other parts of the mount.
func (m *mount) end() {
	taken, err := m.host.existing()
	if err != nil {
		taken = new(existing)
	}
	removeAll(m, &m.tools, taken)
	removeAll(m, &m.resources, taken)
	removeAll(m, &m.templates, taken)
	removeAll(m, &m.prompts, taken)
	m.host.remove(m)
	m.stop()
	m.stop = nil
	m.bridge.Close()
}

// watch starts a goroutine that handles changes of the lists of the inner server.
func (m *mount) watch() {
	changes, ended := make(chan struct{}, 1), make(chan struct{})
	unwatch := m.bridge.Server().WatchLists(func() {
		select {
		case changes <- struct{}{}:
		default:
		}
	})
	m.stop = func() {
		unwatch()
		close(ended)
	}
	go func() {
		for {
			select {
			case <-changes:
				m.changed()
			case <-ended:
				return
			}
		}
	}()
}

// changed is called when lists of the inner server have changed.
func (m *mount) changed() {
	m.host.changing.Lock()
	defer m.host.changing.Unlock()
	if m.stop == nil {
		return
	}
	log := m.bridge.Server().Log()
	if err := m.update(); err != nil {
		log.Error("update the features of the server of the Go SDK", slog.Any("error", err))
	}
}

// update makes the features of the SDK's server match the inner server's, except for features whose
// names are taken.
func (m *mount) update() error {
	taken, err := m.host.existing()
	if err != nil {
		return err
	}
	plan, err := m.plan()
	if err != nil {
		return err
	}
	collisions := plan.collisions(taken)
	if err := m.look(); err != nil {
		return err
	}
	plan.dropTaken(taken)
	removeOld(m, &m.tools, plan.tools, taken)
	removeOld(m, &m.resources, plan.resources, taken)
	removeOld(m, &m.templates, plan.templates, taken)
	removeOld(m, &m.prompts, plan.prompts, taken)
	if err := plan.apply(m); err != nil {
		return err
	}
	if m.hasOtherNames() {
		m.host.namesFirst()
	}
	if collisions != nil {
		return errors.New(strings.Join(collisions, "; "))
	}
	return nil
}

// look reads data that the SDK's server has no list for: aliases and URI patterns.
func (m *mount) look() error {
	aliases := map[string]string{}
	var matchers []*uritemplate.Template
	for _, f := range m.inner.Features() {
		for _, alias := range f.Aliases {
			if f.Task != taskRequired {
				aliases[alias] = f.Name
			}
		}
		if f.Kind == mcp.KindTemplate {
			t, err := uritemplate.Parse(f.URI)
			if err != nil {
				return fmt.Errorf("parse the URI template %q: %w", f.URI, err)
			}
			matchers = append(matchers, t)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.aliases, m.matchers = aliases, matchers
	return nil
}

// taskRequired is the Task of a tool whose calls must become tasks.
const taskRequired = "required"

// owns reports whether a URI belongs to a resource of the mount, even if only some callers may see
// it.
func (m *mount) owns(uri string) bool {
	if m.resources.get(uri) != nil {
		return true
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	return slices.ContainsFunc(m.matchers, func(t *uritemplate.Template) bool {
		_, ok := t.Match(uri, true)
		return ok
	})
}

// canonical returns the name of the tool with an alias.
func (m *mount) canonical(alias string) (string, bool) {
	m.mu.RLock()
	name, ok := m.aliases[alias]
	m.mu.RUnlock()
	return name, ok && m.tools.get(name) != nil
}

// hasOtherNames reports whether tools can be called by names other than their own.
func (m *mount) hasOtherNames() bool {
	m.mu.RLock()
	aliases := len(m.aliases)
	m.mu.RUnlock()
	return aliases > 0 || m.tools.get(toolfind.UseTool) != nil
}

// has reports whether the inner server has a tool with a name or alias.
func (m *mount) has(name string) bool {
	return slices.ContainsFunc(m.inner.Features(), func(f mcp.FeatureInfo) bool {
		return f.Kind == mcp.KindTool && (f.Name == name || slices.Contains(f.Aliases, name))
	})
}

// canComplete reports whether arguments of a prompt or template of the mount can be completed.
func (m *mount) canComplete() bool { return m.bridge.Server().OffersCompletion() }
