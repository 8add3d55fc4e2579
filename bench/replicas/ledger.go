package main

import (
	"fmt"
	"sync"
	"time"
)

// ledger records the observations of a run: by clients, by the balancer, and by handlers
// (effects.go). It is checked at the end (check.go).
type ledger struct {
	mu       sync.Mutex
	values   map[string]string // for once
	faults   []string          // found during the run
	sessions map[string]int    // number of sessions that each client has opened
	replaced int               // number of replicas that ended by SIGTERM
	kills    []kill
	failures []failure
	calls    map[string]*call // by nonce
	tasks    map[string]*task // by id
	received map[listener][]time.Time
	passed   []time.Time // times of successful calls of limited
	tried    int         // number of calls of limited
	began    time.Time   // beginning of the load
	ended    time.Time
}

// kill is the end of a process.
type kill struct {
	at      time.Time
	failing time.Duration // time for which requests may fail
}

// failure is a failed request.
type failure struct {
	at   time.Time
	what string // the tool, and the nonce
	kind string // returned by classify
	err  string
}

// call contains a client's observations of a call.
type call struct {
	tool     string
	progress []int
	asked    int // number of answers to its question
	result   string
	done     bool // it has a result
}

// task contains a client's observations of a task.
type task struct {
	nonce   string
	results []string // one for each read
}

// listener is a client and the resource that it listens to.
type listener struct{ client, uri string }

func newLedger() *ledger {
	return &ledger{
		values: map[string]string{}, sessions: map[string]int{}, calls: map[string]*call{}, tasks: map[string]*task{},
		received: map[listener][]time.Time{},
	}
}

// with calls a function that modifies the ledger.
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

// call returns the call with a nonce, and creates it if necessary.
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
