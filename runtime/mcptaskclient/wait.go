package mcptaskclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Intervals at which a task is polled.
const (
	defaultPoll = time.Second // if the server suggests none
	minPoll     = 100 * time.Millisecond
	maxPoll     = time.Minute
)

const (
	// cancelTime limits the cancellation of a task that is no longer waited for.
	cancelTime = 2 * time.Second
	// endTime limits how much longer than the task tasks/result may take, before it is sent again.
	endTime = 2 * time.Second
	// unbounded is longer than any wait: the context limits it.
	unbounded = 10 * 365 * 24 * time.Hour
)

// Errors of tasks, for errors.Is.
var (
	// ErrCancelled is returned when the task was cancelled.
	ErrCancelled = errors.New("the task was cancelled")
	// ErrQuestions is returned when a task asks more than 100 questions, or more than 64 at the
	// same time.
	ErrQuestions = errors.New("the task asks too many questions")

	errQuestion = errors.New("question of the task")
)

// Error is an error of a call that has become a task, or of a task.
type Error struct {
	Task string // its id, for [Find]
	Err  error  // ErrCancelled, ErrQuestions, the *jsonrpc.Error of a failed task, or an error of package mcpclient
}

// Error returns a text with the id and the error.
func (e *Error) Error() string { return fmt.Sprintf("task %q: %v", e.Task, e.Err) }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// waiter waits for the end of one task.
type waiter struct {
	client   *mcpclient.Client
	form     protocol.TaskForm
	id       string
	progress func(mcpclient.Progress) // may be nil
	state    *State                   // the last known state

	message string // the last message passed to progress

	// For questions of the extension:
	answering map[string]context.CancelFunc // by key; used by the loop of the task
	asked     int                           // number of questions passed to functions of the user
	mu        sync.Mutex
	answered  map[string]bool // questions whose answers were sent
	again     chan struct{}   // has an element after that: the task should be polled now
	failed    chan error      // has an element after a question has failed

	group sync.WaitGroup
}

// newWaiter returns a waiter for a created task.
func newWaiter(client *mcpclient.Client, form protocol.TaskForm, created json.RawMessage) (*waiter, error) {
	state, err := readState(created, form, protocol.ToolsCall.String(), "")
	if err != nil {
		return nil, err
	}
	w := waiterOf(client, form, state.ID)
	w.state = state
	return w, nil
}

func waiterOf(client *mcpclient.Client, form protocol.TaskForm, id string) *waiter {
	return &waiter{
		client: client, form: form, id: id, answering: map[string]context.CancelFunc{}, answered: map[string]bool{},
		again: make(chan struct{}, 1), failed: make(chan error, 1),
	}
}

func (w *waiter) wrap(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := err.(*Error); ok {
		return e
	}
	return &Error{Task: w.id, Err: err}
}

// params returns the params of a request for the task, with a further member unless name is "".
func (w *waiter) params(name string, value []byte) json.RawMessage {
	b := append(wire.AppendString([]byte(`{"taskId":`), w.id), "}"...)
	if name == "" {
		return b
	}
	b = wire.AppendString(append(b[:len(b)-1], ','), name)
	return append(append(append(b, ':'), value...), '}')
}

// get polls the task.
func (w *waiter) get(ctx context.Context) error {
	method := protocol.TasksGet.String()
	data, err := w.client.Request(ctx, method, w.params("", nil), mcpclient.WithIdempotent())
	if err != nil {
		return err
	}
	state, err := readState(data, w.form, method, w.id)
	if err != nil {
		return err
	}
	if w.state != nil && w.state.Status.Ended() && state.Status != w.state.Status {
		return violation(method, fmt.Sprintf("a task that was %s is %s", w.state.Status, state.Status), data)
	}
	w.state = state
	return nil
}

// poll is like get, but tolerates temporary failures of the server.
func (w *waiter) poll(ctx context.Context) error {
	return w.patiently(ctx, w.interval(), func() error { return w.get(ctx) })
}

// known reports whether the state contains everything that the wait needs: the reply to a call
// contains neither questions nor a result.
func (w *waiter) known() bool {
	switch {
	case w.state == nil:
		return false
	case w.form == protocol.TaskSession:
		return true
	case w.state.Status == InputRequired:
		return len(w.state.questions) > 0
	case w.state.Status == Completed:
		return w.state.result != nil
	case w.state.Status == Failed:
		return w.state.failure != nil
	}
	return true
}

// abandon cancels a task that is no longer waited for. It ignores errors: the caller already has
// the error that ended the wait.
func (w *waiter) abandon(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
	defer cancel()
	_, _ = w.client.Request(ctx, protocol.TasksCancel.String(), w.params("", nil), mcpclient.WithIdempotent())
}

// report passes on a new message of the task.
func (w *waiter) report() {
	if w.progress == nil || w.state.Message == "" || w.state.Message == w.message {
		return
	}
	w.message = w.state.Message
	w.progress(mcpclient.Progress{Message: w.message})
}

// interval returns the time until the next poll.
func (w *waiter) interval() time.Duration {
	if w.state == nil || w.state.Poll == 0 {
		return defaultPoll
	}
	return min(max(w.state.Poll, minPoll), maxPoll)
}

// wait waits for the end of the task, and returns its result.
func (w *waiter) wait(ctx context.Context) (json.RawMessage, error) {
	inside, cancel := context.WithCancel(ctx)
	defer w.group.Wait()
	defer cancel()
	result, err := w.loop(inside)
	if ctx.Err() != nil && err != nil {
		return nil, context.Cause(ctx)
	}
	return result, err
}

func (w *waiter) loop(ctx context.Context) (json.RawMessage, error) {
	r := resultRequest{waiter: w}
	defer r.stop()
	if !w.known() {
		if err := w.poll(ctx); err != nil {
			return nil, err
		}
	}
	for {
		if w.state.Status != Completed && w.state.Status != Failed {
			w.report()
		}
		wait := w.interval()
		switch {
		case w.state.Status == Cancelled:
			return nil, ErrCancelled
		case w.form == protocol.TaskSession:
			if w.state.Status == InputRequired || w.state.Status.Ended() {
				r.begin(ctx, w.state.Status.Ended())
			}
			if w.state.Status.Ended() {
				wait = endTime
			}
		case w.state.Status == Completed:
			return w.state.result, nil
		case w.state.Status == Failed:
			return nil, w.state.failure
		default:
			if err := w.answer(ctx); err != nil {
				return nil, err
			}
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
			if w.form == protocol.TaskSession && w.state.Status.Ended() {
				r.hurry(ctx)
				continue
			}
		case <-w.again:
		case err := <-w.failed:
			timer.Stop()
			return nil, err
		case e := <-r.ended:
			timer.Stop()
			if end, err, done := r.outcome(e); done {
				if e, ok := err.(*jsonrpc.Error); ok && e.Code == jsonrpc.CodeInvalidParams {
					if !w.state.Status.Ended() && w.get(ctx) == nil && w.state.Status == Cancelled {
						return nil, ErrCancelled
					}
				}
				return end, err
			}
		case <-w.client.Done():
			timer.Stop()
			return nil, mcpclient.ErrClosed
		case <-ctx.Done():
			timer.Stop()
			return nil, context.Cause(ctx)
		}
		timer.Stop()
		if w.form == protocol.TaskSession && w.state.Status.Ended() {
			continue // the result is final, whatever the server sends
		}
		if err := w.poll(ctx); err != nil {
			return nil, err
		}
	}
}

// answer answers new questions of the task, each in a goroutine, and cancels the answers to
// questions that the task no longer asks.
func (w *waiter) answer(ctx context.Context) error {
	if len(w.state.questions) > maxOpen {
		return fmt.Errorf("%w: %w: more than %d at a time", errQuestion, ErrQuestions, maxOpen)
	}
	open := map[string]bool{}
	for _, q := range w.state.questions {
		open[q.key] = true
		w.mu.Lock()
		answered := w.answered[q.key]
		w.mu.Unlock()
		if w.answering[q.key] != nil || answered {
			continue
		}
		if w.asked++; w.asked > maxQuestions {
			return fmt.Errorf("%w: %w: more than %d", errQuestion, ErrQuestions, maxQuestions)
		}
		of, cancel := context.WithCancel(ctx)
		w.answering[q.key] = cancel
		pause := w.interval() // only the loop reads the state
		w.group.Go(func() {
			defer cancel()
			err := w.answerOne(of, pause, q)
			if err != nil && of.Err() == nil {
				select {
				case w.failed <- fmt.Errorf("%w: %w", errQuestion, err):
				default: // another question has failed
				}
			}
		})
	}
	for key, cancel := range w.answering {
		if !open[key] {
			cancel()
			delete(w.answering, key) // if the server asks again, it did not get the answer
		}
	}
	return nil
}

func (w *waiter) answerOne(ctx context.Context, pause time.Duration, q question) error {
	answer, err := w.client.Answer(ctx, q.key, q.method, q.params)
	if err != nil {
		return err
	}
	responses := append(append(wire.AppendString([]byte{'{'}, q.key), ':'), answer...)
	params := w.params("inputResponses", append(responses, '}'))
	err = w.patiently(ctx, pause, func() error {
		_, err := w.client.Request(ctx, protocol.TasksUpdate.String(), params, mcpclient.WithIdempotent())
		return err
	})
	if err != nil {
		return err
	}
	w.mu.Lock()
	w.answered[q.key] = true
	w.mu.Unlock()
	select {
	case w.again <- struct{}{}:
	default:
	}
	return nil
}

// resultRequest is a request tasks/result of revision 2025-11-25. The server replies at the end of
// the task, and sends its questions until then.
type resultRequest struct {
	*waiter
	ended  chan resultEnd // nil without a request
	cancel context.CancelFunc
	final  bool // the task is over: the reply must arrive like any other
}

type resultEnd struct {
	result json.RawMessage
	err    error
}

// begin sends the request, unless it is in flight.
func (r *resultRequest) begin(ctx context.Context, final bool) {
	if r.ended != nil {
		return
	}
	r.final = final
	options := []mcpclient.RequestOption{mcpclient.WithIdempotent()}
	if !final { // the wait may include a person's answer; the task is also polled
		options = append(options, mcpclient.WithTimeout(unbounded), mcpclient.WithMaxTime(unbounded))
	}
	ctx, r.cancel = context.WithCancel(ctx)
	ended := make(chan resultEnd, 1)
	r.ended = ended
	pause := r.interval() // only the loop reads the state
	r.group.Go(func() {
		var result json.RawMessage
		send := func() (err error) {
			result, err = r.client.Request(ctx, protocol.TasksResult.String(), r.params("", nil), options...)
			return err
		}
		var err error
		if final {
			err = r.patiently(ctx, pause, send)
		} else {
			err = send()
		}
		ended <- resultEnd{result, err}
	})
}

func (r *resultRequest) stop() {
	if r.ended != nil {
		r.cancel()
		r.ended = nil
	}
}

// hurry sends the request again if it was sent before the end of the task.
func (r *resultRequest) hurry(ctx context.Context) {
	if r.ended != nil && !r.final {
		r.stop()
	}
	r.begin(ctx, true)
}

// outcome returns the outcome of the request, and whether it ends the wait.
func (r *resultRequest) outcome(e resultEnd) (json.RawMessage, error, bool) {
	final := r.final
	r.stop()
	if e.err == nil {
		if kind, _ := jsonrpc.String(member(e.result, "resultType")); kind != "" && kind != "complete" {
			return nil, violation(protocol.TasksResult.String(), "the result of a task is not one of a call", e.result), true
		}
		return e.result, nil, true
	}
	if isTemporary(e.err) && !final {
		return nil, nil, false // the next poll sends it again, or fails too
	}
	return nil, e.err, true
}
