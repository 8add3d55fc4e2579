package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
)

// consumedBytes is the documented size of a used state.
const consumedBytes = 256

// TestSharesOfStateStore has one client use as many states as it may. States of other clients are
// accepted, and states of the first client again after its states have expired.
func TestSharesOfStateStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newLocalStore()
		at := func(last byte) context.Context {
			from := &engine.Caller{Addressed: true, Client: clientlimit.Of("", netip.AddrFrom4([4]byte{10, 0, 0, last}))}
			return context.WithValue(t.Context(), exchangeKey{}, &exchange{Exchange: engine.Exchange{From: *from}})
		}
		use := func(ctx context.Context, from, count int) {
			for i := range count {
				if first, err := s.Consume(ctx, fmt.Sprintf("%026d", from+i), time.Now().Add(time.Hour)); !first || err != nil {
					t.Fatalf("state %d: %v, %v", i, first, err)
				}
			}
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		use(at(1), 0, maxConsumedEach)
		runtime.GC()
		runtime.ReadMemStats(&after)
		if each := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / maxConsumedEach; each > consumedBytes {
			t.Errorf("each state takes %d bytes", each)
		}
		if _, err := s.Consume(at(1), "one more", time.Now().Add(time.Hour)); !errors.Is(err, errStoreFull) {
			t.Errorf("one more of the client: %v", err)
		}
		if first, err := s.Consume(at(1), fmt.Sprintf("%026d", 7), time.Now().Add(time.Hour)); first || err != nil {
			t.Errorf("a used state: %v, %v", first, err)
		}
		for client := range 3 {
			use(at(byte(2+client)), (1+client)*maxConsumedEach, maxConsumedEach)
		}
		if _, err := s.Consume(at(9), "one more", time.Now().Add(time.Hour)); !errors.Is(err, errStoreFull) {
			t.Errorf("one more of all: %v", err)
		}
		time.Sleep(time.Hour + time.Minute)
		use(at(1), 0, maxConsumedEach)
	})
}

// The store has a limit for all clients together, also without an address.
func TestLocalStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newLocalStore()
		consume := func(id string, life time.Duration) (bool, error) {
			return s.Consume(t.Context(), id, time.Now().Add(life))
		}
		for i := range maxConsumed {
			if first, err := consume(fmt.Sprint(i), time.Hour); !first || err != nil {
				t.Fatal(first, err)
			}
		}
		if first, err := consume("7", time.Hour); first || err != nil {
			t.Errorf("a used one: %v, %v", first, err)
		}
		if _, err := consume("one more", time.Hour); err == nil {
			t.Error("it stores any number")
		}
		time.Sleep(2 * time.Hour)
		if first, err := consume("one more", time.Hour); !first || err != nil {
			t.Errorf("after they have expired: %v, %v", first, err)
		}
	})
}

// If the clock is set back, a state cannot be used a second time, although the store has removed
// it.
func TestStateStoreClockSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newLocalStore()
		consume := func(id string, expires time.Time) bool {
			first, err := s.Consume(t.Context(), id, expires)
			if err != nil {
				t.Error(err)
			}
			return first
		}
		end := time.Now().Add(time.Minute)
		if !consume("a", end) {
			t.Error("the first use is refused")
		}
		time.Sleep(time.Hour) // or the clock is set forward
		if !consume("b", time.Now().Add(time.Minute)) {
			t.Error("another state is refused")
		}
		// The clock is set back by an hour: the first state has not expired again.
		if consume("a", end) || !consume("c", end.Add(time.Second)) {
			t.Error("the first state is taken twice, or a later one is refused")
		}
	})
}
