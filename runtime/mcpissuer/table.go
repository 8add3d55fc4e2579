package mcpissuer

import "time"

// Limits of the issuer's tables. A full table drops its oldest entry; proofs and assertions are
// never dropped before they expire.
const (
	maxClients    = 1000   // registered clients with a secret or a key
	maxDocuments  = 1000   // metadata documents
	maxTickets    = 1000   // pages waiting for a decision
	maxCodes      = 1000   // authorization codes
	maxRefreshes  = 10_000 // including used ones
	maxTokens     = 10_000 // access tokens
	maxProofs     = 10_000 // DPoP proofs
	maxAssertions = 10_000 // of clients
)

// table stores values for a limited time, and limits their number. All values of a table have the
// same lifetime, so that the oldest one expires next. The issuer's lock guards it.
type table[V any] struct {
	most  int
	keep  time.Duration
	byKey map[string]*entry[V]
	order []*entry[V] // oldest first, limited by most; deleted ones are not in byKey
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

// get returns a value that has not expired.
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

// add adds a new key. It reports whether it did: it returns false if the key exists, or the table
// is full, since add drops nothing before it expires.
func (t *table[V]) add(key string, value V) bool {
	t.clean()
	if _, there := t.get(key); there || len(t.order) >= t.most {
		return false
	}
	t.put(key, value)
	return true
}

// clean removes expired and deleted values.
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
