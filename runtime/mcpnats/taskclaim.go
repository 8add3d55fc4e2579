package mcpnats

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// This file chooses the task that a replica claims.

// claimable returns the task that is claimed next: of the accounts that have a turn, that with the fewest runs, and of its tasks
// the one that has been ready, or had its owner, for the longest time; where several replicas claim tasks, one of the first few, since only one
// of those that try the same task gets it. Without one it returns what is closed when something changes, and after which time to look
// again. The time is that of most servers.
func (x *taskIndex) claimable(c *mcptask.Claim, now time.Time, replicas int) (hash string, changed <-chan struct{}, next time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	var first []candidate
	most := 1
	if replicas > 1 {
		most = maxCandidates
	}
	next = time.Hour
	here := time.Now()
	patience := x.patience(c, here, replicas)
	for h, t := range x.runnable {
		head := &t.head
		switch {
		case head.Server != c.Server || !slices.Contains(c.Tools, head.Tool):
		case head.expired(now):
			x.remove(h)
		case here.Before(t.claimAt(patience)):
			next = min(next, t.claimAt(patience).Sub(here))
		default:
			if active, ok := c.TurnOf(digest(head.Account)); ok {
				first = addCandidate(first, candidate{h, active, t.from}, most)
			}
		}
	}
	if len(first) > 0 {
		hash = first[rand.IntN(len(first))].hash
	}
	return hash, x.changed, next
}

// maxCandidates is how many tasks a replica chooses from.
const maxCandidates = 8

// candidate is a task that can be claimed.
type candidate struct {
	hash   string
	active int    // runs of its account
	from   uint64 // openTask.from
}

// addCandidate adds a task to those that are claimed next, at most so many, of accounts with as many runs.
func addCandidate(first []candidate, one candidate, most int) []candidate {
	if len(first) > 0 && one.active != first[0].active {
		if one.active > first[0].active {
			return first
		}
		first = first[:0]
	}
	at, _ := slices.BinarySearchFunc(first, one.from, func(c candidate, from uint64) int { return cmp.Compare(c.from, from) })
	if at == most {
		return first
	}
	return slices.Insert(first[:min(len(first), most-1)], min(at, most-1), one)
}

const (
	// patienceEach is how long after the others a replica claims a task for each run that it has more than they have on average: the
	// time in which another one claims it.
	patienceEach = 20 * time.Millisecond
	// maxPatience bounds that. Tasks that are ready for longer are claimed at once.
	maxPatience = 200 * time.Millisecond
)

// patience returns for how long a replica leaves a task that is ready to others, which run fewer tasks. Without it, the one that is
// nearest to the leader of the stream claims all. The caller has the lock.
func (x *taskIndex) patience(c *mcptask.Claim, here time.Time, replicas int) time.Duration {
	if replicas < 2 {
		return 0
	}
	own, all := 0, 0
	for _, t := range x.runnable {
		if t.head.Server != c.Server || t.head.Owner == "" || !here.Before(t.tryAt) {
			continue
		}
		if all++; t.head.Owner == c.Owner {
			own++
		}
	}
	more := (own*replicas - all + replicas - 1) / replicas // rounded up
	return min(maxPatience, time.Duration(max(0, more))*patienceEach)
}

// claimAt returns when a task is to be claimed by a replica that leaves it to others for a while.
func (t *openTask) claimAt(patience time.Duration) time.Time {
	at := t.tryAt
	if at.Before(t.ready) {
		at = t.ready
	}
	return at.Add(patience)
}

// leaseSlack is how much longer than its time a lease lasts by the clock of a process, so that most are ended by the server.
const leaseSlack = 2 * time.Second

// lapsed reports whether a lease with that number has not been renewed for its time.
func (x *taskIndex) lapsed(hash string, lease uint64) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	t := x.open[hash]
	return t != nil && t.lease == lease && time.Since(t.leaseEnd) > leaseSlack
}

// postpone has a task not be claimed for some time, unless it changes, and not before the end of the lease that was read meanwhile.
func (x *taskIndex) postpone(hash string, d time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if t, at := x.open[hash], time.Now().Add(d); t != nil && t.tryAt.Before(at) {
		t.tryAt = at
	}
}
