package mcpissuer

import "time"

// What an issuer keeps at most. When one more comes, the oldest one goes; but no proof and no
// assertion is forgotten before its time.
const (
	maxClients    = 1000   // that have registered themselves, and have a secret or a key
	maxDocuments  = 1000   // metadata documents
	maxTickets    = 1000   // pages that wait for a decision
	maxCodes      = 1000   // authorization codes
	maxRefreshes  = 10_000 // refresh tokens, also used ones
	maxTokens     = 10_000 // access tokens
	maxProofs     = 10_000 // DPoP proofs
	maxAssertions = 10_000 // of clients
)

// table keeps values for a time, and not more than a number of them. All values of a table are
// kept equally long, so that the oldest one is the next to expire. The lock is the issuer's.
type table[V any] struct {
	most  int
	keep  time.Duration
	byKey map[string]*entry[V]
	order []*entry[V] // the oldest first, at most as many as most; those that were deleted are not in byKey
}

type entry[V any] struct {
	key   string
	value V
	until time.Time
}

func newTable[V any](most int, keep time.Duration) table[V] {
	return table[V]{most: most, keep: keep, byKey: map[string]*entry[V]{}}
}

// put adds a value.
func (t *table[V]) put(key string, value V) {
	t.clean()
	for len(t.order) >= t.most {
		t.dropFirst()
	}
	e := &entry[V]{key, value, time.Now().Add(t.keep)}
	t.byKey[key] = e
	t.order = append(t.order, e)
}

// get returns a value whose time is not over.
func (t *table[V]) get(key string) (value V, ok bool) {
	if e := t.byKey[key]; e != nil && time.Now().Before(e.until) {
		return e.value, true
	}
	return value, false
}

// take returns a value, and removes it.
func (t *table[V]) take(key string) (value V, ok bool) {
	value, ok = t.get(key)
	delete(t.byKey, key)
	return value, ok
}

// add adds a key that is not there. It reports false if it is, or if there is no room: nothing
// is forgotten before its time.
func (t *table[V]) add(key string, value V) bool {
	t.clean()
	if _, there := t.get(key); there || len(t.order) >= t.most {
		return false
	}
	t.put(key, value)
	return true
}

// clean forgets what has expired or was deleted.
func (t *table[V]) clean() {
	now := time.Now()
	for len(t.order) > 0 {
		if e := t.order[0]; t.byKey[e.key] == e && now.Before(e.until) {
			return
		}
		t.dropFirst()
	}
}

func (t *table[V]) dropFirst() {
	e := t.order[0]
	t.order[0] = nil
	t.order = t.order[1:]
	if t.byKey[e.key] == e {
		delete(t.byKey, e.key)
	}
}
