package mcp

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/internal/usercode"
)

// This file has the keys that seal what leaves the server, and comes back: request states, cursors
// and tasks. Keys of an option do not change. Those of a [KeySource] are read again from time to
// time when a request needs them; the others use the keys of before meanwhile.

// KeySource has the keys of [WithStateKeys] in one place, for several processes or for those that
// follow each other. Its method may be called by many goroutines.
type KeySource interface {
	// StateKeys returns the keys: the first one seals, all of them open. A key stays as long as
	// anything that it has sealed. A server calls it before it first needs a key, then at most
	// once a minute while it needs keys, and once a second if it gets a text of an unknown key.
	// After an error the server goes on with the keys of before; without any, what needs a key
	// fails. A request waits for it for half a second where there are keys of before, for two
	// seconds if those did not open a text, and for ten without any.
	StateKeys(ctx context.Context) ([][]byte, error)
}

const (
	keyTime  = time.Minute      // for which keys of a source are used before it is asked again
	keyPause = time.Second      // between two questions
	keyWait  = 10 * time.Second // for an answer of the source

	// If there are keys of before, a request waits for less: sealKeyWait if those will do, and
	// openKeyWait if they did not open a text.
	sealKeyWait = 500 * time.Millisecond
	openKeyWait = 2 * time.Second
)

var (
	errNoKeys   = errors.New("the source has returned no state key")
	errSlowKeys = errors.New("the source has not answered in time")
)

// stateKeys are the keys of a server.
type stateKeys struct {
	source KeySource // nil if the keys do not change
	own    bool      // the key is random, and that of this process alone

	asking sync.Mutex // held while the source is asked

	mu    sync.Mutex
	ring  *seal.Keyring // nil before the source has returned keys
	asked time.Time     // when the source was asked last
}

// fixedKeys returns keys that do not change.
func fixedKeys(keys [][]byte) *stateKeys {
	ring, err := seal.NewKeyring(keys)
	if err != nil {
		panic("mcp: " + err.Error())
	}
	return &stateKeys{ring: ring, own: len(keys) == 0}
}

// change reports whether the keys may change.
func (k *stateKeys) change() bool { return k.source != nil }

// current returns the keys for sealing.
func (k *stateKeys) current(ctx context.Context) (*seal.Keyring, error) {
	if k.source == nil {
		return k.ring, nil
	}
	return k.read(ctx, keyTime, sealKeyWait)
}

// read returns the keys, and asks the source if it was asked before that time. If there are keys of
// before, it returns those after a wait, and the source may answer later.
func (k *stateKeys) read(ctx context.Context, after, wait time.Duration) (*seal.Keyring, error) {
	ring, fresh := k.known(after)
	if fresh {
		return ring, nil
	}
	if ring == nil {
		k.asking.Lock()
	} else if !k.asking.TryLock() {
		return ring, nil
	}
	if ring, fresh = k.known(after); fresh { // another goroutine has asked
		k.asking.Unlock()
		return ring, nil
	}
	if ring == nil {
		defer k.asking.Unlock()
		return k.ask(ctx)
	}
	type answer struct {
		ring *seal.Keyring
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		defer k.asking.Unlock()
		ring, err := k.ask(ctx)
		answered <- answer{ring, err}
	}()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case a := <-answered:
		return a.ring, a.err
	case <-timer.C:
		return ring, errSlowKeys
	}
}

// ask asks the source, and returns the keys of before with its error. The caller has locked asking.
func (k *stateKeys) ask(ctx context.Context) (*seal.Keyring, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keyWait) // that of a round has ended
	defer cancel()
	var read *seal.Keyring
	err := usercode.Within(ctx, "the source of state keys", func() error {
		keys, err := k.source.StateKeys(ctx)
		if err == nil && len(keys) == 0 {
			err = errNoKeys
		}
		if err == nil {
			read, err = seal.NewKeyring(keys)
		}
		return err
	})
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil {
		k.ring = read
	}
	if k.ring == nil {
		return nil, err
	}
	k.asked = time.Now()
	return k.ring, err
}

// known returns the keys that are known, and reports whether the source was asked within that time.
func (k *stateKeys) known(within time.Duration) (*seal.Keyring, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ring, k.ring != nil && time.Since(k.asked) < within
}
