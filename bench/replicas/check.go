package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	// failTime is the time for which requests may fail after a replica was killed.
	failTime = 6 * time.Second
	// electionTime is the additional time for a killed server: JetStream elects a new leader after
	// 4 to 9 seconds, and has no option for that.
	electionTime = 9 * time.Second
	// sayTime is the time before the end of a replica in which a change may be lost: it is queued
	// for 50 ms at most, and then written as soon as there is a leader.
	sayTime = time.Second
)

// check returns the faults of a run.
func (l *ledger) check(effects []effect) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	faults := slices.Clone(l.faults)
	fault := func(format string, values ...any) { faults = append(faults, fmt.Sprintf(format, values...)) }
	l.checkFailures(fault)
	l.checkSessions(fault)
	l.checkCalls(effects, fault)
	l.checkTasks(effects, fault)
	l.checkChanges(effects, fault)
	l.checkRates(fault)
	return faults
}

type reporter = func(format string, values ...any)

// disturbed reports whether a time is soon after a kill.
func (l *ledger) disturbed(at time.Time) bool {
	return slices.ContainsFunc(l.kills, func(k kill) bool { return !at.Before(k.at) && at.Sub(k.at) <= k.failing })
}

func (l *ledger) checkFailures(fault reporter) {
	for _, f := range l.failures {
		switch {
		case f.kind == otherFailure:
			fault("%s: fails as %s", f.what, f.err)
		case !l.disturbed(f.at):
			fault("%s: fails %s, which is too late: %s", f.what, l.since(f.at), f.err)
		}
	}
}

// since formats a time for messages.
func (l *ledger) since(at time.Time) string {
	for _, k := range slices.Backward(l.kills) {
		if !at.Before(k.at) {
			return at.Sub(k.at).Round(time.Millisecond).String() + " after a kill"
		}
	}
	return "before any kill"
}

func (l *ledger) checkSessions(fault reporter) {
	for client, n := range l.sessions {
		if n != 1 {
			fault("%s has opened %d sessions", client, n)
		}
	}
}

// sessionTasks is the load of tasks of revision 2025-11-25. If a replica is killed before it has
// stored an answer, the answer is lost, and the next request for the result asks again.
const sessionTasks = "sessiontasks"

// checkCalls checks the calls that do not become tasks: complete and ordered progress, one run,
// questions that are answered, and answers that are used once.
func (l *ledger) checkCalls(effects []effect, fault reporter) {
	ran, answered := map[string]int{}, map[string][]string{}
	for _, e := range effects {
		switch e.kind {
		case ranEffect:
			ran[e.nonce]++
		case answeredEffect:
			answered[e.nonce] = append(answered[e.nonce], e.value)
		}
	}
	for nonce, c := range l.calls {
		for i, n := range c.progress {
			if n != i+1 {
				fault("%s: progress %v", nonce, c.progress)
				break
			}
		}
		most := 1
		if strings.HasPrefix(nonce, sessionTasks) {
			most += len(l.kills)
		}
		if c.asked > most {
			fault("%s: the question was answered %d times", nonce, c.asked)
		}
		for _, value := range answered[nonce] {
			if value != answerOf(nonce) {
				fault("%s: the answer %q was used", nonce, value)
			}
		}
		if c.tool != "work" && len(answered[nonce]) > 1 {
			fault("%s: the answer was used %d times", nonce, len(answered[nonce]))
		}
		if ran[nonce] > 1 {
			fault("%s: it ran %d times", nonce, ran[nonce])
		}
		if c.done {
			l.checkResult(nonce, c, ran[nonce], len(answered[nonce]), fault)
		}
	}
}

// checkResult checks a call with a result.
func (l *ledger) checkResult(nonce string, c *call, ran, answered int, fault reporter) {
	want := nonce
	switch c.tool {
	case "ask":
		want = answerOf(nonce)
		if c.asked != 1 || answered != 1 {
			fault("%s: it has a result, its question was answered %d times and the answer used %d times", nonce, c.asked, answered)
		}
	case "steps":
		if len(c.progress) != progressEvents {
			fault("%s: progress %v of %d", nonce, c.progress, progressEvents)
		}
		fallthrough
	case "add":
		if ran != 1 {
			fault("%s: it has a result and ran %d times", nonce, ran)
		}
	}
	if c.result != want {
		fault("%s: the result is %q", nonce, c.result)
	}
}

// effectsOf returns the effects of one call's handler.
func effectsOf(effects []effect, nonce string) []effect {
	return slices.DeleteFunc(slices.Clone(effects), func(e effect) bool { return e.nonce != nonce })
}

// checkTasks checks that no task is lost, and that each has one result.
func (l *ledger) checkTasks(effects []effect, fault reporter) {
	used := map[string]int{}
	for _, e := range effects {
		if e.kind == answeredEffect {
			used[e.nonce]++
		}
	}
	for id, t := range l.tasks {
		if len(t.results) == 0 {
			fault("the task %s of %s is lost; kills %v; effects %+v", id, t.nonce, l.kills, effectsOf(effects, t.nonce))
			continue
		}
		if !strings.HasPrefix(t.results[0], answerOf(t.nonce)+" by run ") {
			fault("the task %s of %s: the result is %q", id, t.nonce, t.results[0])
		}
		if slices.ContainsFunc(t.results, func(r string) bool { return r != t.results[0] }) {
			fault("the task %s has the results %q", id, t.results)
		}
		// A run that ends after it has used the answer, and before that is stored, uses it again in
		// the next run.
		if n := used[t.nonce]; n < 1 || n > 1+len(l.kills)+l.replaced {
			fault("the task %s of %s has used its answer %d times", id, t.nonce, n)
		}
	}
}

// checkChanges checks that listeners have received every change, or a later change of the same
// resource.
func (l *ledger) checkChanges(effects []effect, fault reporter) {
	for _, e := range effects {
		if e.kind != changedEffect || l.endedSoon(e) {
			continue
		}
		for h, times := range l.received {
			if h.uri != e.value {
				continue
			}
			i := slices.IndexFunc(times, func(at time.Time) bool { return !at.Before(e.at) })
			if i < 0 {
				fault("%s has not received the change of %s by %s, %s", h.client, h.uri, e.nonce, l.since(e.at))
			}
		}
	}
}

// endedSoon reports whether a kill may have hit the process of an effect before a change was
// written.
func (l *ledger) endedSoon(e effect) bool {
	return slices.ContainsFunc(l.kills, func(k kill) bool { return !e.at.After(k.at) && k.at.Sub(e.at) <= sayTime })
}

// checkRates checks the number of calls that passed the limit, outside of disturbed times.
func (l *ledger) checkRates(fault reporter) {
	if len(l.passed) == 0 {
		return
	}
	first := l.began.Add(3 * time.Second) // the bucket is empty by then
	quiet, passed := time.Duration(0), 0
	const slot = 10 * time.Millisecond
	for at := first; at.Before(l.ended); at = at.Add(slot) {
		if !l.disturbed(at) {
			quiet += slot
		}
	}
	for _, at := range l.passed {
		if at.After(first) && at.Before(l.ended) && !l.disturbed(at) {
			passed++
		}
	}
	share := float64(passed) / (limitRate * quiet.Seconds())
	if share > 1.05 || share < 0.85 {
		fault("the limit let %.0f %% pass: %d calls in %s of %d tried", share*100, passed, quiet, l.tried)
	}
}
