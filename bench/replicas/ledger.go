package main

import (
	"fmt"
	"sync"
	"time"
)

// ledger is what was seen of a run: by clients, by the balancer, and by handlers (effects.go). It is checked at the end
// (check.go).
type ledger struct {
	mu       sync.Mutex
	values   map[string]string // see once
	faults   []string          // found while it ran
	sessions map[string]int    // how many each client has opened
	replaced int               // replicas that have ended by SIGTERM
	kills    []kill
	failures []failure
	calls    map[string]*call // by nonce
	tasks    map[string]*task // by id
	received map[listener][]time.Time
	passed   []time.Time // calls of limited
	tried    int         // calls of limited
	began    time.Time   // of the load
	ended    time.Time
}

// kill is the end of a process.
type kill struct {
	at      time.Time
	failing time.Duration // for how long requests may fail
}

// failure is a request that has failed.
type failure struct {
	at   time.Time
	what string // the tool, and the nonce
	kind string // see classify
	err  string
}

// call is what a client has seen of a call.
type call struct {
	tool     string
	progress []int
	asked    int // how often its question was answered
	result   string
	done     bool // it has a result
}

// task is what a client has seen of a task.
type task struct {
	nonce   string
	results []string // of each time that it was read
}

// listener is what a client listens to.
type listener struct{ client, uri string }

func newLedger() *ledger {
	return &ledger{
		values: map[string]string{}, sessions: map[string]int{}, calls: map[string]*call{}, tasks: map[string]*task{},
		received: map[listener][]time.Time{},
	}
}

// with calls a function that changes the ledger.
func (l *ledger) with(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}

func (l *ledger) fault(format string, values ...any) {
	l.with(func() { l.faults = append(l.faults, fmt.Sprintf(format, values...)) })
}

func (l *ledger) opened(client string) { l.with(func() { l.sessions[client]++ }) }

func (l *ledger) killed(failing time.Duration) {
	l.with(func() { l.kills = append(l.kills, kill{time.Now(), failing}) })
}

// call returns the call with a nonce, which it makes.
func (l *ledger) call(nonce, tool string) *call {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls[nonce] == nil {
		l.calls[nonce] = &call{tool: tool}
	}
	return l.calls[nonce]
}

// listens records that a client listens to a resource from now on.
func (l *ledger) listens(client, uri string) {
	l.with(func() { l.received[listener{client, uri}] = nil })
}

func (l *ledger) receives(client, uri string) {
	l.with(func() {
		h := listener{client, uri}
		l.received[h] = append(l.received[h], time.Now())
	})
}
