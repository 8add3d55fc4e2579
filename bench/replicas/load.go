package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
	"github.com/mcpgen/mcpgen/runtime/mcptaskclient"
)

// load contains the clients of a run. Each calls tools one after the other, with pauses.
type load struct {
	url     string
	ledger  *ledger
	clients []*client
	ending  chan struct{} // closed when no more calls begin
}

// client is a client of the load.
type client struct {
	*mcpclient.Client
	load  *load
	name  string
	tools []string // the tools to call
	pause time.Duration
	calls int
}

// kinds describes the 120 clients.
var kinds = []struct {
	name, revision string
	clients        int
	tools          []string
	listens        bool
	pause          time.Duration
}{
	{"session", "2025-11-25", 25, []string{"add", "steps", "ask", "change"}, true, 2 * time.Second},
	{"older", "2025-06-18", 20, []string{"add", "steps", "ask", "change"}, true, 2 * time.Second},
	{"modern", "2026-07-28", 45, []string{"add", "steps", "ask", "change"}, true, 2 * time.Second},
	{sessionTasks, "2025-11-25", 10, []string{"work"}, false, time.Second},
	{"tasks", "2026-07-28", 10, []string{"work"}, false, time.Second},
	{"limited", "2026-07-28", 10, []string{"limited"}, false, 100 * time.Millisecond},
}

const (
	callTime = 60 * time.Second // limit of a client for a call that does not become a task
	taskTime = 3 * time.Minute
	hearTime = 15 * time.Second // time in which every change must arrive
)

// connect connects all clients.
func (l *load) connect(ctx context.Context) error {
	l.ending = make(chan struct{})
	var connecting sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for _, k := range kinds {
		for i := range k.clients {
			connecting.Go(func() {
				c := &client{load: l, name: k.name + strconv.Itoa(i), tools: k.tools, pause: k.pause}
				err := c.connect(ctx, k.revision)
				if err == nil && k.listens {
					err = c.listen(ctx, i)
				}
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					failed = fmt.Errorf("%s: %w", c.name, err)
					return
				}
				l.clients = append(l.clients, c)
			})
		}
	}
	connecting.Wait()
	return failed
}

func (c *client) connect(ctx context.Context, revision string) (err error) {
	o := mcpclient.Options{
		Revision: revision, Logger: slog.New(slog.DiscardHandler), Elicit: c.answer,
		OnProtocolError: func(err error) { c.load.ledger.fault("%s: %v", c.name, err) },
	}
	mcptaskclient.Enable(&o)
	header := http.Header{}
	header.Set(clientField, c.name)
	c.Client, err = mcpclient.Connect(ctx, mcphttpclient.Endpoint{URL: c.load.url, Header: header}, o)
	return err
}

// errWithdrawn is the cause for the end of a question whose request is over without an answer.
var errWithdrawn = errors.New("the question was taken back")

// answerOf returns the answer to the question of a call.
func answerOf(nonce string) string { return "answer-" + nonce }

// answer answers a question after a while.
func (c *client) answer(ctx context.Context, e *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
	nonce := e.Message
	l := c.load.ledger
	select {
	case <-time.After(200*time.Millisecond + rand.N(1300*time.Millisecond)):
	case <-ctx.Done():
		l.failed("question "+nonce, errWithdrawn)
		return mcpclient.ElicitAnswer{}, ctx.Err()
	}
	l.with(func() {
		if one := l.calls[nonce]; one != nil {
			one.asked++
		} else {
			l.faults = append(l.faults, "a question of no call: "+nonce)
		}
	})
	return mcpclient.Accept(map[string]any{"answer": answerOf(nonce)}), nil
}

// listened is the number of resources that a client listens to.
const listened = 5

func (c *client) listen(ctx context.Context, first int) error {
	var uris []string
	for i := range listened {
		uris = append(uris, itemURI((first*3+i*7)%resources))
	}
	sub, err := c.Subscribe(ctx, mcpclient.Filter{URIs: uris})
	if err != nil {
		return err
	}
	for _, uri := range uris {
		c.load.ledger.listens(c.name, uri)
	}
	go func() {
		for change := range sub.Changes() {
			c.load.ledger.receives(c.name, change.URI)
		}
	}()
	return nil
}

// run calls tools until the load ends, and waits for the calls in progress.
func (l *load) run(ctx context.Context, d time.Duration) {
	l.ledger.with(func() { l.ledger.began = time.Now() })
	var running sync.WaitGroup
	for _, c := range l.clients {
		running.Go(func() { c.run(ctx) })
	}
	time.Sleep(d)
	l.ledger.with(func() { l.ledger.ended = time.Now() })
	close(l.ending)
	running.Wait()
}

func (l *load) close() {
	for _, c := range l.clients {
		_ = c.Close()
	}
}

func (c *client) run(ctx context.Context) {
	for {
		select {
		case <-c.load.ending:
			return
		case <-ctx.Done():
			return
		case <-time.After(c.pause/2 + rand.N(c.pause)):
		}
		c.calls++
		nonce := c.name + "-" + strconv.Itoa(c.calls)
		switch tool := c.tools[rand.IntN(len(c.tools))]; tool {
		case "work":
			c.runTask(ctx, nonce)
		case "limited":
			c.runLimited(ctx, nonce)
		default:
			c.runCall(ctx, tool, nonce)
		}
	}
}

func (c *client) runCall(ctx context.Context, tool, nonce string) {
	l := c.load.ledger
	one := l.call(nonce, tool)
	result, err := c.Call(ctx, tool, map[string]any{"nonce": nonce, "item": rand.IntN(resources)}, mcpclient.WithTimeout(callTime),
		mcpclient.WithProgress(func(p mcpclient.Progress) { l.with(func() { one.progress = append(one.progress, int(p.Done)) }) }))
	if err != nil {
		l.failed(tool+" "+nonce, err)
		return
	}
	l.with(func() { one.done, one.result = true, result.Text() })
}

func (c *client) runLimited(ctx context.Context, nonce string) {
	l := c.load.ledger
	result, err := c.Call(ctx, "limited", map[string]any{"nonce": nonce}, mcpclient.WithTimeout(callTime))
	if err != nil {
		l.failed("limited "+nonce, err)
		return
	}
	l.with(func() {
		l.tried++
		if !result.IsError {
			l.passed = append(l.passed, time.Now())
		}
	})
}

// runTask runs a task to its end. A client that loses the connection looks for its task again, like
// after a restart.
func (c *client) runTask(ctx context.Context, nonce string) {
	l := c.load.ledger
	l.call(nonce, "work")
	t, err := mcptaskclient.CallTask(ctx, c.Client, "work", map[string]any{"nonce": nonce}, mcpclient.WithTimeout(callTime))
	if err != nil {
		l.failed("work "+nonce, err)
		return
	}
	id := t.ID()
	l.with(func() { l.tasks[id] = &task{nonce: nonce} })
	ctx, cancel := context.WithTimeout(ctx, taskTime)
	defer cancel()
	for ctx.Err() == nil {
		result, err := t.Wait(ctx)
		if err == nil {
			l.with(func() { l.tasks[id].results = append(l.tasks[id].results, result.Text()) })
			return
		}
		if kind := classify(err); kind == otherFailure {
			state, failed := t.State(context.WithoutCancel(ctx))
			l.fault("the task %s of %s: %v; its state is %+v, %v", id, nonce, err, state, failed)
			return
		}
		if again, err := mcptaskclient.Find(ctx, c.Client, id); err == nil {
			t = again
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// readTasks reads all tasks again, from any replica.
func (l *load) readTasks(ctx context.Context) {
	for _, c := range l.clients {
		if c.tools[0] != "work" {
			continue
		}
		ids := map[string]bool{}
		l.ledger.with(func() {
			for id, t := range l.ledger.tasks {
				if strings.HasPrefix(t.nonce, c.name+"-") && len(t.results) > 0 {
					ids[id] = true
				}
			}
		})
		for id := range ids {
			t, err := mcptaskclient.Find(ctx, c.Client, id)
			if err != nil {
				l.ledger.fault("the task %s is not found at the end: %v", id, err)
				continue
			}
			result, err := t.Wait(ctx)
			if err != nil {
				l.ledger.fault("the task %s has no result at the end: %v", id, err)
				continue
			}
			l.ledger.with(func() { l.ledger.tasks[id].results = append(l.ledger.tasks[id].results, result.Text()) })
		}
	}
}

func (l *ledger) failed(what string, err error) {
	l.with(func() {
		l.failures = append(l.failures, failure{time.Now(), what, classify(err), err.Error()})
	})
}

// The kinds of failures.
const (
	withdrawnFailure   = "question taken back"
	brokenFailure      = "broken connection"
	refusedFailure     = "503"
	interruptedFailure = "interrupted"
	otherFailure       = "other"
)

// classify returns the kind of a failure.
func classify(err error) string {
	if errors.Is(err, errWithdrawn) {
		return withdrawnFailure
	}
	if status, ok := errors.AsType[*mcpclient.StatusError](err); ok && status.Status == http.StatusServiceUnavailable {
		return refusedFailure
	}
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok {
		switch text := string(rpc.Data) + rpc.Message; {
		case strings.Contains(text, "interrupted"):
			return interruptedFailure
		case strings.Contains(text, "overloaded"):
			return refusedFailure
		}
		return otherFailure
	}
	if _, ok := errors.AsType[*mcpclient.ConnectionError](err); ok || errors.Is(err, io.ErrUnexpectedEOF) {
		return brokenFailure
	}
	return otherFailure
}
