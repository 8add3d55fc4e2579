package mcp_test

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/link"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// direct is a client of a server that answers single calls by the goroutine that
// reads.
type direct struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string
	ended chan error
	tap   *spec.Conversation
}

func dialDirect(t *testing.T, s *mcp.Server) *direct {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	d := &direct{t: t, in: inW, lines: make(chan string), ended: make(chan error, 1), tap: spec.NewTap(t).Conversation()}
	go func() {
		d.ended <- s.Serve(t.Context(), link.NewDirect(jsonrpc.NewLineConn(inR, outW, 0)))
		outW.Close()
	}()
	go func() {
		defer close(d.lines)
		lines := jsonrpc.NewLineConn(outR, nil, 0)
		for {
			line, err := lines.Read()
			if err != nil {
				return
			}
			d.tap.Server(string(line))
			d.lines <- string(line)
		}
	}()
	d.send(initialize("2025-11-25"))
	d.want(`"serverInfo"`)
	d.send(initialized)
	return d
}

func (d *direct) send(message string) {
	d.tap.Client(message)
	if _, err := io.WriteString(d.in, message+"\n"); err != nil {
		d.t.Errorf("send: %v", err)
	}
}

func (d *direct) want(part string) {
	d.t.Helper()
	if line, ok := <-d.lines; !ok || !strings.Contains(line, part) {
		d.t.Errorf("got %q, want %q in it", line, part)
	}
}

// end ends the input, and wants an orderly end of the server.
func (d *direct) end() {
	d.t.Helper()
	d.in.Close()
	if line, ok := <-d.lines; ok {
		d.t.Errorf("one more: %s", line)
	}
	if err := <-d.ended; err != nil {
		d.t.Errorf("Serve: %v", err)
	}
}

// goroutine returns the number of the one that runs.
func goroutine() string {
	b := make([]byte, 100)
	return strings.Fields(string(b[:runtime.Stack(b, false)]))[1]
}

func TestDirectAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mcp.NewServer(fixtureInfo(), quiet)
		block := make(chan struct{})
		var mu sync.Mutex
		var all []string // goroutines that have run the handlers
		runs := func() {
			mu.Lock()
			defer mu.Unlock()
			all = append(all, goroutine())
		}
		ran := func() []string {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(all)
		}
		tool(s, "quick", func(context.Context) (string, error) {
			runs()
			return "quick", nil
		})
		tool(s, "slow", func(ctx context.Context) (string, error) {
			runs()
			select {
			case <-block:
				return "slow", nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		})
		tool(s, "exit", func(context.Context) (string, error) { runtime.Goexit(); return "", nil })
		tool(s, "panic", func(context.Context) (string, error) { panic("no") })
		d := dialDirect(t, s)
		n := 0
		ask := func(name string) {
			n++
			d.send(call(n, name, "{}"))
		}

		// Calls that come one at a time are all answered by one goroutine.
		for range 3 {
			ask("quick")
			d.want(`"quick"`)
		}
		ask("panic")
		d.want("internal error")
		ask("quick")
		d.want(`"quick"`)
		if got := ran(); len(slices.Compact(got)) != 1 {
			t.Errorf("goroutines %v", got)
		}

		// One that takes long is left alone with its call, and does not come back to
		// read.
		ask("slow")
		began := time.Now()
		d.send(request(100, "ping", "{}"))
		d.want(`"id":100`)
		if took := time.Since(began); took > time.Millisecond {
			t.Errorf("the ping has taken %v", took)
		}
		ask("quick")
		d.want(`"quick"`)
		if got := ran(); got[4] != got[0] || got[5] == got[0] {
			t.Errorf("goroutines %v", got)
		}
		block <- struct{}{}
		d.want(`"slow"`)

		// For a while, each has a goroutine of its own, and nobody waits.
		ask("slow")
		began = time.Now()
		synctest.Wait()
		d.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, n))
		d.send(request(101, "ping", "{}"))
		d.want(`"id":101`)
		if took := time.Since(began); took > 0 {
			t.Errorf("the ping has taken %v", took)
		}
		for range 40 {
			ask("quick")
			d.want(`"quick"`)
		}
		if got := ran(); got[7] == got[8] || got[len(got)-2] != got[len(got)-1] {
			t.Errorf("goroutines %v", got)
		}

		// A handler that ends its goroutine does not end the reading.
		for range 3 {
			ask("exit")
			d.want("internal error")
			ask("quick")
			d.want(`"quick"`)
		}
		d.end()
	})
}

// A question to the client is asked while nobody reads, and answered.
func TestDirectQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mcp.NewServer(fixtureInfo(), quiet)
		tool(s, "sure", func(ctx context.Context) (string, error) {
			answer, err := mcp.Elicit[sure](ctx, "Sure?")
			return string(answer.Action), err
		})
		d := dialDirect(t, s)
		began := time.Now()
		d.send(call(1, "sure", "{}"))
		d.want("elicitation/create")
		d.send(answer(1, `{"action":"decline"}`))
		d.want("decline")
		if took := time.Since(began); took > 0 {
			t.Errorf("the answer has taken %v", took)
		}
		d.end()
	})
}

// A client that does not read cannot keep the server from reading.
func TestDirectToADeafClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithLimits(mcp.Limits{WriteTime: time.Minute}))
		tool(s, "quick", func(context.Context) (string, error) { return "quick", nil })
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- s.Serve(t.Context(), link.NewDirect(jsonrpc.NewLineConn(inR, outW, 0))) }()
		began := time.Now()
		for _, m := range []string{initialize("2025-11-25"), initialized, call(1, "quick", "{}"), request(2, "ping", "{}"), call(3, "quick", "{}")} {
			if _, err := io.WriteString(inW, m+"\n"); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(began); took > 10*time.Millisecond {
			t.Errorf("the server has not read for %v", took)
		}
		if err := <-ended; err == nil || time.Since(began) > 61*time.Second {
			t.Errorf("Serve: %v after %v", err, time.Since(began))
		}
		outR.Close()
	})
}
