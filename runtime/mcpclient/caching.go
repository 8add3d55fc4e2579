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

// cached sends a request whose result may come from the cache.
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

// cachedMethods are the requests whose results are kept. That of server/discover is part of
// an Era.
var cachedMethods = methodNames(
	protocol.ToolsList, protocol.PromptsList, protocol.ResourcesList, protocol.ResourcesTemplatesList, protocol.ResourcesRead,
)

// outdated has the requests whose results a notification makes stale.
var outdated = map[string][]string{
	ToolsChanged:     methodNames(protocol.ToolsList),
	PromptsChanged:   methodNames(protocol.PromptsList),
	ResourcesChanged: methodNames(protocol.ResourcesList, protocol.ResourcesTemplatesList),
	ResourceUpdated:  methodNames(protocol.ResourcesRead), // of its URI
}

func methodNames(methods ...protocol.Method) (names []string) {
	for _, m := range methods {
		names = append(names, m.String())
	}
	return names
}

// resultCache is what a client does with its Cache. Goroutines that miss the same entry at
// the same time send a request each: each has its own context, time and progress.
type resultCache struct {
	cache    Cache
	target   Target
	key      string // of the target
	declared []byte // the capabilities of the client, on which a result may depend

	// emptying is held while the cache is emptied, and while something is put into it: of a
	// change nothing older comes after. The goroutine that reads does not take it.
	emptying sync.Mutex

	mu sync.Mutex
	// changes counts the calls of changed and lost. A result that was asked for before one
	// of them may be older than the change, and is not kept.
	changes int
	// pending are changes for which the cache is still to be emptied: by the next request, since
	// a Cache of the user must not stop the goroutine that reads.
	pending []Change
	lostAt  time.Time // what was received until then is stale
}

// maxPending bounds pending. Beyond it, all that the cache has of the server is dropped.
const maxPending = 100

// listScope is the scope of the pages of one list, which must all have the same: if one
// is private, so are the others.
type listScope struct {
	private bool
	public  []CacheKey // the pages before that are shared
}

// fetched is a result that has just been received.
type fetched struct {
	result json.RawMessage
	rounds int  // with input of the client; such a result is not kept
	hints  bool // the revision says how long it may be kept
}

// request returns a fresh result from the cache, or else what fetch returns. A stale one is
// returned only if the request allows it and fetch fails.
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
			// The pages before have changed too (server/utilities/pagination).
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

// lookup is a request at the cache: under its authorization context, and among what is
// shared.
type lookup struct {
	cache           Cache
	private, shared CacheKey
	named           bool // the authorization context is known
	scope           *listScope
	stale           bool // a result that is stale at once is kept too
}

// lookup returns what to look for; false for a request whose result is not kept.
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

// isSameContext reports whether the authorization context is still that of the lookup: a login
// while the request was sent may have been that of another user.
func (c *resultCache) isSameContext(l *lookup) bool {
	context, named := authorizationContext(c.target)
	return context == l.private.Context && named == l.named
}

// cacheEntry is an entry with its key.
type cacheEntry struct {
	CacheEntry
	key CacheKey
}

// newest returns the newer one of the private and the shared entry.
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

// passed notes the scope of a page.
func (l *lookup) passed(e cacheEntry) { l.note(e.key == l.shared) }

// note notes whether a page is shared, and returns whether it may be.
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

// copied returns a copy of the result of a resource, since what the caller gets refers to
// it. What lists return refers to a copy anyway.
func (l *lookup) copied(result json.RawMessage) json.RawMessage {
	if l.shared.URI == "" {
		return result
	}
	return bytes.Clone(result)
}

// keep puts a result into the cache, if the server allows it and nothing has changed since
// the request was sent.
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

// freshness returns for how long a result may be kept, and whether it may be shared between
// authorization contexts (server/utilities/caching).
func freshness(result json.RawMessage) (ttl time.Duration, public bool) {
	var r reader
	r.report = func(string) {} // those who read the result report it
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

// changed notes that something has changed. It does not wait.
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

// lost notes that notifications may have been missed: what is kept is stale.
func (c *resultCache) lost() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
	c.lostAt = time.Now().Round(0)
}

// flush drops what has changed, in every authorization context. It returns the number of
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

// isOutdated reports whether a change makes a result stale. The URI of an update may be of
// something inside a resource (server/resources).
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

// isAnswer reports whether an error is what the server says to the request, which an older
// result must not hide, or the end of the context of the caller.
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
