package mcp_test

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// keySource is a source whose keys and error a test changes.
type keySource struct {
	mu    sync.Mutex
	keys  [][]byte
	err   error
	asked int
	delay time.Duration
}

func (k *keySource) StateKeys(ctx context.Context) ([][]byte, error) {
	k.mu.Lock()
	k.asked++
	keys, err, delay := k.keys, k.err, k.delay
	k.mu.Unlock()
	select {
	case <-time.After(delay):
		return keys, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// slow sets the delay of the source.
func (k *keySource) slow(delay time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.delay = delay
}

// set sets the result of the source, and returns the number of reads before.
func (k *keySource) set(err error, keys ...[]byte) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keys, k.err = keys, err
	asked := k.asked
	k.asked = 0
	return asked
}

var oldKey, newKey = bytes.Repeat([]byte("o"), 32), bytes.Repeat([]byte("n"), 32)

// Keys of a source are shared, and change while servers run: a state that another server sealed
// with a key that is new to this server is opened.
func TestStateKeySource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := &keySource{keys: [][]byte{oldKey}}
		shared := mcp.WithStateKeySource(source)
		here := asker(t, newTalk(quiet, shared))
		state := stateOf(t, here(modernTalk(1, "named", "")))
		source.set(nil, newKey, oldKey)
		there := asker(t, newTalk(quiet, shared))
		if got := there(retry(2, "named", "sure", state)); !strings.Contains(got, "accepttrue") {
			t.Errorf("an old state: %s", got)
		}
		state = stateOf(t, there(modernTalk(3, "named", "")))
		time.Sleep(time.Second)
		if got := here(retry(4, "named", "sure", state)); !strings.Contains(got, "accepttrue") {
			t.Errorf("a new state: %s", got)
		}
	})
}

// A source is read once a minute, and not more than once a second for texts that the keys do not
// open.
func TestStateKeySourceIsAskedSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := &keySource{keys: [][]byte{oldKey}}
		ask := asker(t, newTalk(quiet, mcp.WithStateKeySource(source)))
		for range 5 {
			ask(modernTalk(1, "named", ""))
		}
		if n := source.set(nil, oldKey); n != 1 {
			t.Errorf("asked %d times at first", n)
		}
		time.Sleep(time.Minute)
		for range 5 {
			ask(modernTalk(1, "named", ""))
		}
		if n := source.set(nil, oldKey); n != 1 {
			t.Errorf("asked %d times after a minute", n)
		}
		for range 20 {
			if got := ask(retry(2, "named", "sure", "AQAAAAA")); !strings.Contains(got, `"code":-32602`) {
				t.Error(got)
			}
			time.Sleep(100 * time.Millisecond)
		}
		if n := source.set(nil, oldKey); n < 1 || n > 3 {
			t.Errorf("asked %d times in two seconds", n)
		}
	})
}

// Without keys, requests that need one fail; an error after that changes nothing. Error messages
// stay in the log.
func TestStateKeySourceFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := new(keySource)
		ask := asker(t, newTalk(quiet, mcp.WithStateKeySource(source)))
		for _, err := range []error{errors.New("secret cause"), nil} {
			source.set(err)
			got := ask(modernTalk(1, "named", ""))
			if !strings.Contains(got, `{"code":-32603,"message":"the state keys cannot be read","data":{"reason":"state keys"}}`) {
				t.Errorf("%v: %s", err, got)
			}
		}
		source.set(nil, oldKey[:5])
		if got := ask(modernTalk(1, "named", "")); !strings.Contains(got, `"reason":"state keys"`) {
			t.Errorf("a short key: %s", got)
		}
		source.set(nil, oldKey)
		stateOf(t, ask(modernTalk(1, "named", "")))
		source.set(errors.New("down"))
		time.Sleep(2 * time.Minute)
		state := stateOf(t, ask(modernTalk(2, "named", "")))
		if got := ask(retry(3, "named", "sure", state)); !strings.Contains(got, "accepttrue") {
			t.Errorf("with the keys of before: %s", got)
		}
	})
}

// A slow source, such as an unreachable store, delays one request in a minute, for half a second,
// if the known keys suffice. Its result is used when it arrives.
func TestSlowStateKeySource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := &keySource{keys: [][]byte{oldKey}}
		ask := asker(t, newTalk(quiet, mcp.WithStateKeySource(source)))
		within := func(want time.Duration) (state string) {
			t.Helper()
			begin := time.Now()
			state = stateOf(t, ask(modernTalk(1, "named", "")))
			if d := time.Since(begin); d != want {
				t.Errorf("took %v, want %v", d, want)
			}
			return state
		}
		within(0)
		source.set(nil, newKey, oldKey)
		source.slow(time.Hour) // it gives up when its context is cancelled
		time.Sleep(2 * time.Minute)
		within(500 * time.Millisecond)
		within(0) // the source is still being read
		time.Sleep(15 * time.Second)
		within(0)
		source.slow(5 * time.Second)
		time.Sleep(2 * time.Minute)
		within(500 * time.Millisecond)
		time.Sleep(10 * time.Second)
		source.set(errors.New("down"))
		state := within(0) // sealed with the new key
		source.slow(0)
		if other := asker(t, newTalk(quiet, mcp.WithStateKeys(newKey))); !strings.Contains(other(retry(3, "named", "sure", state)), "accepttrue") {
			t.Error("the state is not of the key that came late")
		}
	})
}

// Cursors depend on the keys: a page that was written with an old key is not reused.
func TestCursorsOfAKeySource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := &keySource{keys: [][]byte{oldKey}}
		client := connect(t, newLibrary(quiet, mcp.WithLimits(mcp.Limits{PageSize: 2}), mcp.WithStateKeySource(source)))
		first := between(t, client(request(1, "prompts/list", "{}")), `"nextCursor":"`, `"`)
		source.set(nil, newKey)
		time.Sleep(time.Minute)
		second := between(t, client(request(2, "prompts/list", "{}")), `"nextCursor":"`, `"`)
		if first == second {
			t.Error("the cursor is that of the key of before")
		}
		if got := client(request(3, "prompts/list", `{"cursor":"`+second+`"}`)); !strings.Contains(got, `"result"`) {
			t.Error(got)
		}
		if got := client(request(4, "prompts/list", `{"cursor":"`+first+`"}`)); !strings.Contains(got, "unknown cursor") {
			t.Error(got)
		}
	})
}

// badSource fails as code of users can.
type badSource struct{ fail func() }

func (b badSource) StateKeys(context.Context) ([][]byte, error) { b.fail(); return nil, nil }

// A source that panics, or exits its goroutine, fails the request and nothing else.
func TestStateKeySourcePanics(t *testing.T) {
	for name, fail := range map[string]func(){"panic": func() { panic("at the disco") }, "Goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			ask := asker(t, newTalk(quiet, mcp.WithStateKeySource(badSource{fail})))
			for range 2 { // no lock is held
				if got := ask(modernTalk(1, "named", "")); !strings.Contains(got, `"reason":"state keys"`) || strings.Contains(got, "disco") {
					t.Errorf("%s", got)
				}
			}
		})
	}
}
