package mcp

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/internal/usercode"
)

// This file manages the keys that seal the data which leaves the server and comes back: request
// states, cursors and tasks. Keys of an option do not change. Keys of a [KeySource] are read again
// from time to time by a request that needs them; other requests use the known keys meanwhile.

// KeySource stores the keys of [WithStateKeys] in one place, for several processes that run at the
// same time or one after the other. Its method may be called by many goroutines.
type KeySource interface {
	// StateKeys returns the keys: the first one seals, all of them open. A key stays as long as
	// anything that it has sealed. A server calls StateKeys before it first needs a key, then at
	// most once a minute while it needs keys, and at most once a second if it gets a text that its
	// keys cannot open. After an error the server goes on with the keys that it knows; if it knows
	// none, requests that need a key fail. A request waits for StateKeys for half a second if the
	// server knows keys, for two seconds if these keys did not open a text, and for ten seconds if
	// it knows none.
	StateKeys(ctx context.Context) ([][]byte, error)
}

const (
	keyTime  = time.Minute      // time for which keys of a source are used before they are read again
	keyPause = time.Second      // least time between two reads
	keyWait  = 10 * time.Second // limit of a read

	// If keys are known, a request waits for less: sealKeyWait if it can use them, and openKeyWait
	// if they did not open a text.
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
	own    bool      // the key is random, and only this process knows it

	asking sync.Mutex // held during a read, so that one goroutine at a time reads

	mu    sync.Mutex
	ring  *seal.Keyring // nil before the source returns keys
	asked time.Time     // time of the latest read
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

// read returns the keys. It reads the source if the last read is at least after ago. If keys are
// known, it waits no longer than wait and then returns the known keys; the read goes on.
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
	if ring, fresh = k.known(after); fresh { // another goroutine has read them
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

// ask reads the source. It returns the known keys together with an error of the source. The caller
// has locked asking.
func (k *stateKeys) ask(ctx context.Context) (*seal.Keyring, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keyWait) // other requests need the keys, too
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

// known returns the known keys, and reports whether the source was read within that time.
func (k *stateKeys) known(within time.Duration) (*seal.Keyring, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ring, k.ring != nil && time.Since(k.asked) < within
}
