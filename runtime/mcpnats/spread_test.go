package mcpnats

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// claimers are replicas at different distances from one leader, from which they claim tasks.
type claimers struct {
	t       *testing.T
	indexes []*taskIndex
	far     []time.Duration // one way to the leader
	known   int             // number of replicas that they assume
	stop    chan struct{}

	mu      sync.Mutex
	number  uint64
	heads   map[string]taskHead
	created map[string]time.Time
	claimed []int
	longest time.Duration // from the creation of a task to its claim
}

// write writes a record, which all replicas read. The caller holds the lock.
func (c *claimers) write(hash string, head taskHead) {
	c.number++
	c.heads[hash] = head
	number, header := c.number, headerOf(c.t, head)
	for i, x := range c.indexes {
		time.AfterFunc(c.far[i], func() {
			x.add("record."+hash, number, delivered{header: header})
			if head.Owner != "" {
				lease := delivered{header: map[string][]string{ttlField: {"15s"}}}
				x.add("lease."+hash, number, lease)
			}
		})
	}
}

// claim claims tasks for a replica until the test ends. Each task runs for a while.
func (c *claimers) claim(i int, run time.Duration) {
	x, want := c.indexes[i], mcptask.Claim{Owner: fmt.Sprint(i), Server: "books", Tools: []string{"count"}}
	for {
		hash, changed, next := x.claimable(&want, time.Now(), c.known)
		if hash == "" {
			timer := time.NewTimer(next)
			select {
			case <-changed:
			case <-timer.C:
			case <-c.stop:
				return
			}
			continue
		}
		time.Sleep(6 * c.far[i]) // three requests
		c.mu.Lock()
		if head := c.heads[hash]; head.Ready {
			head.Ready, head.Owner, head.Attempt = false, want.Owner, 1
			c.write(hash, head)
			c.claimed[i]++
			c.longest = max(c.longest, time.Since(c.created[hash]))
			time.AfterFunc(run, func() {
				c.mu.Lock()
				defer c.mu.Unlock()
				head.Owner, head.Status = "", mcptask.Completed
				c.write(hash, head)
			})
		} else {
			x.postpone(hash, retryClaim)
		}
		c.mu.Unlock()
		time.Sleep(2 * c.far[i])
	}
}

// Replicas share tasks, even if one is nearer to the leader of the stream; a single replica does
// not wait, and replicas do not wait for one that does not claim.
func TestSpreadClaims(t *testing.T) {
	const tasks = 300
	near, far := 500*time.Microsecond, 3*time.Millisecond
	for name, c := range map[string]struct {
		far        []time.Duration
		known      int
		every, run time.Duration
		least      int // of each replica
		longest    time.Duration
	}{
		"one after the other":    {[]time.Duration{near, far, far}, 3, 50 * time.Millisecond, time.Second, tasks / 5, 250 * time.Millisecond},
		"long tasks":             {[]time.Duration{near, far, far}, 3, 50 * time.Millisecond, time.Minute, tasks / 5, 250 * time.Millisecond},
		"short tasks":            {[]time.Duration{near, far, far}, 3, 50 * time.Millisecond, 10 * time.Millisecond, 0, 10 * time.Millisecond},
		"two":                    {[]time.Duration{near, far}, 2, 20 * time.Millisecond, time.Second, tasks / 3, 250 * time.Millisecond},
		"one alone":              {[]time.Duration{near}, 1, 20 * time.Millisecond, time.Minute, tasks, 7 * near},
		"two that do not claim":  {[]time.Duration{near}, 3, 20 * time.Millisecond, time.Minute, tasks, maxPatience + 20*near},
		"all at the same moment": {[]time.Duration{near, far, far}, 3, 0, time.Minute, tasks / 20, 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				all := &claimers{
					t: t, far: c.far, known: c.known, stop: make(chan struct{}), heads: map[string]taskHead{}, created: map[string]time.Time{},
					claimed: make([]int, len(c.far)),
				}
				var working sync.WaitGroup
				for range c.far {
					all.indexes = append(all.indexes, newTaskIndex())
				}
				for i := range c.far {
					working.Go(func() { all.claim(i, c.run) })
				}
				for i := range tasks {
					hash := fmt.Sprint(i)
					all.mu.Lock()
					all.created[hash] = time.Now()
					all.write(hash, taskHead{ID: hash, Server: "books", Tool: "count", Ready: true, Expires: time.Now().Add(time.Hour)})
					all.mu.Unlock()
					time.Sleep(c.every)
				}
				time.Sleep(5 * time.Second)
				close(all.stop)
				working.Wait()
				time.Sleep(2 * time.Minute) // the runs end
				sum := 0
				for i, n := range all.claimed {
					if sum += n; n < c.least {
						t.Errorf("replica %d has claimed %d tasks, want at least %d: %v", i, n, c.least, all.claimed)
					}
				}
				if sum != tasks || all.longest > c.longest {
					t.Errorf("%v tasks are claimed, after %s at most; want %d, and %s", all.claimed, all.longest, tasks, c.longest)
				}
				t.Log(all.claimed, all.longest)
			})
		})
	}
}
