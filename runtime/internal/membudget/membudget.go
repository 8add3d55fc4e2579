// Package membudget counts the memory that a server uses for its clients, against one limit for all
// connections and transports.
//
// It counts storage: a slice by its capacity. An owner reserves storage before it allocates (Take).
// If the limit is reached, the budget first evicts cached items, the oldest first, and then
// refuses. A copy of charged storage is charged in any case (Force) if the charge of the original
// is released at once.
package membudget

import (
	"container/heap"
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/turns"
)

// Budget is the memory that one server may use for clients. All methods may be called by several
// goroutines. Take, TakeControl, Trim, Enter and Unlist must not be called by a goroutine that
// holds a lock of a [Holder]. The methods of a nil budget allow everything.
type Budget struct {
	limit   int64 // for everything
	share   int64 // the part of limit that only control messages may use
	used    atomic.Int64
	control atomic.Int64 // used by control messages
	clock   atomic.Uint64
	waiting atomic.Int32 // callers that wait for a place
	places  *turns.Places[any]

	shedding sync.Mutex // held while a holder evicts an item
	listing  sync.Mutex
	holders  holders
}

// controlShare is the part of the limit that only control messages may use.
const controlShare = 32

// New returns a budget of limit bytes. places limits the replies that exceed it at the same time;
// see [Budget.Enter].
func New(limit int64, places int) *Budget {
	b := &Budget{limit: limit, share: limit / controlShare, places: turns.New[any](places, max(places-1, 1), math.MaxInt)}
	b.places.While(func() bool { return b.used.Load() <= b.general() })
	return b
}

// Take reserves n bytes. It returns false if the limit does not allow them.
func (b *Budget) Take(n int) bool {
	if b == nil {
		return true
	}
	size := int64(n)
	for {
		used := b.used.Load()
		switch most := b.general(); {
		case used+size > most:
			if size > most || !b.shed() {
				return false
			}
		case b.used.CompareAndSwap(used, used+size):
			return true
		}
	}
}

// TakeControl is like Take for the memory that every small message needs, including a ping or a
// cancellation: a part of the budget is reserved for them, even while the rest is exceeded.
// ReleaseControl releases the memory.
func (b *Budget) TakeControl(n int) bool {
	if b == nil {
		return true
	}
	for {
		control := b.control.Add(int64(n))
		if control <= b.share || b.used.Load()+control <= b.limit {
			return true
		}
		b.control.Add(int64(-n))
		if !b.shed() {
			return false
		}
	}
}

// ReleaseControl releases n bytes that TakeControl has reserved.
func (b *Budget) ReleaseControl(n int) {
	if b != nil {
		b.control.Add(int64(-n))
	}
}

// general returns the part of the limit for everything but control messages.
func (b *Budget) general() int64 { return b.limit - max(b.share, b.control.Load()) }

// Force charges n bytes, even beyond the limit.
func (b *Budget) Force(n int) {
	if b != nil {
		b.used.Add(int64(n))
	}
}

// Release releases bytes.
func (b *Budget) Release(n int) {
	if b == nil {
		return
	}
	b.used.Add(int64(-n))
	if b.waiting.Load() > 0 {
		b.admit()
	}
}

// Trim evicts cached items as long as the charge exceeds the limit.
func (b *Budget) Trim() {
	if b == nil {
		return
	}
	for b.used.Load() > b.general() && b.shed() {
	}
}

// Used returns the charged bytes.
func (b *Budget) Used() int64 {
	if b == nil {
		return 0
	}
	return b.used.Load() + b.control.Load()
}

// Short reports whether the charge has reached the limit.
func (b *Budget) Short() bool {
	return b != nil && b.used.Load() >= b.general()
}

// Enter takes one of the places for replies that exceed the budget. While the budget is exceeded it
// grants no place, so the charge stays below the limit plus the size of as many replies as there
// are places. One client can take all places but one, and several clients take turns; a client is
// any comparable value. Enter waits until ctx is cancelled, for at most the duration within, and
// reports whether it got a place. Leave gives the place back.
//
// While a reply has a place, it may wait for its own client only.
func (b *Budget) Enter(ctx context.Context, client any, within time.Duration) bool {
	if b == nil {
		return true
	}
	b.Trim()
	b.waiting.Add(1) // before places looks at the charge, so that a later release calls admit
	defer b.waiting.Add(-1)
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return b.places.Enter(ctx, client) == nil
}

// Leave gives a place of a client back.
func (b *Budget) Leave(client any) {
	if b != nil {
		b.places.Leave(client)
	}
}

// admit grants places to waiting callers.
func (b *Budget) admit() { b.places.Admit() }

// Holder caches items that can be evicted, in the order of their ages.
type Holder interface {
	// Shed evicts the oldest item, and releases its charge, unless the item is newer than age. It
	// returns the age of the oldest item that is left, and whether there is one.
	Shed(age uint64) (oldest uint64, more bool)
}

// Age returns a number for a newly cached item, larger than all before.
func (b *Budget) Age() uint64 {
	if b == nil {
		return 0
	}
	return b.clock.Add(1)
}

// List registers a holder whose oldest item has the given age. It stays registered until its Shed
// returns false; until then it must not be registered again.
func (b *Budget) List(h Holder, age uint64) {
	if b == nil {
		return
	}
	b.listing.Lock()
	defer b.listing.Unlock()
	heap.Push(&b.holders, listed{h, age})
}

// Unlist removes a holder for good: it must not be registered again. The caller must not hold a
// lock that the holder locks.
func (b *Budget) Unlist(h Holder) {
	if b == nil {
		return
	}
	b.shedding.Lock()
	defer b.shedding.Unlock()
	b.listing.Lock()
	defer b.listing.Unlock()
	for i := range b.holders {
		if b.holders[i].Holder == h {
			heap.Remove(&b.holders, i)
			return
		}
	}
}

// shed evicts the oldest item. It returns false if no holder has an item.
func (b *Budget) shed() bool {
	// One at a time: a holder is not in the list while it evicts an item, and a caller that finds
	// the list empty is refused.
	b.shedding.Lock()
	defer b.shedding.Unlock()
	b.listing.Lock()
	if len(b.holders) == 0 {
		b.listing.Unlock()
		return false
	}
	first := heap.Pop(&b.holders).(listed)
	b.listing.Unlock()
	if oldest, more := first.Shed(first.age); more {
		b.List(first.Holder, oldest)
	}
	return true
}

// listed is a holder with the age of its oldest item, or an earlier age.
type listed struct {
	Holder
	age uint64
}

// holders are a heap, the oldest first.
type holders []listed

func (h holders) Len() int           { return len(h) }
func (h holders) Less(i, j int) bool { return h[i].age < h[j].age }
func (h holders) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *holders) Push(x any)        { *h = append(*h, x.(listed)) }

func (h *holders) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	(*h)[last] = listed{}
	*h = (*h)[:last]
	return x
}

// Account is the part of a budget that one owner uses. It serves one goroutine at a time. The zero
// Account has no budget, and allows everything.
type Account struct {
	budget *Budget
	held   int
}

// Free is the size in bytes up to which a buffer is not counted: its owner, a connection or a call,
// is charged more than that as a whole. So the smallest buffers, which every message needs, do not
// have to be counted.
const Free = 4 << 10

// Of sets the budget of the account. It must be called before anything is charged.
func (a *Account) Of(b *Budget) { a.budget = b }

// Take changes the charge to the charge for a buffer of the given capacity. It returns false, and
// changes nothing, if the budget does not allow it.
func (a *Account) Take(capacity int) bool {
	more := counted(capacity) - a.held
	if more > 0 && !a.budget.Take(more) {
		return false
	}
	if more < 0 {
		a.budget.Release(-more)
	}
	a.held += more
	return true
}

// Set is like Take, but also exceeds the budget.
func (a *Account) Set(capacity int) {
	switch more := counted(capacity) - a.held; {
	case more > 0:
		a.budget.Force(more)
		a.held += more
	case more < 0:
		a.budget.Release(-more)
		a.held += more
	}
}

// Held returns the charge.
func (a *Account) Held() int { return a.held }

func counted(capacity int) int {
	if capacity <= Free {
		return 0
	}
	return capacity
}
