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
	URI     string // of the resource that was read, "" for lists
	Params  string // a digest of all parameters, and of the capabilities of the client
}

// CacheEntry is a cached result.
type CacheEntry struct {
	Result json.RawMessage
	At     time.Time // when it was received
	Until  time.Time // from when on it is stale: at most 24 hours later
}

// Cache keeps results that a server allows to be kept (server/utilities/caching): lists, each
// page for itself, and resources. It may be used by many goroutines, and by several clients,
// which share results that are public. Its methods must not use a client. A client changes
// no result that it gets, and drops those that a server says have changed before its next
// request.
//
// A private result belongs to an authorization context: to those who send the same credentials,
// in whatever way. The context of a target is known only if each way is. Otherwise nothing private
// is kept: with a function that dials, with an Authorizer without CacheKey, with a Client that has a Jar
// or a Transport, with tls.Config.GetClientCertificate or ClientSessionCache, and with the fields
// InheritEnv and Prepare of a Command.
//
// Without Options.Cache each client has a cache of its own, of [Limits.CacheBytes]
// and 512 entries.
type Cache interface {
	Get(CacheKey) (CacheEntry, bool)
	Put(CacheKey, CacheEntry)
	Drop(which func(CacheKey) bool)
}

// NewCache returns a cache in memory, to share between clients: of that many entries, and of
// that many bytes of results and keys. With 0 these are 512, and the default of [Limits.CacheBytes].
// The least recently used entry goes first, and one of more than a day is not returned.
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

// cacheTime is how long a result is kept at most.
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

// entrySize is what an entry takes besides its texts.
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
