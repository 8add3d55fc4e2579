//go:build cost

package hardening_test

import (
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

var soakClients = flag.Int("soak.clients", 0, "how many clients TestSoak has; 0 is 500 for a soak of a minute or more, else 55")

// TestSoak runs many clients of all transports over real sockets. They do all operations of
// clients, cancel, stall, and disconnect at any time to come back as other clients. Only errors
// that they have provoked may occur, and when all are gone, the servers hold as much as before.
func TestSoak(t *testing.T) {
	clients := *soakClients
	if clients == 0 {
		clients = 55
		if *soakTime >= time.Minute {
			clients = 500
		}
	}
	idle := 3 * time.Second
	if *soakTime >= time.Minute {
		idle = 20 * time.Second
	}
	sites := soakSites(t, idle)
	defer func() {
		for _, s := range sites {
			s.close()
		}
	}()

	// Once without counting: objects created on first use are not leaks, and the Go runtime keeps
	// the descriptors of as many goroutines as there have ever been.
	newSoak(sites).run(t, clients, *soakTime/6)
	before := rest(nil, 2*idle)
	soak := newSoak(sites)
	most := soak.run(t, clients, *soakTime)
	after := rest(&before, 3*idle+10*time.Second)

	operations := soak.total()
	t.Logf("%d clients for %v: %d operations, %d vanished, %s", clients, *soakTime, operations, soak.vanished.Load(), soak.summary())
	t.Logf("goroutines: %d before, %d at most, %d after", before.goroutines, most.goroutines, after.goroutines)
	t.Logf("heap: %.2f MB before, %.1f at most, %.2f after", mega(before.heap), mega(most.heap), mega(after.heap))
	if operations < clients {
		t.Errorf("only %d operations of %d clients", operations, clients)
	}
	if !after.like(before) {
		t.Error("not all that clients have left behind is given back")
		_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
	}
	for _, s := range sites {
		s.gaveBack()
		if log := s.log.String(); log != "" {
			t.Errorf("%s logs %s", s.target.name, shorten(log))
		}
	}
}

// soakSites are servers of all transports and kinds of protocol.
func soakSites(t *testing.T, idle time.Duration) (sites []*site) {
	for _, w := range transports {
		for _, e := range w.eras {
			sites = append(sites, newSite(t, target{transport: w, era: e}, setup{
				real: true, register: registerTraffic, level: slog.LevelWarn, expected: "handler panicked",
				server: []mcp.Option{mcp.WithTimeout(time.Minute)},
				limits: mcp.Limits{DrainTime: time.Second}, // for clients that vanish
				http:   mcphttp.Limits{IdleTime: idle, EventTime: idle},
			}))
		}
	}
	return sites
}

// soak records the events of a soak.
type soak struct {
	sites    []*site
	pause    time.Duration // limit of the pause between two operations of a client
	vanished atomic.Int64

	mu         sync.Mutex
	operations map[string]int
}

func newSoak(sites []*site) *soak { return &soak{sites: sites, operations: map[string]int{}} }

// usage is the resources that the process uses.
type usage struct {
	goroutines int
	heap       uint64
}

// like reports whether usage is not higher than before, within a few per cent; for the heap, within
// the memory that the runtime keeps for later.
func (u usage) like(before usage) bool {
	return u.goroutines <= before.goroutines+before.goroutines/50+1 && u.heap <= before.heap+before.heap/20+1<<20
}

func mega(bytes uint64) float64 { return float64(bytes) / (1 << 20) }

// run has as many clients work for a while, and returns the highest usage.
func (k *soak) run(t *testing.T, clients int, d time.Duration) (most usage) {
	k.pause = time.Duration(clients) * 4 * time.Millisecond
	var all sync.WaitGroup
	end := time.Now().Add(d)
	for i := range clients {
		all.Go(func() {
			if err := k.live(k.sites[i%len(k.sites)], uint64(i), end); err != nil {
				t.Errorf("client %d, %s %s: %v", i, k.sites[i%len(k.sites)].target.name, k.sites[i%len(k.sites)].target.era, err)
			}
		})
	}
	ended := make(chan struct{})
	go func() { all.Wait(); close(ended) }()
	ticker := time.NewTicker(250 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ended:
			return most
		case <-ticker.C:
			most.goroutines = max(most.goroutines, testbed.Goroutines())
			most.heap = max(most.heap, heap())
		}
	}
}

// live runs one client, which vanishes from time to time and comes back.
func (k *soak) live(s *site, seed uint64, end time.Time) error {
	for life := uint64(0); time.Now().Before(end); life++ {
		d, err := newDriver(s, seed<<20+life, false)
		if err != nil {
			return fmt.Errorf("connect: %w", err)
		}
		err = k.spend(d, end)
		k.mu.Lock()
		for name, n := range d.operations {
			k.operations[name] += n
		}
		k.mu.Unlock()
		d.leave()
		if err != nil {
			return err
		}
	}
	return nil
}

// spend runs the client until it vanishes.
func (k *soak) spend(d *driver, end time.Time) error {
	for time.Now().Before(end) {
		if d.rnd.IntN(100) == 0 {
			// At any time, without a message.
			d.say("tools/call", call("nap", `{"steps":100,"millis":10}`))
			d.say("tools/call", call("large", `{"n":500000}`))
			if d.rnd.IntN(2) == 0 {
				d.in.pause()
			}
			time.Sleep(time.Duration(d.rnd.IntN(20)) * time.Millisecond)
			k.vanished.Add(1)
			return nil
		}
		if err := d.act(); err != nil {
			return err
		}
		time.Sleep(time.Duration(d.rnd.Int64N(int64(k.pause))))
	}
	if l, ok := d.link.(*httpLink); ok && d.s.target.is(httpLegacy) {
		if bye := l.delete(); !d.over(bye.answered) || bye.status != 204 {
			return fmt.Errorf("end of the session: status %d, %w", bye.status, bye.refused)
		}
	}
	return nil
}

func (k *soak) total() (n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, times := range k.operations {
		n += times
	}
	return n
}

func (k *soak) summary() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return counts(k.operations)
}

// counts lists numbers by name.
func counts(numbers map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, numbers[name]))
	}
	return strings.Join(parts, ", ")
}

// rest waits until everything that the clients have left behind is done, up to a limit, and returns
// the usage then: not higher than like, or not lower than shortly before.
func rest(like *usage, bound time.Duration) (now usage) {
	for end := time.Now().Add(bound); ; {
		time.Sleep(200 * time.Millisecond)
		runtime.GC()
		runtime.GC() // pools keep their content for one collection
		last := now
		now = usage{testbed.Goroutines(), heap()}
		switch {
		case like != nil && now.like(*like), like == nil && now.goroutines == last.goroutines && now.heap <= last.heap+last.heap/50, time.Now().After(end):
			return now
		}
	}
}
