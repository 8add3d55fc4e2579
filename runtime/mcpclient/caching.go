package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// cached sends a request unless the cache has its result.
func (c *Client) cached(ctx context.Context, r *Request) (json.RawMessage, error) {
	return c.results.request(r, func() (fetched, error) {
		result, rounds, err := c.roundsOf(ctx, r)
		if err != nil {
			return fetched{}, err
		}
		return fetched{result: result, rounds: rounds, hints: c.revision.Load().Fields.CacheHints}, nil
	})
}

// cachedAfter returns a result from the cache after the client could not connect.
func (c *Client) cachedAfter(err error, r *Request) (json.RawMessage, error) {
	return c.results.request(r, func() (fetched, error) { return fetched{}, err })
}

// cachedMethods are the requests whose results are cached. The result of server/discover is part of
// an Era.
var cachedMethods = methodNames(
	protocol.ToolsList, protocol.PromptsList, protocol.ResourcesList, protocol.ResourcesTemplatesList, protocol.ResourcesRead,
)

// outdated maps a notification to the requests whose results it makes stale.
var outdated = map[string][]string{
	ToolsChanged:     methodNames(protocol.ToolsList),
	PromptsChanged:   methodNames(protocol.PromptsList),
	ResourcesChanged: methodNames(protocol.ResourcesList, protocol.ResourcesTemplatesList),
	ResourceUpdated:  methodNames(protocol.ResourcesRead), // of the same URI
}

func methodNames(methods ...protocol.Method) (names []string) {
	for _, m := range methods {
		names = append(names, m.String())
	}
	return names
}

// resultCache connects a client to its Cache. Goroutines that miss the same entry at the same time
// each send a request, since each has its own context, timeout and progress.
type resultCache struct {
	cache    Cache
	target   Target
	key      string // of the target
	declared []byte // the capabilities of the client, on which a result may depend

	// emptying is held while entries are dropped, and while a result is stored, so that no older
	// result is stored after a change. The reading goroutine does not lock it.
	emptying sync.Mutex

	mu sync.Mutex
	// changes counts the calls of changed and lost. A result requested before such a call may be
	// older than the change, and is not cached.
	changes int
	// pending are changes whose entries the next request drops: a user's Cache must not block the
	// reading goroutine.
	pending []Change
	lostAt  time.Time // everything received until then is stale
}

// maxPending limits pending. Beyond it, all entries of the server are dropped.
const maxPending = 100

// listScope is the cache scope of the pages of one list. All pages share one scope: if one is
// private, all are.
type listScope struct {
	private bool
	public  []CacheKey // the earlier pages that are shared
}

// fetched is a result that the client has just received.
type fetched struct {
	result json.RawMessage
	rounds int  // rounds with client input; such a result is not cached
	hints  bool // the revision has cache hints
}

// request returns a fresh result from the cache, or the result of fetch. It returns a stale result
// only if the request allows it and fetch fails.
func (c *resultCache) request(r *Request, fetch func() (fetched, error)) (json.RawMessage, error) {
	l, ok := c.lookup(r)
	if !ok {
		f, err := fetch()
		return f.result, err
	}
	before := c.flush()
	if e, found := l.newest(); found && !r.options.noCache && c.isFresh(e) {
		l.passed(e)
		return l.copied(e.Result), nil
	}
	f, err := fetch()
	if err != nil {
		c.flush()
		if invalidCursor(r, err) {
			// The earlier pages have changed too (server/utilities/pagination).
			c.cache.Drop(func(k CacheKey) bool { return k.Target == l.private.Target && k.Method == l.private.Method })
		}
		if e, found := l.newest(); found && r.options.stale && !isAnswer(err) && c.isSameContext(l) {
			l.passed(e)
			return l.copied(e.Result), nil
		}
		return nil, err
	}
	if f.rounds == 0 && c.isSameContext(l) {
		c.keep(l, f, before)
	}
	return f.result, nil
}

// lookup is a cache lookup: under the authorization context, and among the shared entries.
type lookup struct {
	cache           Cache
	private, shared CacheKey
	named           bool // the authorization context is known
	scope           *listScope
	stale           bool // store the result even if it is stale at once
}

// lookup returns the lookup for a request, or false if the result of the request is not cached.
func (c *resultCache) lookup(r *Request) (*lookup, bool) {
	if !slices.Contains(cachedMethods, r.Method) || r.Round > 0 {
		return nil, false
	}
	parameters := []string{string(c.declared), string(r.Params)}
	for _, key := range sortedKeys(r.options.meta) {
		value, err := json.Marshal(r.options.meta[key])
		if err != nil {
			return nil, false // sending it is an error
		}
		parameters = append(parameters, key, string(value))
	}
	shared := CacheKey{Target: c.key, Method: r.Method, Params: digest(parameters...)}
	if r.Method == protocol.ResourcesRead.String() {
		shared.URI = r.Name
	}
	l := &lookup{cache: c.cache, private: shared, shared: shared, scope: &r.options.scope, stale: r.options.stale}
	l.private.Context, l.named = authorizationContext(c.target)
	return l, true
}

// isSameContext reports whether the authorization context is still the one of the lookup: another
// user may have logged in while the request was in flight.
func (c *resultCache) isSameContext(l *lookup) bool {
	context, named := authorizationContext(c.target)
	return context == l.private.Context && named == l.named
}

// cacheEntry is an entry with its key.
type cacheEntry struct {
	CacheEntry
	key CacheKey
}

// newest returns the newer of the private and the shared entry.
func (l *lookup) newest() (cacheEntry, bool) {
	e, found := l.cache.Get(l.shared)
	newest := cacheEntry{e, l.shared}
	if l.named {
		if e, ok := l.cache.Get(l.private); ok && (!found || e.At.After(newest.At)) {
			return cacheEntry{e, l.private}, true
		}
	}
	return newest, found
}

// passed records the scope of a page.
func (l *lookup) passed(e cacheEntry) { l.note(e.key == l.shared) }

// note records whether a page is shared, and returns whether it may be.
func (l *lookup) note(public bool) bool {
	switch {
	case !public && !l.scope.private:
		l.scope.private = true
		if pages := l.scope.public; len(pages) > 0 {
			l.cache.Drop(func(k CacheKey) bool { return slices.Contains(pages, k) })
		}
		l.scope.public = nil
	case public && !l.scope.private && l.shared.URI == "":
		l.scope.public = append(l.scope.public, l.shared)
	}
	return !l.scope.private
}

// copied returns a copy of a resource result, since the value that the caller gets refers to it.
// Values of lists refer to a copy anyway.
func (l *lookup) copied(result json.RawMessage) json.RawMessage {
	if l.shared.URI == "" {
		return result
	}
	return bytes.Clone(result)
}

// keep stores a result if the server allows it and nothing has changed since the request was sent.
func (c *resultCache) keep(l *lookup, f fetched, before int) {
	var ttl time.Duration
	var public bool
	if f.hints {
		ttl, public = freshness(f.result)
	}
	public = l.note(public)
	now := time.Now().Round(0) // a monotonic clock may stop while a machine sleeps
	key, other := l.private, l.shared
	if public {
		key, other = other, key
	}
	old := func(k CacheKey) bool { return k == other || ttl <= 0 && k == key }
	if _, found := l.newest(); found {
		c.cache.Drop(old)
	}
	if ttl <= 0 && !l.stale || !public && !l.named {
		return
	}
	c.emptying.Lock()
	defer c.emptying.Unlock()
	changes, lostAt := c.state()
	if changes != before {
		return
	}
	if !now.After(lostAt) {
		now = lostAt.Add(1)
	}
	c.cache.Put(key, CacheEntry{Result: l.copied(f.result), At: now, Until: now.Add(ttl)})
}

func (c *resultCache) state() (changes int, lostAt time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changes, c.lostAt
}

// freshness returns for how long a result may be cached, and whether authorization contexts may
// share it (server/utilities/caching).
func freshness(result json.RawMessage) (ttl time.Duration, public bool) {
	var r reader
	r.report = func(string) {} // the readers of the result report it
	jsonrpc.Members(result, func(name, value []byte) bool {
		switch string(name) {
		case "ttlMs":
			ttl = time.Duration(r.ttl(value)) * time.Millisecond
		case "cacheScope":
			public = r.cacheScope(value) == mcp.CachePublic
		}
		return true
	})
	return ttl, public
}

// isFresh reports whether an entry can be used without asking the server.
func (c *resultCache) isFresh(e cacheEntry) bool {
	_, lostAt := c.state()
	now := time.Now()
	return now.Before(e.Until) && e.Until.Sub(now) <= cacheTime && e.At.After(lostAt)
}

// changed records a change. It does not block.
func (c *resultCache) changed(change Change) {
	if outdated[change.Method] == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
	if len(c.pending) <= maxPending && !slices.Contains(c.pending, change) {
		c.pending = append(c.pending, change)
	}
}

// lost records that notifications may have been missed: all cached results become stale.
func (c *resultCache) lost() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
	c.lostAt = time.Now().Round(0)
}

// flush drops entries that have changed, in every authorization context. It returns the number of
// changes so far.
func (c *resultCache) flush() int {
	c.emptying.Lock()
	defer c.emptying.Unlock()
	c.mu.Lock()
	pending, changes := c.pending, c.changes
	c.pending = nil
	c.mu.Unlock()
	if len(pending) > 0 {
		c.cache.Drop(func(k CacheKey) bool {
			return k.Target == c.key && (len(pending) > maxPending || slices.ContainsFunc(pending, k.isOutdated))
		})
	}
	return changes
}

// isOutdated reports whether a change makes a result stale. The URI of an update may name a part of
// the resource (server/resources).
func (k CacheKey) isOutdated(c Change) bool {
	if !slices.Contains(outdated[c.Method], k.Method) {
		return false
	}
	if c.Method != ResourceUpdated {
		return true
	}
	rest, inside := strings.CutPrefix(c.URI, k.URI)
	return inside && (rest == "" || strings.HasSuffix(k.URI, "/") || strings.ContainsRune("/?#", rune(rest[0])))
}

// invalidCursor reports whether a server has refused the cursor of a list.
func invalidCursor(r *Request, err error) bool {
	e, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && e.Code == jsonrpc.CodeInvalidParams && objectHas(r.Params, "cursor")
}

// isAnswer reports whether an error is the server's reply to the request, which an older result
// must not hide, or the end of the caller's context.
func isAnswer(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, ErrClosed) {
		return true
	}
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		switch e.Code {
		case jsonrpc.CodeInvalidRequest, jsonrpc.CodeMethodNotFound, jsonrpc.CodeInvalidParams, protocol.CodeResourceNotFound:
			return true
		}
		return false
	}
	if s, ok := errors.AsType[*StatusError](err); ok {
		return s.Status == 401 || s.Status == 403
	}
	return false
}
