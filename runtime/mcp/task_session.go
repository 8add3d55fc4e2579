package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/taskcall"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file is the tasks that a session of revision 2025-11-25 has begun and that have not ended. On
// the stream for messages that belong to no request, its client gets notifications/tasks/status, and
// the questions of tasks for whose result it does not wait (awaitTask). A task that waits has no
// goroutine: one goroutine looks at all tasks of the session that have changed, and each of at most
// maxAsking questions has one until its answer.

// askAfter is how long a question is open before that stream has it. A client that looks at the task
// asks for the result meanwhile (basic/utilities/tasks, input required status), and one with a
// channel for each request has read the reply that made the call a task.
const askAfter = 3 * time.Second

// maxAsking is how many questions of tasks a session has at a time on that stream. The others follow
// when one has its answer.
const maxAsking = 16

// sessionTasks is the tasks of a session.
type sessionTasks struct {
	request *exchange // the call that began the first one, without its message

	mu      sync.Mutex
	ended   bool
	all     map[string]*sessionTask // by their ids
	changed []*sessionTask          // that are to be looked at
	looking bool                    // a goroutine does
	asking  int                     // questions
	waiting []*sessionTask          // that have questions for which there is no room
}

// sessionTask is one of them.
type sessionTask struct {
	id      string
	caller  taskcall.Caller
	stop    func()          // of what calls change
	shown   json.RawMessage // as the client knows it
	changed bool            // it is in sessionTasks.changed
	awaited int             // requests for its result, which ask its questions
	asked   map[string]context.CancelFunc
	due     map[string]time.Time // when open questions may be sent
}

// followTask follows a task that the request x has begun, after its reply.
func followTask(x *exchange, a acceptedTask) {
	c := x.conn
	if c.out == nil || c.oneMessage || x.inSession == nil {
		return
	}
	t := &sessionTask{id: a.ID, caller: taskCaller(x), asked: map[string]context.CancelFunc{}, due: map[string]time.Time{}}
	t.shown = bytes.TrimSuffix(bytes.TrimPrefix(a.Task, []byte(`{"task":`)), []byte("}"))
	context.AfterFunc(x.ctx.make(), func() {
		if s := tasksOfSession(x); s != nil {
			s.follow(t)
		}
	})
}

// tasksOfSession returns the tasks of the session of a request, nil if the connection has ended.
func tasksOfSession(x *exchange) *sessionTasks {
	c := x.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.tasks.(*sessionTasks)
	if !ok && !c.closing {
		s = &sessionTasks{request: x.withoutMessage(), all: map[string]*sessionTask{}}
		s.request.sink = c.out
		c.tasks = s
	}
	return s
}

// begunTasks returns the tasks of the session, nil before the first.
func begunTasks(c *conn) *sessionTasks {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, _ := c.tasks.(*sessionTasks)
	return s
}

// follow follows a task until it ends.
func (s *sessionTasks) follow(t *sessionTask) {
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return
	}
	s.all[t.id] = t
	s.mu.Unlock()
	stop := taskServer(s.request.conn.server).Observe(t.caller, t.id, func() { s.change(t) })
	s.mu.Lock()
	t.stop = stop
	gone := s.all[t.id] != t
	s.mu.Unlock()
	if gone {
		stop()
	}
	s.change(t) // it may have changed before
}

// end forgets all tasks: the connection has ended.
func (s *sessionTasks) end() {
	s.mu.Lock()
	s.ended = true
	var all []*sessionTask
	for _, t := range s.all {
		all = append(all, t)
	}
	s.mu.Unlock()
	for _, t := range all {
		s.forget(t)
	}
}

// forget ends what follows a task.
func (s *sessionTasks) forget(t *sessionTask) {
	s.mu.Lock()
	delete(s.all, t.id)
	stop := t.stop
	for _, cancel := range t.asked {
		cancel()
	}
	s.mu.Unlock()
	if stop != nil {
		stop()
	}
}

// change has a task looked at. It does not wait.
func (s *sessionTasks) change(t *sessionTask) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.changed || s.ended || s.all[t.id] != t {
		return
	}
	t.changed = true
	s.changed = append(s.changed, t)
	if !s.looking {
		s.looking = true
		go s.look()
	}
}

// look looks at the tasks that have changed.
func (s *sessionTasks) look() {
	for {
		s.mu.Lock()
		if len(s.changed) == 0 || s.ended {
			s.looking = false
			s.mu.Unlock()
			return
		}
		t := s.changed[0]
		s.changed = s.changed[1:]
		t.changed = false
		s.mu.Unlock()
		s.lookAt(t)
	}
}

// lookAt sends the client what is new of a task.
func (s *sessionTasks) lookAt(t *sessionTask) {
	x := s.exchange(true)
	defer x.stop(nil)
	if x.from.principal.expired() {
		return
	}
	server := x.conn.server
	var now *taskcall.State
	err := taskServer(server).Follow(&x.ctx, t.caller, t.id, s.authorize(x), func(state *taskcall.State) bool {
		now = state
		return false
	})
	if err != nil || now == nil {
		if err := x.taskError(&x.ctx, err); err == error(errUnknownTask) {
			s.forget(t) // it has expired, or the client must not see it any more
		}
		return
	}
	if l, ok := x.sink.(transport.Listener); !ok || l.Listening() {
		if !bytes.Equal(now.Task, t.shown) {
			t.shown = now.Task
			x.sink.Wait()
			x.inSession.subscriber.send(jsonrpc.AppendNotification(nil, protocol.TaskStatusChanged, now.Task), 0)
			x.sink.Flush()
		}
		s.ask(t, now)
	}
	if now.Ended {
		s.forget(t)
	}
}

// exchange returns a request of the session that no message comes from.
func (s *sessionTasks) exchange(answered bool) *exchange {
	x := s.request.withoutMessage()
	x.answered = answered
	if who := x.conn.principal.Load(); who != nil {
		x.from.principal = who
	}
	return x
}

// authorize returns the function that decides about the tool of a task.
func (s *sessionTasks) authorize(x *exchange) func(tool string) error {
	return func(tool string) error {
		if !mayWatch(&x.ctx, x.conn.server, x, tool) {
			return errUnknownTask
		}
		return nil
	}
}

// ask sends the open questions of a task, unless a request for its result does, and takes back those
// that are not open any more.
func (s *sessionTasks) ask(t *sessionTask, now *taskcall.State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	open := map[string]bool{}
	for _, q := range now.Questions {
		open[q.Name] = true
		if t.due[q.Name].IsZero() {
			t.due[q.Name] = time.Now().Add(askAfter)
			time.AfterFunc(askAfter, func() { s.change(t) })
		}
		switch {
		case t.asked[q.Name] != nil || t.awaited > 0 || s.ended || time.Now().Before(t.due[q.Name]):
		case s.asking == maxAsking:
			s.waiting = append(s.waiting, t)
		default:
			s.asking++
			x := s.exchange(false)
			ctx, cancel := context.WithCancel(&x.ctx)
			t.asked[q.Name] = cancel
			go s.askOne(ctx, x, t, q)
		}
	}
	for name, cancel := range t.asked {
		if !open[name] {
			cancel()
			delete(t.asked, name)
		}
	}
	for name := range t.due {
		if !open[name] {
			delete(t.due, name)
		}
	}
}

// askOne sends a question, and stores its answer.
func (s *sessionTasks) askOne(ctx context.Context, x *exchange, t *sessionTask, q taskcall.OpenQuestion) {
	defer x.stop(nil)
	askForTask(ctx, x.conn.server, x, t.id, q, s.authorize(x))
	x.releaseCharge()
	s.mu.Lock()
	s.asking--
	waiting := s.waiting
	s.waiting = nil
	s.mu.Unlock()
	for _, next := range waiting {
		s.change(next)
	}
}

// await leaves the questions of a task to a request for its result, until end is called.
func (s *sessionTasks) await(id string) (end func()) {
	s.mu.Lock()
	t := s.all[id]
	if t != nil {
		t.awaited++
	}
	s.mu.Unlock()
	if t == nil {
		return func() {}
	}
	return func() {
		s.mu.Lock()
		t.awaited--
		s.mu.Unlock()
		s.change(t)
	}
}
