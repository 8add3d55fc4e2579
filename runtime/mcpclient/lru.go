package mcpclient

import "container/list"

// lru stores values by key, within a number of entries and of bytes. It evicts the least recently
// used entry first. It is not safe for concurrent use.
type lru[K comparable, V any] struct {
	entries, bytes int // limits
	used           int // bytes
	items          map[K]*list.Element
	order          list.List // the most recently used first
}

type lruItem[K comparable, V any] struct {
	key   K
	value V
	size  int
}

func newLRU[K comparable, V any](entries, bytes int) *lru[K, V] {
	return &lru[K, V]{entries: entries, bytes: bytes, items: map[K]*list.Element{}}
}

func (l *lru[K, V]) get(key K) (value V, ok bool) {
	e := l.items[key]
	if e == nil {
		return value, false
	}
	l.order.MoveToFront(e)
	return e.Value.(*lruItem[K, V]).value, true
}

// put replaces the value of a key. It does not store a value that exceeds the limit alone.
func (l *lru[K, V]) put(key K, value V, size int) {
	l.remove(key)
	if size > l.bytes || l.entries <= 0 {
		return
	}
	l.items[key] = l.order.PushFront(&lruItem[K, V]{key, value, size})
	l.used += size
	for l.used > l.bytes || len(l.items) > l.entries {
		l.remove(l.order.Back().Value.(*lruItem[K, V]).key)
	}
}

func (l *lru[K, V]) remove(key K) {
	if e := l.items[key]; e != nil {
		l.used -= l.order.Remove(e).(*lruItem[K, V]).size
		delete(l.items, key)
	}
}

// removeWhere removes the keys for which the function returns true.
func (l *lru[K, V]) removeWhere(which func(K) bool) {
	for key := range l.items {
		if which(key) {
			l.remove(key)
		}
	}
}
