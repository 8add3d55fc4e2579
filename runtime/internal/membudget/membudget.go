// Package membudget counts the bytes that clients make a server hold, against one
// limit for all connections and transports.
//
// What is counted is storage: a slice by its capacity. Who wants more takes it before
// (Take) and is refused where there is not enough, after what is kept for convenience
// only has been given up, the oldest first. A copy of what has been taken for already,
// and is given back at once, is charged without being asked for (Force).
package membudget

import (
	"container/heap"
	"sync"
	"sync/atomic"
	"time"
)

// Budget is what one server may hold. All methods may be called by many goroutines.
// Take, TakeControl, Trim, Enter and Unlist must not be called by one that has locked what a
// [Holder] locks. The methods of a nil budget allow everything.
type Budget struct {
	limit   int64 // of everything
	share   int64 // of it, that only control messages may use
	used    atomic.Int64
	control atomic.Int64 // for control messages
	clock   atomic.Uint64
	waiting atomic.Int32 // for a place

	mu     sync.Mutex
	places int // that are free
	queue  []chan struct{}

	shedding sync.Mutex // held while a holder gives something up
	listing  sync.Mutex
	holders  holders
}

// controlShare is the part of the limit that only control messages may use.
const controlShare = 32

// New returns a budget of so many bytes. So many replies may go beyond it at the same
// time; see [Budget.Enter].
func New(limit int64, places int) *Budget {
	return &Budget{limit: limit, share: limit / controlShare, places: places}
}

// Take takes so many bytes. It reports false if there are not as many.
func (b *Budget) Take(n int) bool {
	return b == nil || b.take(int64(n))
}

// TakeControl is Take for what each small message needs, a ping or a cancellation too: a
// part of the budget is left to them, even while it is exceeded. ReleaseControl gives it
// back.
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

// ReleaseControl gives back what TakeControl has taken.
func (b *Budget) ReleaseControl(n int) {
	if b != nil {
		b.control.Add(int64(-n))
	}
}

// general is what there is for all that is no control message.
func (b *Budget) general() int64 { return b.limit - max(b.share, b.control.Load()) }

func (b *Budget) take(n int64) bool {
	for {
		used := b.used.Load()
		switch most := b.general(); {
		case used+n > most:
			if n > most || !b.shed() {
				return false
			}
		case b.used.CompareAndSwap(used, used+n):
			return true
		}
	}
}

// Force charges so many bytes, even if there are not as many.
func (b *Budget) Force(n int) {
	if b != nil {
		b.used.Add(int64(n))
	}
}

// Release gives bytes back.
func (b *Budget) Release(n int) {
	if b == nil || n == 0 {
		return
	}
	b.used.Add(int64(-n))
	if b.waiting.Load() > 0 {
		b.admit()
	}
}

// Trim gives up what is kept as long as more is charged than there is.
func (b *Budget) Trim() {
	if b == nil {
		return
	}
	for b.used.Load() > b.general() && b.shed() {
	}
}

// Used returns how many bytes are charged.
func (b *Budget) Used() int64 {
	if b == nil {
		return 0
	}
	return b.used.Load() + b.control.Load()
}

// Short reports whether as much is charged as there is, or more.
func (b *Budget) Short() bool {
	return b != nil && b.used.Load() >= b.general()
}

// Enter takes one of the places for replies that go beyond the budget. None is given
// away while the budget is exceeded, so that what is charged stays below the limit and
// what as many replies as there are places need. It waits for up to that time, and not
// longer than until done is closed, and reports whether there is a place. Each ends
// with Leave.
//
// A reply that has a place must not wait for anything but its client.
func (b *Budget) Enter(done <-chan struct{}, within time.Duration) bool {
	if b == nil {
		return true
	}
	b.Trim()
	b.mu.Lock()
	if len(b.queue) == 0 && b.vacant() {
		b.places--
		b.mu.Unlock()
		return true
	}
	place := make(chan struct{})
	b.queue = append(b.queue, place)
	b.waiting.Add(1)
	b.mu.Unlock()
	b.admit() // what has become free before it was known that somebody waits
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-place:
		return true
	case <-done:
	case <-timer.C:
	}
	return b.giveUp(place)
}

// giveUp takes a channel out of the queue. It reports true if it has got its place in
// the meantime.
func (b *Budget) giveUp(place chan struct{}) (entered bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, waiting := range b.queue {
		if waiting == place {
			b.queue = append(b.queue[:i], b.queue[i+1:]...)
			b.waiting.Add(-1)
			return false
		}
	}
	return true
}

// Leave gives a place back.
func (b *Budget) Leave() {
	if b == nil {
		return
	}
	b.mu.Lock()
	b.places++
	b.mu.Unlock()
	if b.waiting.Load() > 0 {
		b.admit()
	}
}

// vacant reports whether a place may be taken. The caller holds the lock.
func (b *Budget) vacant() bool { return b.places > 0 && b.used.Load() <= b.general() }

// admit gives places to those who wait.
func (b *Budget) admit() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.queue) > 0 && b.vacant() {
		b.places--
		b.waiting.Add(-1)
		close(b.queue[0])
		b.queue = b.queue[1:]
	}
}

// Holder keeps things that can be given up, in the order of their ages.
type Holder interface {
	// Shed gives up the oldest thing, and releases what was charged for it, unless
	// that is newer than age. It returns the age of the one that is the oldest then,
	// and whether there is one that can be given up.
	Shed(age uint64) (oldest uint64, more bool)
}

// Age returns a number for something that is kept from now on: a larger one than for
// all before.
func (b *Budget) Age() uint64 {
	if b == nil {
		return 0
	}
	return b.clock.Add(1)
}

// List enters a holder that has something to give up, the oldest of that age. It stays
// in the list until its Shed has reported that nothing more is there; until then it
// must not be entered again.
func (b *Budget) List(h Holder, age uint64) {
	if b == nil {
		return
	}
	b.listing.Lock()
	defer b.listing.Unlock()
	heap.Push(&b.holders, listed{h, age})
}

// Unlist takes a holder out of the list, for good: it must not be entered again. The
// caller must not have locked what the holder locks.
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

// shed has the oldest thing given up. It reports false if there is none.
func (b *Budget) shed() bool {
	// One at a time: a holder that is giving something up is not in the list, and who
	// finds that empty is refused.
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

// listed is a holder with the age of its oldest thing, or an earlier one.
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
