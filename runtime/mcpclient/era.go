package mcpclient

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Era is the client's knowledge about a server before it connects: the protocol revision.
type Era struct {
	Revision string          // the newest that both sides speak
	Discover json.RawMessage // the result of server/discover; nil for a revision with sessions
	At       time.Time       // when the client negotiated it
}

// EraStore stores an [Era] for each server, by a digest of [Target] and authorization context.
// Without a known context it stores only an Era of a revision with sessions. Several goroutines may
// call it, and it must not use the client. An Era of a revision with sessions is used for 24 hours,
// since a newer server may also support such a revision; an Era of a revision without sessions is
// used until the server no longer supports that revision, which the client notices. Options.Eras
// describes the default store.
type EraStore interface {
	Get(target string) (Era, bool)
	Put(target string, e Era)
	Drop(target string)
}

const (
	// legacyTime limits the age of an Era of a revision with sessions.
	legacyTime = 24 * time.Hour
	// maxDiscover limits the stored result of server/discover. A server with a longer result is
	// probed on every connection.
	maxDiscover = 64 << 10
	// Limits of a store.
	maxEras     = 1024
	maxEraBytes = 4 << 20
)

// revision returns the revision of an Era, or nil if the Era is too old or from the future, or this
// client does not support the revision.
func (e *Era) revision(now time.Time) *protocol.Revision {
	for _, r := range protocol.All {
		if r.Version != e.Revision {
			continue
		}
		age := now.Sub(e.At)
		switch {
		case r.PerRequest && len(e.Discover) > 0 && len(e.Discover) <= maxDiscover:
			return r
		case !r.PerRequest && age > -legacyTime && age < legacyTime:
			return r
		}
	}
	return nil
}

// targetEra is the Era of one server in a store.
type targetEra struct {
	store  EraStore
	target Target
}

// get returns the stored revision of the server, or nil if it has to be probed, and the result of
// server/discover.
func (t targetEra) get() (*protocol.Revision, json.RawMessage) {
	key, named := t.key()
	if key == "" {
		return nil, nil
	}
	e, ok := t.store.Get(key)
	if !ok {
		return nil, nil
	}
	r := e.revision(time.Now())
	switch {
	case r == nil || !r.PerRequest:
		return r, nil
	case !named:
		return nil, nil
	}
	return r, e.Discover
}

// put stores the revision and the result of server/discover.
func (t targetEra) put(r *protocol.Revision, discover json.RawMessage) {
	key, named := t.key()
	if key == "" || len(discover) > maxDiscover || r.PerRequest && !named {
		return
	}
	if !r.PerRequest {
		discover = nil
	}
	t.store.Put(key, Era{Revision: r.Version, Discover: discover, At: time.Now().Round(0)})
}

// drop removes the Era.
func (t targetEra) drop() {
	if key, _ := t.key(); key != "" {
		t.store.Drop(key)
	}
}

// key returns a digest of the target and its authorization context, or "" for a server in this
// process, whose Era is not stored. If the context is unknown, named is false: then only a revision
// with sessions is stored, which contains nothing that a server has sent to one caller.
func (t targetEra) key() (key string, named bool) {
	if _, ok := t.target.(inProcess); ok {
		return "", false
	}
	context, named := authorizationContext(t.target)
	return digest(t.target.Key(), context), named
}

// forget drops the stored revision of the server. It reports whether one was stored.
func (c *Client) forget() bool {
	r, _ := c.era.get()
	c.era.drop()
	return r != nil
}

// isReplaced reports whether a server whose stored revision has no sessions now has one with
// sessions, after its first reply was an error. The request has not run in that case, and the
// connection is closed. After a loss or a timeout the next connection begins with a probe.
func (c *Client) isReplaced(ctx context.Context, x *connection, err error) bool {
	e, replied := err.(*jsonrpc.Error)
	if !replied {
		if _, gone := err.(*lost); gone || errors.Is(err, ErrTimeout) {
			c.era.drop()
		}
		return false
	}
	f := probeFacts{target: c.target.Name(), over: overStream}
	if _, shown := f.classifyModern(e); shown {
		return false
	}
	h := handshake{client: c, x: x}
	answer := h.ask(ctx, true)
	if h.silent != nil {
		x.leave(h.silent)
		return false
	}
	if v := classify(answer, f); v.kind != speaksLegacy {
		return false
	}
	c.era.drop()
	x.replace(errReplaced)
	return true
}

// authorizationContext names the credentials that requests to a target carry. It returns false if
// they are unknown. The name is never "".
func authorizationContext(t Target) (string, bool) {
	a, ok := t.(dial.Authorized)
	if !ok {
		return "unknown", false
	}
	context, ok := a.AuthorizationContext()
	switch {
	case !ok:
		return "none", true
	case context == "":
		return "unknown", false
	}
	return "of " + context, true
}

// digest returns a digest of strings.
func digest(texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		sum := sha256.Sum256([]byte(text))
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// processEras is the default store, for the lifetime of the process.
var processEras EraStore = newMemoryEras()

type memoryEras struct {
	mu   sync.Mutex
	kept *lru[string, Era]
}

func newMemoryEras() *memoryEras {
	return &memoryEras{kept: newLRU[string, Era](maxEras, maxEraBytes)}
}

func (m *memoryEras) Get(target string) (Era, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.kept.get(target)
}

func (m *memoryEras) Put(target string, e Era) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept.put(target, e, e.size(target))
}

func (m *memoryEras) Drop(target string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept.remove(target)
}

// size returns the approximate memory of an Era.
func (e *Era) size(target string) int { return len(target) + len(e.Revision) + len(e.Discover) + 200 }
