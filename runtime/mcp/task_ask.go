package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mcpgen/mcpgen/runtime/internal/taskcall"
)

// This file implements asking, storing values and reporting progress for handlers of tasks. It runs
// on their goroutines.

// currentTask returns the task run of a handler, or nil if its call is not a task (yet).
func currentTask(x *exchange) taskcall.Run {
	if t := x.taskRun(); t != nil {
		return t.current()
	}
	return nil
}

func (t *taskRun) asker() asker {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch t.state {
	case undecided:
		t.state = isPlain
	case isTask:
		return taskAsker{}
	}
	return nil
}

// hasReply returns false for a task: its request has a reply already, but it can still ask.
func (t *taskRun) hasReply() bool { return t.current() == nil && t.request.IsAnswered() }

// taskAsker adds a question to the task, and waits for the answer. If that takes long, the run ends
// like a round.
type taskAsker struct{}

func (taskAsker) ask(ctx context.Context, x *exchange, key string, q *question, complaint string) (json.RawMessage, error) {
	c := &x.questions
	run := currentTask(x)
	if run == nil { // the task could not be stored
		return nil, ErrNoCall
	}
	asked := taskcall.Question{Key: key, Method: q.method, Params: q.params(complaint), Digest: q.digest}
	c.mu.Lock()
	r := c.make()
	asked.Tries = r.tries[key]
	returned, parked := c.returned.Load(), len(r.pending) > 0
	c.mu.Unlock()
	switch {
	case returned:
		return nil, ErrNoCall
	case parked:
		return nil, ErrPending
	}
	value, err := awaitAnswer(ctx, x, run, &asked)
	if !errors.Is(err, taskcall.ErrParked) {
		return value, err
	}
	c.mu.Lock()
	r.pending = append(r.pending, pendingQuestion{key, q.method, asked.Params, q.digest})
	c.mu.Unlock()
	x.Stop(ErrPending)
	return nil, ErrPending
}

// awaitAnswer waits for the answer while the clock of the handler is paused.
func awaitAnswer(ctx context.Context, x *exchange, run taskcall.Run, q *taskcall.Question) (json.RawMessage, error) {
	defer x.PauseClock()()
	return run.Ask(ctx, q)
}

// taskQuestions returns the unanswered questions among the ones that a handler returned.
func taskQuestions(x *exchange, required *InputRequired) ([]taskcall.Question, error) {
	c := &x.questions
	c.mu.Lock()
	defer c.mu.Unlock()
	keys, questions, err := x.unanswered(required)
	if err == nil {
		err = x.setState(required)
	}
	if err != nil {
		return nil, err
	}
	var open []taskcall.Question
	for i, q := range questions {
		open = append(open, taskcall.Question{
			Key: keys[i], Method: q.method, Params: q.params(""), Digest: q.digest, Tries: c.made.tries[keys[i]],
		})
	}
	return open, nil
}
