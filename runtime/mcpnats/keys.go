package mcpnats

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// StateKeys returns a source of state keys for all replicas. A new key is created each day. It
// opens states immediately, and seals them after a minute, when all replicas have read it. A key
// opens states for [keyLife]; states that live longer, such as session records, are sealed again
// before that. The keys are encrypted with the secret of [WithSecret].
func (c *Cluster) StateKeys() mcp.KeySource { return stateKeys{c} }

type stateKeys struct{ *Cluster }

const (
	keyPeriod = 24 * time.Hour               // lifetime of a sealing key
	keyDelay  = time.Minute + 10*time.Second // delay before a key seals; servers read keys once a minute
	keyLife   = 7 * 24 * time.Hour           // time for which a key opens states
	keyBytes  = 32
)

// stateKey is a stored key.
type stateKey struct {
	Created time.Time `json:"created"` // in the majority's time
	Key     []byte    `json:"key"`
}

// keyPurpose is the purpose in the encryption of the keys.
const keyPurpose = "state keys"

// StateKeys implements [mcp.KeySource].
func (s stateKeys) StateKeys(ctx context.Context) ([][]byte, error) {
	for {
		keys, version, err := s.load(ctx)
		if err != nil {
			return nil, err
		}
		now := s.clock.time()
		next := renewKeys(keys, now)
		if next == nil {
			return sealingFirst(keys, now), nil
		}
		text, err := json.Marshal(next)
		if err != nil {
			return nil, err
		}
		ring, err := s.ring()
		if err != nil {
			return nil, err
		}
		_, err = s.writeOne(ctx, s.keys, s.subject("keys", "all"), version, 0, ring.SealBytes(keyPurpose, text))
		switch {
		case err == nil:
			return sealingFirst(next, now), nil
		case !wrongSequence(err): // another replica has created the key
			return nil, err
		}
	}
}

// ring returns a keyring with the secret.
func (s stateKeys) ring() (*seal.Keyring, error) { return seal.NewKeyring([][]byte{s.secret}) }

// load reads the keys, or none if none exist yet.
func (s stateKeys) load(ctx context.Context) (keys []stateKey, version uint64, err error) {
	m, err := s.last(ctx, s.keys, s.subject("keys", "all"))
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return nil, 0, nil
	case err != nil:
		return nil, 0, err
	}
	ring, err := s.ring()
	if err != nil {
		return nil, 0, err
	}
	text, ok := ring.OpenBytes(keyPurpose, m.Data)
	if !ok {
		return nil, 0, fmt.Errorf("mcpnats: the state keys of %q are encrypted with another secret", s.name)
	}
	if err := json.Unmarshal(text, &keys); err != nil {
		return nil, 0, fmt.Errorf("mcpnats: state keys: %w", err)
	}
	return keys, m.Sequence, nil
}

// renewKeys returns the keys with a new one in front and without expired ones, or nil if no new key
// is due. A key with a future date, created under a wrong clock, does not delay that: it is treated
// as a current key, which all replicas have.
func renewKeys(keys []stateKey, now time.Time) []stateKey {
	if len(keys) > 0 {
		if age := now.Sub(keys[0].Created); age < keyPeriod && age > -maxSkew {
			return nil
		}
	}
	key := make([]byte, keyBytes)
	rand.Read(key) // never fails
	next := append([]stateKey{{now, key}}, keys...)
	for i := range next[1:] {
		if k := &next[1+i]; k.Created.After(now) {
			k.Created = now.Add(-keyDelay)
		}
	}
	return slices.DeleteFunc(next, func(k stateKey) bool { return now.Sub(k.Created) >= keyLife })
}

// sealingFirst returns the keys with the sealing key in front: the newest that all replicas have.
func sealingFirst(keys []stateKey, now time.Time) (texts [][]byte) {
	first := max(0, slices.IndexFunc(keys, func(k stateKey) bool { return now.Sub(k.Created) >= keyDelay }))
	texts = append(texts, keys[first].Key)
	for i, k := range keys {
		if i != first {
			texts = append(texts, k.Key)
		}
	}
	return texts
}
