package mcplogin

import (
	"bytes"
	"context"
	"sync"
)

// Store has the tokens and registrations of logins. Values are secrets; keys are not. Its
// methods may be called by many goroutines.
//
// A Store is that of one user: its tokens let a program act as that user. Programs with several
// users have one for each.
type Store interface {
	// Get returns the value of a key, nil if there is none.
	Get(ctx context.Context, key string) ([]byte, error)
	// Put sets the value of a key; nil deletes it. What it returns nil for must be there after a
	// crash: a refresh token that was replaced cannot be used any more.
	Put(ctx context.Context, key string, value []byte) error
	// Lock waits until no other user of the Store has locked the key, in this process or another
	// one, or until ctx ends. A key stays locked while a person logs in.
	Lock(ctx context.Context, key string) (unlock func(), err error)
}

// MemoryStore returns a Store for the time of the process.
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

// Locks is the Lock of a [Store] that only one process uses. Its zero value is ready; embed it.
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
