package interop

import (
	"context"
	"errors"
	nethttp "net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

// restarted is a server whose process ends and is started again during the test.
type restarted struct {
	*user
	t       *testing.T
	ctx     context.Context
	ledger  string
	restart func(pid string) // kills the process, and starts it again unless the client does
	states  *states
	sub     *mcpclient.Subscription
	changes chan mcpclient.Change
}

// states records the changes of the connection.
type states struct {
	mu  sync.Mutex
	all []mcpclient.StateKind
}

func (s *states) add(state mcpclient.State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, state.Kind)
}

func (s *states) count(kind mcpclient.StateKind) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.all {
		if k == kind {
			n++
		}
	}
	return n
}

// TestOurClientRestart kills servers between two calls, and during calls.
func TestOurClientRestart(t *testing.T) {
	for _, server := range sdkServers {
		for _, w := range server.ways {
			if w.path == "/sse" {
				continue // HTTP+SSE is a stream like stdio, with an address like HTTP
			}
			for _, revision := range []string{w.newest, legacy} {
				if revision != w.newest && !slices.Contains(w.revisions, revision) || revision == legacy && w.newest == legacy && len(w.revisions) == 1 {
					continue
				}
				t.Run(server.name+"/"+w.name+"/"+revision, func(t *testing.T) {
					t.Parallel()
					restartServer(t, &server, &w, revision)
				})
				if w.newest == legacy {
					break
				}
			}
		}
	}
}

func restartServer(t *testing.T, server *sdkServer, w *ourWay, revision string) {
	command := server.command(t)
	_, ledger, _ := strings.Cut(command.Env[0], "=")
	target := mcpclient.Target(command)
	restart := func(pid string) {
		n, err := strconv.Atoi(pid)
		if err != nil {
			t.Fatal(err)
		}
		process, err := os.FindProcess(n)
		if err != nil {
			t.Fatal(err)
		}
		must(t, "kill", process.Kill())
	}
	if w.path != "" {
		at := listen(t, command, "127.0.0.1:0")
		// Node.js closes connections that were idle for 5 seconds. A call that is sent at that
		// moment may have run as far as the client knows, and is not sent again.
		transport := &nethttp.Transport{IdleConnTimeout: time.Second}
		defer transport.CloseIdleConnections()
		target = mcphttpclient.Endpoint{URL: "http://" + at.address + w.path, Client: &nethttp.Client{Transport: transport}}
		restart = func(string) {
			at.stop()
			// A request on a connection to the old process may have run, and would not be sent
			// again.
			transport.CloseIdleConnections()
			at = listen(t, command, at.address)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	r := &restarted{user: &user{w: w, logs: make(chan string, 100)}, t: t, ctx: ctx, ledger: ledger, restart: restart, states: &states{}}
	c, err := mcpclient.Connect(ctx, target, mcpclient.Options{
		Revision: revision,
		LogLevel: "warning",
		OnLog:    func(m mcpclient.LogMessage) { r.logs <- m.Level + " " + m.Logger },
		OnState:  r.states.add,
		Retry:    mcpclient.Retry{Attempts: 50, First: 10 * time.Millisecond, Max: 200 * time.Millisecond},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Client = c
	r.watch()
	r.between()
	r.during()
	must(t, "close", c.Close())
	r.wait("the state Closed", func() bool { return r.states.count(mcpclient.Closed) == 1 })
	if r.states.count(mcpclient.Connected) != 1 || r.states.count(mcpclient.Lost) != r.states.count(mcpclient.Reconnected) {
		t.Errorf("states %v", r.states.all)
	}
}

// wait waits for a condition.
func (r *restarted) wait(what string, is func() bool) {
	r.t.Helper()
	for !is() {
		select {
		case <-r.ctx.Done():
			r.t.Fatalf("waited for %s", what)
		case <-time.After(time.Millisecond):
		}
	}
}

// watch subscribes to the resource and the list of tools.
func (r *restarted) watch() {
	sub, err := r.Subscribe(r.ctx, mcpclient.Filter{Tools: true, URIs: []string{"test://a"}})
	if err != nil {
		r.t.Fatal(err)
	}
	r.sub, r.changes = sub, make(chan mcpclient.Change, 100)
	go func() {
		for change := range sub.Changes() {
			r.changes <- change
		}
	}()
}

// changed waits for a change of a resource, or of a list.
func (r *restarted) changed(what string, method string) {
	r.t.Helper()
	for {
		select {
		case change := <-r.changes:
			if change.Method == method {
				return
			}
		case <-r.ctx.Done():
			r.t.Fatalf("%s: no %s", what, method)
		}
	}
}

// say calls a tool.
func (r *restarted) say(tool string, o ...mcpclient.RequestOption) (string, error) {
	got, err := mcpclient.Call[content](r.ctx, r.Client, tool, nil, o...)
	return got.Text, err
}

func (r *restarted) pid() string {
	r.t.Helper()
	pid, err := r.say("pid", mcpclient.WithIdempotent())
	if err != nil {
		r.t.Fatal(err)
	}
	return pid
}

// between kills the server while the client only waits for changes.
func (r *restarted) between() {
	t := r.t
	before := r.pid()
	r.restart(before)
	tools, err := r.Tools(r.ctx, mcpclient.WithoutCache())
	must(t, "tools", err)
	if len(tools) == 0 {
		t.Error("no tools after the restart")
	}
	if pid := r.pid(); pid == before {
		t.Errorf("process %s still replies", pid)
	}
	if r.lacks(losingSessions) && !r.modern() {
		return // the client does not notice the loss
	}
	// Over HTTP only a session can be lost.
	if r.w.path == "" || !r.modern() {
		r.wait("the state Reconnected", func() bool { return r.states.count(mcpclient.Reconnected) > 0 })
	}
	// Changes that may have been missed are reported first, and then new changes.
	r.changed("after the restart", mcpclient.ToolsChanged)
	if !r.lacks(updates) || !r.modern() {
		r.changed("after the restart", mcpclient.ResourceUpdated)
		_, err := r.say("touch")
		must(t, "touch", err)
		r.changed("touched", mcpclient.ResourceUpdated)
	}
	_, levels := r.steps(t, r.ctx, 1)
	same(t, "log messages", levels, []string{"warning steps"})
}

// during kills the server while it handles a call.
func (r *restarted) during() {
	t := r.t
	killed := func(o ...mcpclient.RequestOption) (string, error) {
		_ = os.Remove(r.ledger) // missing the first time
		pid := r.pid()
		type reply struct {
			text string
			err  error
		}
		done := make(chan reply, 1)
		go func() {
			text, err := r.say("once", o...)
			done <- reply{text, err}
		}()
		r.wait("the call", func() bool { return r.calls() == 1 })
		r.restart(pid)
		select {
		case got := <-done:
			return got.text, got.err
		case <-r.ctx.Done():
			t.Fatal("the call does not end")
			panic("unreachable")
		}
	}
	text, err := killed()
	if e, ok := errors.AsType[*mcpclient.ConnectionError](err); !ok || !e.Sent {
		t.Errorf("a call that was in progress: %q, %v", text, err)
	}
	same(t, "calls", r.calls(), 1)
	text, err = killed(mcpclient.WithIdempotent())
	must(t, "an idempotent call", err)
	same(t, "calls that have run", text, "2")
	same(t, "calls", r.calls(), 2)
}

// calls returns the number of runs of the tool once.
func (r *restarted) calls() int {
	text, err := os.ReadFile(r.ledger)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		r.t.Error(err)
	}
	return strings.Count(string(text), "\n")
}
