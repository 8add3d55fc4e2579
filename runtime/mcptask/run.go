package mcptask

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/taskcall"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

const (
	progressEvery = time.Second // interval at which a message is written
	maxMessage    = 1000        // limit of a message, in bytes
	storeTime     = 10 * time.Second
	storePause    = time.Second // before the next access to a store that has failed
	rereadPause   = 50 * time.Millisecond
	keepTime      = 2 * lease // limit of repeated attempts
	maxRounds     = 10
)

// run is one run of the handler of a task, in this process. It implements [taskcall.Run].
type run struct {
	tasks   *tasks
	key     Key
	account Digest
	tool    string
	attempt int
	created time.Time
	expires time.Time
	restart bool

	ctx    context.Context // context of the goroutines that follow the record; cancelled when the run ends
	cancel context.CancelFunc

	mu      sync.Mutex
	stop    func(error)        // cancels the context of the handler
	cause   error              // cause of the cancellation; nil before
	over    bool               // the run is over, or another run owns the task
	ending  bool               // the handler has returned, and its result is being written
	waiters map[string]*waiter // by the keys of their questions
	waiting int                // goroutines that wait for an answer
	message string
	written time.Time
	timer   *time.Timer // writes the latest message; nil if none waits
	renewal *time.Timer
}

// newRun returns the run of a record that this process owns. The run has been counted as active.
func (t *tasks) newRun(r *Record, s *taskcall.Support) *run {
	n := &run{
		tasks: t, key: r.Key, account: r.Account, tool: r.Tool, attempt: r.Attempt, created: r.Created, expires: r.Expires,
		waiters: map[string]*waiter{},
	}
	if s != nil {
		n.restart = s.Restart
	}
	n.ctx, n.cancel = context.WithCancel(context.Background())
	t.mu.Lock()
	defer t.mu.Unlock()
	t.runs[n] = struct{}{}
	return n
}

// drop drops a run that has no record, or whose end is written. Afterwards nothing refers to the
// data of its handler.
func (r *run) drop() {
	r.cancel()
	r.mu.Lock()
	r.over, r.stop = true, nil
	r.stopTimers()
	r.mu.Unlock()
	r.tasks.forget(r)
}

// follow starts the goroutines that renew the lease and watch the record.
func (r *run) follow() {
	r.mu.Lock()
	r.renewal = time.AfterFunc(lease/3, r.renew)
	r.mu.Unlock()
	go r.watch()
}

// renew renews the lease. If the store fails, it tries again while the lease lasts.
func (r *run) renew() {
	ctx, cancel := context.WithTimeout(r.ctx, storeTime)
	defer cancel()
	err := r.tasks.store.Renew(ctx, &Record{Key: r.key, Owner: r.tasks.owner, Attempt: r.attempt}, lease)
	if errors.Is(err, ErrLeaseLost) {
		r.notice(r.lost(ctx))
		return
	}
	pause := lease / 3
	if err != nil {
		pause = storePause
		if r.ctx.Err() == nil {
			r.log(slog.LevelError, "lease of a task cannot be renewed", err)
		}
	} else if r.asks() {
		_, _ = r.readAnswers() // finds a change that the store has not reported
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.renewal = time.AfterFunc(pause, r.renew)
	}
}

// lost returns the reason why the run no longer owns the task.
func (r *run) lost(ctx context.Context) error {
	if now, err := r.tasks.getHead(ctx, r.key); err == nil {
		if err := r.check(now); err != nil {
			return err
		}
	}
	return ErrLeaseLost
}

// watch ends the run when its task ends, and passes answers on. After an error of the store it
// begins again.
func (r *run) watch() {
	for now, err := range r.tasks.watchHead(r.ctx, r.key) {
		if err != nil {
			switch {
			case errors.Is(err, ErrNotFound), errors.Is(err, ErrStoreClosed):
				r.notice(ErrLeaseLost)
			case r.ctx.Err() == nil:
				time.AfterFunc(storePause, r.watch)
			}
			return
		}
		if err := r.check(now); err != nil {
			r.notice(err)
			return
		}
		if !r.asks() {
			continue
		}
		// A record is read again if it cannot be read, or is older than the reported change, for
		// instance at a server that has not received the change yet: no later change of this task
		// might be reported. A newer record needs nothing: a later change reports it.
		if version, err := r.readAnswers(); err != nil || version < now.Version {
			pause := rereadPause
			if err != nil {
				pause = storePause
			}
			time.AfterFunc(pause, r.watch)
			return
		}
	}
}

// asks reports whether the handler waits for an answer.
func (r *run) asks() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.waiters) > 0
}

// readAnswers reads the record, and passes its answers on. It returns the version of the record.
func (r *run) readAnswers() (version uint64, err error) {
	ctx, cancel := context.WithTimeout(r.ctx, storeTime)
	defer cancel()
	now, err := r.tasks.store.Get(ctx, r.key)
	if err != nil {
		return 0, err
	}
	c, err := r.tasks.open(ctx, now)
	if err == nil {
		r.deliver(c)
	}
	return now.Version, err
}

// deliver passes answers to the goroutines that wait for them.
func (r *run) deliver(c *content) {
	open := map[string]bool{}
	for _, q := range c.Open {
		open[q.Key] = true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, w := range r.waiters {
		if a, ok := c.answered(w.question); ok && !open[key] {
			w.answer <- a // does not block: the channel has a buffer for one
			delete(r.waiters, key)
		}
	}
}

// check returns an error if the run no longer owns the task of a record.
func (r *run) check(now *Record) error {
	switch {
	case now.Status == Cancelled:
		return mcp.ErrCancelled
	case now.Owner != r.tasks.owner || now.Attempt != r.attempt:
		return ErrLeaseLost
	}
	return nil
}

// Info implements [taskcall.Run].
func (r *run) Info() taskcall.Info {
	return taskcall.Info{ID: r.key.ID, Attempt: r.attempt, Created: r.created, Expires: r.expires}
}

// Start implements [taskcall.Run].
func (r *run) Start(stop func(cause error)) {
	r.mu.Lock()
	r.stop = stop
	cause := r.cause
	r.mu.Unlock()
	if cause != nil {
		stop(cause)
	}
}

// notice is like end for a change that another goroutine than the handler's has seen. If that
// change is written by [run.End], it does nothing, because End itself checks that the run owns the
// task.
func (r *run) notice(cause error) {
	r.mu.Lock()
	ending := r.ending
	r.mu.Unlock()
	if !ending {
		r.end(cause)
	}
}

// end cancels the context of the handler. Further output of the handler is not stored.
func (r *run) end(cause error) {
	r.mu.Lock()
	first := !r.over && r.cause == nil
	if first {
		r.over, r.cause = true, cause
		r.stopTimers()
	}
	stop := r.stop
	r.mu.Unlock()
	if first {
		if errors.Is(cause, ErrLeaseLost) {
			r.log(slog.LevelInfo, "run of a task ends", cause)
		}
		r.cancel()
		if stop != nil {
			stop(cause)
		}
	}
}

// stopTimers stops the timers. The caller holds the lock.
func (r *run) stopTimers() {
	for _, timer := range [...]*time.Timer{r.timer, r.renewal} {
		if timer != nil {
			timer.Stop()
		}
	}
}

// change changes the record while the run owns the task. If it does not, the context of the handler
// is cancelled.
func (r *run) change(ctx context.Context, f func(*Record, *content) error) (*content, error) {
	r.mu.Lock()
	over, cause := r.over, r.cause
	r.mu.Unlock()
	if over {
		if cause == nil {
			cause = ErrLeaseLost
		}
		return nil, cause
	}
	var lost error
	_, c, err := r.tasks.change(ctx, r.key, func(now *Record, c *content) error {
		if lost = r.check(now); lost != nil {
			return lost
		}
		return f(now, c)
	})
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrStoreClosed) {
		lost = ErrLeaseLost
	}
	if lost != nil {
		r.end(lost)
		return nil, lost
	}
	return c, err
}

// keep is like change for changes that the handler cannot go on without. If the store fails, it
// tries again, until the run has lost its lease, the run ends, ctx is cancelled, or the store has
// failed for keepTime.
func (r *run) keep(ctx context.Context, f func(*Record, *content) error) (*content, error) {
	for begin := time.Now(); ; {
		var refused error
		within, cancel := context.WithTimeout(ctx, storeTime)
		c, err := r.change(within, func(now *Record, c *content) error {
			refused = f(now, c)
			return refused
		})
		cancel()
		switch {
		case err == nil, refused != nil, errors.Is(err, errNoRoom), r.ctx.Err() != nil, ctx.Err() != nil:
			return c, err
		case time.Since(begin) >= keepTime:
			return nil, err
		}
		r.log(slog.LevelError, "task cannot be written, and is tried again", err)
		select {
		case <-time.After(storePause):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-r.ctx.Done():
		}
	}
}

// Store implements [taskcall.Run].
func (r *run) Store(ctx context.Context, key string, value json.RawMessage) error {
	_, err := r.keep(context.WithoutCancel(ctx), func(_ *Record, c *content) error {
		if c.Work.Once == nil {
			c.Work.Once = map[string]json.RawMessage{}
		}
		c.Work.Once[key] = value
		return r.tasks.checkSize(c)
	})
	return err
}

// checkSize returns an error if the state of a task exceeds its limits.
func (t *tasks) checkSize(c *content) error {
	if size := c.size(); size > t.limits.StateBytes {
		return fmt.Errorf("the answers, values and questions of the task have %d bytes, and at most %d are kept", size, t.limits.StateBytes)
	}
	return nil
}

// Progress implements [taskcall.Run].
func (r *run) Progress(done, total float64, message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.message = logs.Cut(progressText(done, total, message), maxMessage)
	if r.timer != nil || r.over {
		return
	}
	r.timer = time.AfterFunc(max(0, progressEvery-time.Since(r.written)), r.writeMessage)
}

// writeMessage writes the latest message. A timer calls it.
func (r *run) writeMessage() {
	r.mu.Lock()
	message := r.message
	r.timer, r.written = nil, time.Now()
	r.mu.Unlock()
	ctx, cancel := context.WithTimeout(r.ctx, storeTime)
	defer cancel()
	_, err := r.change(ctx, func(_ *Record, c *content) error {
		c.Message = message
		return nil
	})
	if err != nil && r.ctx.Err() == nil {
		r.log(slog.LevelError, "progress of a task cannot be written", err)
	}
}

// End implements [taskcall.Run].
func (r *run) End(e taskcall.End) {
	defer r.drop()
	r.mu.Lock()
	r.ending = true
	r.mu.Unlock()
	_, err := r.keep(context.Background(), func(now *Record, c *content) error { return r.tasks.endRun(now, c, &e) })
	if errors.Is(err, errNoRoom) {
		_, err = r.keep(context.Background(), func(now *Record, c *content) error {
			fail(now, c, noRoom)
			return nil
		})
	}
	if err != nil && r.ctx.Err() == nil {
		r.log(slog.LevelError, "end of a task cannot be written", err) // the lease expires; another process goes on
	}
}

// endRun changes the record for the end of a run.
func (t *tasks) endRun(r *Record, c *content, e *taskcall.End) error {
	if !e.Parked {
		finish(r, c, e)
		return nil
	}
	if e.Required {
		c.Work.State = e.State
		if c.Rounds++; c.Rounds > maxRounds {
			finish(r, c, &taskcall.End{Error: &jsonrpc.Error{
				Code: jsonrpc.CodeInternal, Message: fmt.Sprintf("the handler still needs input after %d rounds", maxRounds),
			}})
			return nil
		}
		for i := range e.Questions {
			if err := t.ask(c, &e.Questions[i]); err != nil {
				finish(r, c, &taskcall.End{Error: &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: err.Error()}})
				return nil
			}
		}
	}
	rest(r, c)
	return nil
}

// log logs an error of a run.
func (r *run) log(level slog.Level, message string, err error) {
	r.tasks.server.Log().Program(context.Background(), level, message, slog.String("tool", r.tool), logID(r.key), slog.Any("error", err))
}

// logID returns the form of a task's id for the log: a digest, since the id is a secret of the
// client.
func logID(k Key) slog.Attr {
	d := digest("log", k.ID)
	return slog.String("task", hex.EncodeToString(d[:6]))
}
