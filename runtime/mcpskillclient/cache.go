package mcpskillclient

import (
	"bytes"
	"container/list"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
)

// CacheKey names a file: by the skill that it belongs to, and the digest of its content. Skills of
// different servers share no file, even if the content is the same.
type CacheKey struct {
	ID     ID
	Digest string // sha256: and 64 hexadecimal digits
}

// Cache stores verified files. Several goroutines may call its methods, and several clients may
// share it. A [Client] compares each file that it gets with its entry again, so a cache need not
// protect its content.
type Cache interface {
	// Get returns a file that the caller may modify, or nil if the cache does not contain it.
	Get(CacheKey) ([]byte, error)
	// Put stores a file. The caller may modify data afterwards.
	Put(key CacheKey, data []byte) error
	// Drop removes the files of a server, as a host does when the user removes the server.
	Drop(server string) error
}

// defaultCacheBytes limits a cache without a limit of its own: four of the largest skills.
const defaultCacheBytes = 4 * MaxBytes

// fileOverhead is the memory of a cached file without its bytes.
const fileOverhead = 400

// NewMemoryCache returns a cache in memory of up to a number of bytes, keys included. 0 means 64
// MiB. It removes the file that was not used for the longest time first.
func NewMemoryCache(bytes int) Cache {
	if bytes <= 0 {
		bytes = defaultCacheBytes
	}
	return &memoryCache{limit: bytes, files: map[CacheKey]*list.Element{}}
}

type memoryCache struct {
	limit int

	mu    sync.Mutex
	used  int
	files map[CacheKey]*list.Element
	order list.List // of *cachedFile, the last used first
}

type cachedFile struct {
	key  CacheKey
	data []byte
}

func (f *cachedFile) size() int {
	return len(f.data) + len(f.key.ID.Server) + len(f.key.ID.URI) + len(f.key.Digest) + fileOverhead
}

func (m *memoryCache) Get(key CacheKey) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at, ok := m.files[key]
	if !ok {
		return nil, nil
	}
	m.order.MoveToFront(at)
	return append([]byte{}, at.Value.(*cachedFile).data...), nil
}

func (m *memoryCache) Put(key CacheKey, data []byte) error {
	f := &cachedFile{key, bytes.Clone(data)}
	m.mu.Lock()
	defer m.mu.Unlock()
	if at, ok := m.files[key]; ok {
		m.remove(at)
	}
	if f.size() > m.limit {
		return nil // it is read from the server each time
	}
	m.files[key] = m.order.PushFront(f)
	for m.used += f.size(); m.used > m.limit; {
		m.remove(m.order.Back())
	}
	return nil
}

func (m *memoryCache) Drop(server string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, at := range m.files {
		if key.ID.Server == server {
			m.remove(at)
		}
	}
	return nil
}

func (m *memoryCache) remove(at *list.Element) {
	f := m.order.Remove(at).(*cachedFile)
	delete(m.files, f.key)
	m.used -= f.size()
}

// serverFolder returns the name of the folder for a server, from which its name can be read: other
// characters than lower-case letters, digits and hyphens are written as % and two hexadecimal
// digits, since some file systems ignore case.
func serverFolder(server string) string {
	var b strings.Builder
	b.WriteString("server-")
	for _, c := range []byte(server) {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02x", c)
	}
	return b.String()
}

// skillFolder returns the name of the folder for a skill.
func skillFolder(uri string) string {
	sum := sha256.Sum256([]byte(uri))
	return "skill-" + hex.EncodeToString(sum[:])
}
