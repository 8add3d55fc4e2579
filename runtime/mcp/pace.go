package mcp

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
)

// pace is what is known of how long calls of a tool take. It decides which goroutine
// runs a call over a transport that can run it itself; see [link.Runner].
type pace struct {
	// How many calls in a row have been brief, up to paceBrief. Less than 0: so many
	// calls are to pass until they are measured again.
	state atomic.Int32
}

const (
	paceBrief int32 = 32
	paceNever int32 = math.MinInt32
)

// Run answers the request; see [link.Job].
func (x *exchange) Run() { x.run() }

// Slow notes that the call takes long.
func (x *exchange) Slow() {
	if x.pace != nil {
		x.pace.slow()
	}
}

// brief reports whether the request is a call that is likely to be a short one.
func (x *exchange) brief() bool {
	if x.method != protocol.ToolsCall {
		return false
	}
	t, _ := x.conn.server.lookUp(shelfTools, x.req.Name).(*tool)
	if t == nil {
		return false
	}
	x.pace = &t.pace
	return t.pace.brief()
}

func (p *pace) brief() bool {
	switch state := p.state.Load(); {
	case state == paceBrief:
		return true
	case state < 0 && state != paceNever:
		p.state.CompareAndSwap(state, state+1)
	}
	return false
}

func (p *pace) slow() {
	for {
		state := p.state.Load()
		if state == paceNever || p.state.CompareAndSwap(state, -slowRun) {
			return
		}
	}
}

// never has all calls run by goroutines of their own.
func (p *pace) never() { p.state.Store(paceNever) }

// measure begins to measure a call, if that is of interest; the result ends it. Where
// the call does not end in an orderly way, nothing is known.
func (p *pace) measure() (end func()) {
	state := p.state.Load()
	if state < 0 || state >= paceBrief {
		return nothing
	}
	began := time.Now()
	return func() {
		next := state + 1
		if time.Since(began) >= patience {
			next = -slowRun
		}
		p.state.CompareAndSwap(state, next)
	}
}

func nothing() {}
