package mcptask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/taskcall"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// This file asks the questions of a run, on its handler's goroutines.

// waiter is a goroutine that waits for an answer.
type waiter struct {
	question *taskcall.Question
	answer   chan<- json.RawMessage
}

// answered returns the answer to a question. It ignores an answer that the handler has found
// invalid, or that belongs to another question with the same key: a record may be older than the
// question.
func (c *content) answered(q *taskcall.Question) (json.RawMessage, bool) {
	if c.Work == nil || q.Tries != c.Work.Tries[q.Key] {
		return nil, false
	}
	a, ok := c.Work.Answers[q.Key]
	return a.Value, ok && (a.Digest == nil || string(a.Digest) == string(q.Digest[:]))
}

// Ask implements [taskcall.Run].
func (r *run) Ask(ctx context.Context, q *taskcall.Question) (json.RawMessage, error) {
	answer := make(chan json.RawMessage, 1)
	r.mu.Lock()
	r.waiters[q.Key] = &waiter{q, answer}
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		delete(r.waiters, q.Key)
		r.mu.Unlock()
	}()
	c, err := r.keep(ctx, func(now *Record, c *content) error {
		if err := r.tasks.ask(c, q); err != nil {
			return err
		}
		if len(c.Open) > 0 {
			now.Status = InputRequired
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.deliver(c) // the answer may have arrived before
	r.tasks.wait(r)
	defer r.tasks.resume(r)
	r.tasks.mu.Lock()
	park := r.tasks.parkAfter
	if r.tasks.closing { // too late: Shutdown has already given back the runs that ask
		park = 0
	}
	r.tasks.mu.Unlock()
	if park == 0 && ctx.Err() == nil { // the run ends here, even if the client is quick
		if value, ok := c.answered(q); ok {
			return value, nil
		}
		return nil, taskcall.ErrParked
	}
	timer := time.NewTimer(park)
	defer timer.Stop()
	select {
	case value := <-answer:
		return value, nil
	case <-timer.C:
	case <-ctx.Done():
	}
	select {
	case value := <-answer: // the answer has arrived at the same time
		return value, nil
	default:
	}
	cause := context.Cause(ctx)
	if cause == nil || errors.Is(cause, mcp.ErrPending) {
		return nil, taskcall.ErrParked
	}
	r.withdraw(q)
	return nil, cause
}

// withdraw takes a question back that its handler no longer waits for.
func (r *run) withdraw(q *taskcall.Question) {
	ctx, cancel := context.WithTimeout(r.ctx, storeTime)
	defer cancel()
	_, err := r.change(ctx, func(now *Record, c *content) error {
		if !c.remove(q.Key) {
			return errNothing
		}
		if len(c.Open) == 0 {
			now.Status = Working
		}
		return nil
	})
	if err != nil && !errors.Is(err, errNothing) && r.ctx.Err() == nil {
		r.log(slog.LevelError, "question of a task cannot be taken back", err)
	}
}

// remove removes an open question. It reports whether the question was open.
func (c *content) remove(key string) bool {
	for i, q := range c.Open {
		if q.Key == key {
			c.Open = append(c.Open[:i:i], c.Open[i+1:]...)
			return true
		}
	}
	return false
}

// ask adds a question, unless it is open already. It replaces a different question with the same
// key.
func (t *tasks) ask(c *content, q *taskcall.Question) error {
	for _, open := range c.Open {
		if open.Key == q.Key && string(open.Digest) == string(q.Digest[:]) && string(open.Params) == string(q.Params) {
			return nil
		}
	}
	c.remove(q.Key)
	if _, ok := c.answered(q); ok {
		return nil // the answer has arrived since the run began
	}
	delete(c.Work.Answers, q.Key) // it is not valid, or answers another question
	if q.Tries > 0 {
		if c.Work.Tries == nil {
			c.Work.Tries = map[string]int{}
		}
		c.Work.Tries[q.Key] = q.Tries
	}
	if len(c.Open) >= t.limits.OpenQuestions {
		return fmt.Errorf("the task has %d open questions, and may have %d", len(c.Open), t.limits.OpenQuestions)
	}
	c.Open = append(c.Open, openQuestion{Name: c.name(q.Key), Key: q.Key, Method: q.Method, Params: q.Params, Digest: q.Digest[:]})
	return t.checkSize(c)
}

// name returns a new name for a question, which no other question of the task has had.
func (c *content) name(key string) string {
	name := key
	for n := 2; c.Names[name]; n++ {
		name = key + "#" + strconv.Itoa(n)
	}
	if c.Names == nil {
		c.Names = map[string]bool{}
	}
	c.Names[name] = true
	return name
}
