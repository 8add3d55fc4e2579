package hardening_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// driver is a client that does random operations, and checks the answers. On a connection that
// breaks, answers may be missing, but none may be wrong.
type driver struct {
	*client
	rnd        *rand.Rand
	patience   time.Duration   // for one answer
	fragile    bool            // the connection may break: a missing answer is not an error
	operations map[string]int  // number of each operation, by name
	lost       map[string]bool // requests whose answers were lost, or may still arrive
	ended      bool            // the session is closed
}

// tokens are the tokens for the tool mark, each used once.
var tokens atomic.Int64

// registerTraffic adds the tools that drivers use in addition to the fixture.
//
//	nap    waits for a number of milliseconds, with progress, unless its context is cancelled
//	mark   records that it was called with a token
func registerTraffic(s *site) {
	s.server.Register(mcp.NewTool(mcp.ToolInfo{Name: "nap"}, func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		var a struct{ Steps, Millis int }
		if err := json.Unmarshal(args, &a); err != nil {
			return nil, err
		}
		for i := range a.Steps {
			mcp.Progress(ctx, float64(i+1), float64(a.Steps), "napping")
			select {
			case <-time.After(time.Duration(a.Millis) * time.Millisecond):
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		return mcp.TextResult("rested"), nil
	}))
	s.marks = map[string]int{}
	s.tool(s.server, mcp.ToolInfo{Name: "mark"}, func(_ context.Context, args json.RawMessage) (string, error) {
		var a struct{ Token string }
		if err := json.Unmarshal(args, &a); err != nil {
			return "", err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.marks[a.Token]++
		return a.Token, nil
	})
}

// newDriver connects a client and opens its session.
func newDriver(s *site, seed uint64, fragile bool) (*driver, error) {
	c, err := s.dial("")
	if err != nil {
		return nil, err
	}
	d := &driver{client: c, rnd: rand.New(rand.NewPCG(seed, 0)), patience: patience, fragile: fragile, operations: map[string]int{}, lost: map[string]bool{}}
	if c.era == legacy {
		m, err := d.exchange("initialize", initialize)
		if err == nil && (m == nil || m.failed()) {
			err = fmt.Errorf("initialize: %v", m)
		}
		if err == nil {
			note := c.put(initialized)
			if !d.over(note.answered) || note.refused != nil || note.status >= 300 {
				err = fmt.Errorf("initialized: status %d, %w", note.status, note.refused)
			}
		}
		if err != nil {
			d.leave()
			return nil, err
		}
	}
	return d, nil
}

// leave breaks the connection, and waits until no goroutine reads from it.
func (d *driver) leave() {
	d.vanish()
	d.in.resume()
	d.in.running.Wait()
}

// over waits until c is closed.
func (d *driver) over(c <-chan struct{}) bool {
	timer := time.NewTimer(d.patience)
	defer timer.Stop()
	select {
	case <-c:
		return true
	case <-timer.C:
		return false
	}
}

var errHangs = errors.New("neither an answer nor an end of the connection")

// answer waits for the reply to a request; nil if the connection is broken.
func (d *driver) answer(id string, sent *delivery) (*message, error) {
	m, err := d.await(id, sent)
	if m == nil && err == nil {
		d.lost[id] = true
	}
	return m, err
}

func (d *driver) await(id string, sent *delivery) (*message, error) {
	wanted := func(m message) bool { return m.Method == "" && m.id() == id }
	if d.s.target.is(httpLegacy, httpModern) {
		if !d.over(sent.done) {
			return nil, fmt.Errorf("request %s: %w", id, errHangs)
		}
		m, ok := d.in.take(wanted)
		d.ended = d.ended || sent.status == 404
		if d.fragile && (sent.err != nil || sent.status == 404 || sent.status >= 500) {
			return nil, nil // the session may be over by now
		}
		if ok {
			return &m, nil
		}
		return nil, fmt.Errorf("request %s: status %d, %w, and no reply but %v", id, sent.status, sent.err, d.in.all())
	}
	if d.s.target.is(httpSSE) && d.over(sent.answered) && sent.status != 202 {
		if d.fragile {
			return nil, nil
		}
		return nil, fmt.Errorf("request %s: status %d, %w", id, sent.status, sent.refused)
	}
	m, ok := d.in.find(d.patience, wanted)
	if ok {
		return &m, nil
	}
	select {
	case <-d.in.over:
		if d.fragile {
			return nil, nil
		}
		return nil, fmt.Errorf("request %s: the connection has ended", id)
	default:
		return nil, fmt.Errorf("request %s: %w", id, errHangs)
	}
}

// exchange sends a request and waits for its reply.
func (d *driver) exchange(method, params string) (*message, error) {
	id, sent := d.say(method, params)
	return d.answer(id, sent)
}
