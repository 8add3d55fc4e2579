package mcpauth

import (
	"net/netip"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
)

const (
	defaultFailures = 60
	failureTime     = time.Minute
	// maxFailing limits the addresses that are counted separately; the others share a counter.
	maxFailing = 10_000
)

// failures counts refused credentials by address, in the current minute and the one before.
type failures struct {
	most int

	mu    sync.Mutex
	began time.Time
	now   map[clientlimit.Client]int
	old   map[clientlimit.Client]int
}

func newFailures(most int) *failures { return &failures{most: most} }

// add counts a failure.
func (f *failures) add(a netip.Addr) {
	f.mu.Lock()
	defer f.mu.Unlock()
	client := f.client(a)
	if f.now == nil {
		f.now = map[clientlimit.Client]int{}
	}
	f.now[client]++
}

// tooMany reports whether an address has more failures than allowed.
func (f *failures) tooMany(a netip.Addr) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count(f.client(a)) > f.most
}

// exceeded reports whether an address has too many failures. The caller holds the lock.
func (f *failures) exceeded(a netip.Addr) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count(f.client(a)) >= f.most
}

// client drops counters that are too old, and returns the key under which an address is counted.
// The caller holds the lock.
func (f *failures) client(a netip.Addr) clientlimit.Client {
	switch age := time.Since(f.began); {
	case age >= 2*failureTime:
		f.began, f.now, f.old = time.Now(), nil, nil
	case age >= failureTime:
		f.began, f.now, f.old = f.began.Add(failureTime), nil, f.now
	}
	client := clientlimit.Of("", a)
	if _, known := f.now[client]; !known && len(f.now) >= maxFailing {
		return clientlimit.Client{}
	}
	return client
}

// count estimates the failures of the last 60 seconds: all of the current minute, and the share of
// the previous minute that is within 60 seconds.
func (f *failures) count(c clientlimit.Client) int {
	left := failureTime - time.Since(f.began)
	return f.now[c] + int(float64(f.old[c])*float64(left)/float64(failureTime))
}

// len returns the number of counters.
func (f *failures) len() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.now) + len(f.old)
}
