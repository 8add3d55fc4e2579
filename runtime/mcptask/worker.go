package mcptask

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/taskcall"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// This file runs records: one goroutine claims them, and each run has its own goroutine. With a
// store for this server only, the claiming goroutine exits when no record is ready.

// retryTime is the pause of claiming after an error of the store.
const retryTime = 5 * time.Second

// Serve implements [taskcall.Tasks].
func (t *tasks) Serve() {
	if !t.private {
		t.startClaiming()
	}
}

// kick makes a private store run the records that are ready.
func (t *tasks) kick() {
	if t.private {
		t.startClaiming()
	}
}

// startClaiming starts the goroutine that claims records, unless it is running.
func (t *tasks) startClaiming() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.claiming || t.closing || t.concurrency == 0 {
		return
	}
	t.claiming, t.claimed = true, make(chan struct{})
	go t.claim(t.claimed)
}

// Changed implements [taskcall.Tasks]: the tools of the present Claim are outdated.
func (t *tasks) Changed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopClaim != nil {
		t.stopClaim()
	}
}

// claim claims records and runs them. It closes ended when it returns; every record that it has
// claimed then has a run.
func (t *tasks) claim(ended chan<- struct{}) {
	defer close(ended)
	for {
		ctx, ok := t.beginClaim()
		if !ok {
			return
		}
		r, err := t.next(ctx)
		switch {
		case r != nil:
			t.addActive(r.Account, 1) // before the next one is claimed
			go t.runRecord(r, t.newRun(r, t.server.Support(r.Tool)))
		case errors.Is(err, ErrStoreClosed):
			t.endClaiming()
			return
		case err != nil && ctx.Err() == nil:
			t.server.Log().Program(ctx, slog.LevelError, "tasks cannot be claimed", slog.Any("error", err))
			select {
			case <-ctx.Done():
			case <-time.After(retryTime):
			}
		}
	}
}

// endClaiming records that the claiming goroutine exits.
func (t *tasks) endClaiming() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.claiming = false
}

// beginClaim waits until one more run may begin. It returns false if the goroutine must end.
func (t *tasks) beginClaim() (context.Context, bool) {
	for {
		t.mu.Lock()
		switch {
		case t.closing || t.private && !t.store.(*memory).anyReady(t.claimOf()):
			t.claiming = false
			t.mu.Unlock()
			return nil, false
		case t.active < t.concurrency:
			ctx, cancel := context.WithCancel(context.Background())
			t.stopClaim = cancel
			t.mu.Unlock()
			return ctx, true
		}
		t.mu.Unlock()
		<-t.free
	}
}

// claimOf returns the claim of this process.
func (t *tasks) claimOf() *Claim {
	return &Claim{
		Owner: t.owner, Lease: lease, Server: t.server.Name(), Tools: t.server.Tools(),
		Turn: t.places.turn, Other: t.other,
	}
}

// next claims a record.
func (t *tasks) next(ctx context.Context) (*Record, error) {
	return t.store.Claim(ctx, *t.claimOf())
}

// runRecord runs a record that this process has claimed.
func (t *tasks) runRecord(rec *Record, r *run) {
	r.follow()
	ctx, cancel := context.WithTimeout(r.ctx, storeTime)
	c, err := r.begin(ctx, rec)
	cancel()
	if err != nil {
		if !errors.Is(err, errNothing) && !isTaken(err) {
			r.log(slog.LevelError, "task cannot be run", err)
		}
		r.drop() // its lease expires, unless the task is finished
		return
	}
	values, err := restoreContext(context.Background(), t.propagators, c.Work)
	if err != nil {
		r.log(slog.LevelError, "context of a task cannot be restored", err)
		r.End(taskcall.End{Error: &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: "the context of the task cannot be restored"}})
		return
	}
	t.server.Run(values, c.Work, r)
}

// begin decides whether the handler of a record runs. The error is errNothing if it does not run.
func (r *run) begin(ctx context.Context, rec *Record) (*content, error) {
	c, err := r.tasks.open(ctx, rec)
	if err != nil {
		return nil, err
	}
	r.tasks.mu.Lock()
	closing := r.tasks.closing
	r.tasks.mu.Unlock()
	switch {
	case rec.Attempt != c.Planned: // the process that ran it has died
	case !closing:
		return c, nil
	default: // another process runs it
		_, err := r.change(ctx, func(now *Record, c *content) error {
			plan(now, c)
			return nil
		})
		return nil, errors.Join(errNothing, err)
	}
	runs := false
	c, err = r.keep(ctx, func(now *Record, c *content) error {
		c.Died++
		switch {
		case len(c.Open) > 0:
			rest(now, c)
		case !r.restart || c.Died >= r.tasks.limits.MaxAttempts:
			fail(now, c, interrupted)
		default:
			c.Planned, runs = now.Attempt, true
		}
		return nil
	})
	if err == nil && !runs {
		err = errNothing
	}
	return c, err
}

// wait counts a run as waiting for an answer.
func (t *tasks) wait(r *run) {
	r.mu.Lock()
	r.waiting++
	first := r.waiting == 1
	r.mu.Unlock()
	if first {
		t.addActive(r.account, -1)
	}
}

// resume counts a waiting run as active again. It does not wait for a place.
func (t *tasks) resume(r *run) {
	r.mu.Lock()
	r.waiting--
	last := r.waiting == 0
	r.mu.Unlock()
	if last {
		t.addActive(r.account, 1)
	}
}

// addActive changes the number of active runs of an account.
func (t *tasks) addActive(account Digest, n int) {
	t.mu.Lock()
	t.count(account, n)
	t.mu.Unlock()
	if n < 0 {
		t.wake()
	}
}

// count changes the number of active runs of an account. The caller holds the lock.
func (t *tasks) count(account Digest, n int) {
	t.active += n
	t.places.add(account, n)
}

// wake wakes the claiming goroutine when a run ends, since there is a free place, and the account
// of the run may have a turn.
func (t *tasks) wake() {
	for _, c := range []chan struct{}{t.free, t.other} {
		select {
		case c <- struct{}{}:
		default:
		}
	}
	t.kick() // with a private store, the goroutine exits when no account has a turn
}

// forget removes a run, unless it was removed before.
func (t *tasks) forget(r *run) {
	t.mu.Lock()
	_, there := t.runs[r]
	delete(t.runs, r)
	if there {
		t.count(r.account, -1)
	}
	if len(t.runs) == 0 && t.ended != nil {
		close(t.ended)
		t.ended = nil
	}
	t.mu.Unlock()
	t.wake()
}

// Shutdown implements [taskcall.Tasks].
func (t *tasks) Shutdown(ctx context.Context) error {
	t.mu.Lock()
	t.closing = true
	if t.stopClaim != nil {
		t.stopClaim()
	}
	claimed := t.claimed
	t.mu.Unlock()
	t.wake()
	if claimed != nil {
		select {
		case <-claimed:
		case <-ctx.Done():
		}
	}
	for _, r := range t.all() {
		if t.private {
			r.end(mcp.ErrConnectionClosed)
		} else {
			r.giveBack(ctx)
		}
	}
	err := t.awaitRuns(ctx)
	if err == nil {
		return nil
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), t.server.GraceTime())
	defer cancel()
	for _, r := range t.all() {
		r.interrupt(grace)
	}
	_ = t.awaitRuns(grace)
	return err
}

// all returns the runs.
func (t *tasks) all() []*run {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []*run
	for r := range t.runs {
		all = append(all, r)
	}
	return all
}

// awaitRuns waits until the last run ends.
func (t *tasks) awaitRuns(ctx context.Context) error {
	t.mu.Lock()
	if len(t.runs) == 0 {
		t.mu.Unlock()
		return nil
	}
	if t.ended == nil {
		t.ended = make(chan struct{})
	}
	ended := t.ended
	t.mu.Unlock()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// giveBack ends a run that may begin again, or that waits for an answer: another process continues
// it.
func (r *run) giveBack(ctx context.Context) {
	_, err := r.change(ctx, func(now *Record, c *content) error {
		if !r.restart && len(c.Open) == 0 {
			return errNothing
		}
		rest(now, c)
		return nil
	})
	switch {
	case err == nil:
		r.end(mcp.ErrConnectionClosed)
	case !errors.Is(err, errNothing) && !isTaken(err):
		r.log(slog.LevelError, "task cannot be given back", err)
	}
}

// isTaken reports whether a run can no longer change its task: the task was cancelled, is finished,
// or another process runs it.
func isTaken(err error) bool {
	return errors.Is(err, mcp.ErrCancelled) || errors.Is(err, ErrLeaseLost)
}

// interrupt ends a run whose handler has not returned in time.
func (r *run) interrupt(ctx context.Context) {
	_, err := r.change(ctx, func(now *Record, c *content) error {
		fail(now, c, interrupted)
		return nil
	})
	if err != nil && !isTaken(err) {
		r.log(slog.LevelError, "task cannot be ended", err)
	}
	r.end(mcp.ErrConnectionClosed)
}
