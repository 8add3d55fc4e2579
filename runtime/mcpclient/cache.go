package mcpclient

import (
	"encoding/json"
	"time"
)

// CacheKey names a cached result.
type CacheKey struct {
	Target  string // Target.Key without the authorization context
	Context string // the authorization context; "" for a result that may be shared between contexts
	Method  string
	Params  string // a digest
}

// CacheEntry is a cached result.
type CacheEntry struct {
	Result json.RawMessage
	URI    string    // of a resource
	Until  time.Time // from when on it is stale
}

// Cache keeps results that a server allows to be kept (server/utilities/caching). It may
// be used by many goroutines, and by several clients.
type Cache interface {
	Get(CacheKey) (CacheEntry, bool)
	Put(CacheKey, CacheEntry)
	Drop(which func(CacheKey) bool)
}
