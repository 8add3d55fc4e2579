package mcpnats

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// This file chooses the task that a replica claims next.

// claimable returns the next task to claim: of the accounts that have a turn, the account with the
// fewest runs, and of its tasks the one that has been ready, or owned, for the longest time; if
// several replicas claim tasks, one of the first few, since only one of several replicas that try
// the same task gets it. Without a claimable task it returns a channel that is closed on the next
// change, and the time to wait at most. now is the majority's time.
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

// maxCandidates limits the tasks from which a replica chooses.
const maxCandidates = 8

// candidate is a claimable task.
type candidate struct {
	hash   string
	active int    // number of runs of its account
	from   uint64 // openTask.from
}

// addCandidate adds a task to the sorted candidates, of which it keeps most, all of accounts with
// the same number of runs.
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
	// patienceEach is the delay of a replica before it claims a task, for each run that it has
	// above the average: time for another replica to claim the task.
	patienceEach = 20 * time.Millisecond
	// maxPatience limits this delay. Tasks that are ready for longer are claimed immediately.
	maxPatience = 200 * time.Millisecond
)

// patience returns for how long a replica leaves a ready task to replicas that run fewer tasks.
// Otherwise the replica nearest to the leader of the stream would claim all. The caller holds the
// lock.
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

// claimAt returns the time at which a replica with this patience claims a task.
func (t *openTask) claimAt(patience time.Duration) time.Time {
	at := t.tryAt
	if at.Before(t.ready) {
		at = t.ready
	}
	return at.Add(patience)
}

// leaseSlack is the time after which a process considers a lease as expired that the server should
// have removed, so that the server ends most leases.
const leaseSlack = 2 * time.Second

// lapsed reports whether a lease has not been renewed in time.
func (x *taskIndex) lapsed(hash string, lease uint64) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	t := x.open[hash]
	return t != nil && t.lease == lease && time.Since(t.leaseEnd) > leaseSlack
}

// postpone delays the next claim of a task, unless the task changes, at least until the end of a
// lease that was read in the meantime.
func (x *taskIndex) postpone(hash string, d time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if t, at := x.open[hash], time.Now().Add(d); t != nil && t.tryAt.Before(at) {
		t.tryAt = at
	}
}
