package mcplogin

import (
	"bytes"
	"context"
	"sync"
)

// Store stores the tokens and registrations of logins. Values are secrets; keys are not. Its
// methods must be safe for concurrent use.
//
// A Store belongs to one user: its tokens let a program act as that user. Programs with several
// users need one Store for each.
type Store interface {
	// Get returns the value of a key, or nil if it does not exist.
	Get(ctx context.Context, key string) ([]byte, error)
	// Put sets the value of a key; nil deletes it. After it has returned nil, the value must
	// survive a crash: a replaced refresh token cannot be used any more.
	Put(ctx context.Context, key string, value []byte) error
	// Lock waits until no other user of the Store, in this process or another one, has locked the
	// key, or until ctx is done. A key remains locked while a person logs in.
	Lock(ctx context.Context, key string) (unlock func(), err error)
}

// MemoryStore returns a Store in memory, for the lifetime of the process.
func MemoryStore() Store { return &memoryStore{values: map[string][]byte{}} }

type memoryStore struct {
	Locks
	mu     sync.Mutex
	values map[string][]byte
}

func (m *memoryStore) Get(_ context.Context, key string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return bytes.Clone(m.values[key]), nil
}

func (m *memoryStore) Put(_ context.Context, key string, value []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if value == nil {
		delete(m.values, key)
	} else {
		m.values[key] = bytes.Clone(value)
	}
	return nil
}

// Locks implements the Lock method of a [Store] that only one process uses. Its zero value is
// ready; embed it.
type Locks struct {
	mu     sync.Mutex
	locked map[string]chan struct{} // closed when the key is unlocked
}

// Lock implements [Store].
func (l *Locks) Lock(ctx context.Context, key string) (unlock func(), err error) {
	for {
		l.mu.Lock()
		wait, locked := l.locked[key]
		if !locked {
			if l.locked == nil {
				l.locked = map[string]chan struct{}{}
			}
			done := make(chan struct{})
			l.locked[key] = done
			l.mu.Unlock()
			return sync.OnceFunc(func() {
				l.mu.Lock()
				delete(l.locked, key)
				l.mu.Unlock()
				close(done)
			}), nil
		}
		l.mu.Unlock()
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
