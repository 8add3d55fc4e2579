package mcpclient

import (
	"encoding/json"
	"sync"
	"time"
)

// CacheKey names a cached result.
type CacheKey struct {
	Target  string // a digest of the target
	Context string // the authorization context; "" for a result that may be shared between contexts
	Method  string
	URI     string // of the resource, "" for lists
	Params  string // a digest of all parameters, and of the capabilities of the client
}

// CacheEntry is a cached result.
type CacheEntry struct {
	Result json.RawMessage
	At     time.Time // when it was received
	Until  time.Time // the entry is stale from then on: at most 24 hours later
}

// Cache keeps results that a server allows clients to cache (server/utilities/caching): single
// pages of lists, and resources. Several goroutines may call it, and several clients may share it;
// they then share public results. Its methods must not use a client. A client does not modify a
// result that it gets. Before its next request it drops the results that the server has reported as
// changed.
//
// A private result belongs to one authorization context: all callers that send the same
// credentials, no matter how. The context of a target is known only if the source of every
// credential is known. Otherwise the client caches no private result: with a function that dials,
// with an Authorizer without CacheKey, with a Client that has a Jar or a Transport, with
// tls.Config.GetClientCertificate or ClientSessionCache, and with the fields InheritEnv and Prepare
// of a Command.
//
// Without Options.Cache each client has its own cache of [Limits.CacheBytes] and 512 entries.
type Cache interface {
	Get(CacheKey) (CacheEntry, bool)
	Put(CacheKey, CacheEntry)
	Drop(which func(CacheKey) bool)
}

// NewCache returns a cache in memory that clients can share. It holds up to the given number of
// entries, and up to the given number of bytes of results and keys. 0 means 512 entries, and the
// default of [Limits.CacheBytes]. It evicts the least recently used entry first, and does not
// return an entry older than a day.
func NewCache(bytes, entries int) Cache {
	if entries <= 0 {
		entries = defaultEntries
	}
	l := Limits{CacheBytes: bytes}.withDefaults()
	return &memoryCache{kept: newLRU[CacheKey, CacheEntry](entries, l.CacheBytes)}
}

type memoryCache struct {
	mu   sync.Mutex
	kept *lru[CacheKey, CacheEntry]
}

// cacheTime is the maximum age of a cached result.
const cacheTime = 24 * time.Hour

func (m *memoryCache) Get(key CacheKey) (CacheEntry, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.kept.get(key)
	if ok && time.Since(e.At) >= cacheTime {
		m.kept.remove(key)
		return CacheEntry{}, false
	}
	return e, ok
}

// entrySize is the memory of an entry without its strings.
const entrySize = 400

func (m *memoryCache) Put(key CacheKey, e CacheEntry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	size := len(e.Result) + len(key.Target) + len(key.Context) + len(key.Method) + len(key.URI) + len(key.Params)
	m.kept.put(key, e, size+entrySize)
}

func (m *memoryCache) Drop(which func(CacheKey) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept.removeWhere(which)
}
