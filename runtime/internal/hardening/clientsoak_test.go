package hardening_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// soakTransports are the transports of the soak of clients, with the revisions that each supports.
var soakTransports = []struct {
	name string
	eras []era
}{
	{memory, both}, {tcp, both}, {webSocket, both}, {httpLegacy, []era{legacy}}, {httpModern, []era{modern}}, {httpSSE, []era{legacy}}, {stdio, both},
}

var soakTime = flag.Duration("soak", 3*time.Second, "how long TestSoak and TestClientSoak go on")

// TestClientSoakInBubbles is TestClientSoak without sockets and processes, and in the time of a
// bubble: minutes of silence pass at once, and a call that returns late or a goroutine that is left
// fails the test.
func TestClientSoakInBubbles(t *testing.T) {
	seeds, operations := uint64(1), 40
	if *soakTime >= time.Minute {
		seeds, operations = 10, 300
	}
	for _, transport := range soakTransports {
		if transport.name == stdio || transport.name == webSocket {
			continue // processes, and a package that dials by itself
		}
		for _, e := range transport.eras {
			for seed := range seeds {
				t.Run(fmt.Sprintf("%s/%s/%d", transport.name, e, seed), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						s := newUnreliable(t, transport.name, e, false)
						k := newClientSoak(t, []*unreliable{s}, time.Now().Add(1000*time.Hour))
						k.seed = seed
						k.run(8, operations)
						s.close()
						s.checkLedger()
					})
				})
			}
		}
	}
}

// clientSoak records the events of a soak.
type clientSoak struct {
	t       *testing.T
	servers []*unreliable
	end     time.Time
	seed    uint64

	mu       sync.Mutex
	outcomes map[string]int
}

func newClientSoak(t *testing.T, servers []*unreliable, end time.Time) *clientSoak {
	return &clientSoak{t: t, servers: servers, end: end, outcomes: map[string]int{}}
}

func (k *clientSoak) count(outcome string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.outcomes[outcome]++
}

// run has clients do operations until the end, each at most operations times, while the servers
// restart.
func (k *clientSoak) run(clients, operations int) {
	stop := make(chan struct{})
	var restarts, all sync.WaitGroup
	for i, s := range k.servers {
		restarts.Go(func() { s.restartNowAndThen(stop, rand.New(rand.NewPCG(k.seed, uint64(i)))) })
	}
	for i := range clients {
		all.Go(func() {
			u := &soakClient{k: k, s: k.servers[i%len(k.servers)], rnd: rand.New(rand.NewPCG(k.seed, 1000+uint64(i)))}
			u.live(operations)
		})
	}
	all.Wait()
	close(stop)
	restarts.Wait()
}

// soakClient is one client, which is opened again now and then.
type soakClient struct {
	k      *clientSoak
	s      *unreliable
	rnd    *rand.Rand
	client *mcpclient.Client
	failed atomic.Int32 // calls in a row
}

// soakTokens numbers the calls.
var soakTokens atomic.Int64

func (u *soakClient) live(operations int) {
	for range operations {
		if !time.Now().Before(u.k.end) {
			break
		}
		if u.client == nil && !u.connect() {
			time.Sleep(u.s.times.pause)
			continue
		}
		u.act()
		time.Sleep(rand.N(u.s.times.pause))
		if u.failed.Load() >= 3 || u.rnd.IntN(40) == 0 {
			u.close()
		}
	}
	if u.client != nil {
		u.close()
	}
}

// errorf reports an error of this client.
func (u *soakClient) errorf(format string, arguments ...any) {
	u.k.t.Errorf(u.s.transport+" "+string(u.s.era)+": "+format, arguments...)
}

func (u *soakClient) options() mcpclient.Options {
	o := mcpclient.Options{
		Limits: u.s.times.limits,
		Retry:  mcpclient.Retry{Attempts: 3, First: u.s.times.pause, Max: 4 * u.s.times.pause},
		Elicit: func(context.Context, *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
			return mcpclient.Accept(map[string]any{"yes": true}), nil
		},
		OnProtocolError: func(err error) {
			u.errorf("reported: %v", err)
		},
		Logger: slog.New(slog.DiscardHandler),
	}
	if u.s.era == legacy {
		o.Revision = "2025-11-25"
	}
	if u.rnd.IntN(2) == 0 {
		o.Eras = noEras{}
	}
	if u.rnd.IntN(2) == 0 {
		o.OnChange = func(mcpclient.Change) {}
	}
	return o
}

func (u *soakClient) connect() bool {
	began := time.Now()
	c, err := mcpclient.Connect(context.Background(), u.s.endpoint, u.options())
	u.inTime("Connect", began, u.s.times.limits.ConnectTime)
	if err != nil {
		u.k.count("connect: " + u.kind(err))
		return false
	}
	u.k.count("connect")
	u.client = c
	u.failed.Store(0)
	return true
}

func (u *soakClient) close() {
	began := time.Now()
	if err := u.client.Close(); err != nil {
		u.errorf("Close: %v", err)
	}
	u.inTime("Close", began, 4*u.s.times.limits.CloseTime)
	if _, err := u.client.Call(context.Background(), "once", nil); !errors.Is(err, mcpclient.ErrClosed) {
		u.errorf("a call after Close: %v", err)
	}
	u.client = nil
}

// inTime checks that an operation has not exceeded its time.
func (u *soakClient) inTime(what string, began time.Time, most time.Duration) {
	if took := time.Since(began); took > most && u.s.times.exact {
		u.errorf("%s has taken %v, and may take %v", what, took, most)
	}
}

var errSoakCancelled = errors.New("the soak has cancelled")

// act does one operation.
func (u *soakClient) act() {
	switch n := u.rnd.IntN(100); {
	case n < 40:
		u.call(context.Background(), "once", "")
	case n < 50:
		u.call(context.Background(), "once", []string{"cut before", "cut after", "silence"}[u.rnd.IntN(3)])
	case n < 60:
		u.call(context.Background(), "twice", []string{"", "cut before", "cut after"}[u.rnd.IntN(3)], mcpclient.WithIdempotent())
	case n < 70:
		ctx, cancel := context.WithCancelCause(context.Background())
		timer := time.AfterFunc(rand.N(u.s.times.pause), func() { cancel(errSoakCancelled) })
		u.call(ctx, "once", "slow")
		timer.Stop()
		cancel(nil)
	case n < 78:
		last := 0.0
		u.call(context.Background(), "once", "slow", mcpclient.WithProgress(func(p mcpclient.Progress) {
			if p.Done <= last {
				u.errorf("progress %v after %v", p.Done, last)
			}
			last = p.Done
		}))
	case n < 84:
		u.call(context.Background(), "once", "ask")
	case n < 90:
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() { u.call(context.Background(), "once", "") })
		}
		all.Wait()
	case n < 95:
		began := time.Now()
		tools, err := u.client.Tools(context.Background(), mcpclient.WithMaxTime(u.s.times.most), mcpclient.WithoutCache())
		u.inTime("Tools", began, u.s.times.most)
		if err == nil && len(tools) != 2 {
			u.errorf("%d tools", len(tools))
		}
		u.k.count("list" + u.outcome(err))
	default:
		ctx, cancel := context.WithTimeoutCause(context.Background(), u.s.times.most, errSoakCancelled)
		defer cancel()
		began := time.Now()
		sub, err := u.client.Subscribe(ctx, mcpclient.Filter{Resources: true})
		u.inTime("Subscribe", began, u.s.times.most)
		if err == nil {
			time.Sleep(u.s.times.pause)
			began = time.Now()
			_ = sub.Close() // the connection may be closed
			u.inTime("the end of a subscription", began, u.s.times.limits.RequestTime)
		}
		u.k.count("subscribe" + u.outcome(err))
	}
}

// call calls a tool with a token of its own, and records in the ledger whether it ran.
func (u *soakClient) call(ctx context.Context, tool, fault string, options ...mcpclient.RequestOption) {
	token := fmt.Sprint("token ", soakTokens.Add(1))
	began := time.Now()
	result, err := u.client.Call(ctx, tool, map[string]string{"token": token, "fault": fault}, append(options, mcpclient.WithMaxTime(u.s.times.most))...)
	u.inTime("a call", began, u.s.times.most)
	known := mayHaveRun
	switch lost, _ := errors.AsType[*mcpclient.ConnectionError](err); {
	case err == nil && (result.IsError || result.Text() != token):
		if !result.IsError || fault != "ask" && !strings.Contains(result.Text(), errOutage.Error()) {
			u.errorf("the result of %s %q is %q", token, fault, result.Text())
		}
	case err == nil:
		known = hasRun
	case lost != nil && !lost.Sent, isClosing(err):
		known = hasNotRun
	}
	u.s.note(token, tool == "twice", known, err)
	name := tool
	if fault != "" {
		name += " " + fault
	}
	u.k.count(name + u.outcome(err))
}

func (u *soakClient) outcome(err error) string {
	if err == nil {
		u.failed.Store(0)
		return ""
	}
	u.failed.Add(1)
	return ": " + u.kind(err)
}

// isClosing reports whether an error is the refusal of a server that shuts down.
func isClosing(err error) bool {
	e, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && e.Code == jsonrpc.CodeInternal && string(e.Data) == `{"reason":"closed"}`
}

// kind names the type of an error, which must be a documented one.
func (u *soakClient) kind(err error) string {
	if lost, ok := errors.AsType[*mcpclient.ConnectionError](err); ok {
		if lost.Sent {
			return "lost"
		}
		return "not sent"
	}
	if e, ok := errors.AsType[*mcpclient.StatusError](err); ok && (e.Status == 404 || e.Status >= 500) {
		return fmt.Sprint("status ", e.Status)
	}
	if _, ok := errors.AsType[*mcpclient.ExitError](err); ok {
		return "exit"
	}
	switch {
	case isClosing(err):
		return "closing"
	case errors.Is(err, mcpclient.ErrTimeout):
		return "timeout"
	case errors.Is(err, errSoakCancelled):
		return "cancelled"
	}
	u.errorf("an error of no documented kind: %v (%T)", err, err)
	return "other"
}

// soakArguments are the arguments of the tools.
type soakArguments struct{ Token, Fault string }

// soakTool returns the function of a tool: it runs in the way that the call asks for.
func soakTool(run func(token string), cut func(), times *soakTimes) func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
	return func(ctx context.Context, arguments json.RawMessage) (*mcp.ToolResult, error) {
		var a soakArguments
		if err := json.Unmarshal(arguments, &a); err != nil {
			return nil, err
		}
		switch a.Fault {
		case "cut before":
			cut()
		case "silence":
			<-ctx.Done()
			return nil, errOutage
		case "slow":
			for i := range 10 {
				mcp.Progress(ctx, float64(i+1), 10, "slow")
				select {
				case <-time.After(times.pause / 10):
				case <-ctx.Done():
					return nil, errOutage
				}
			}
		case "ask":
			if _, err := mcp.ElicitFields(ctx, "Sure?", &mcp.FormInfo{Fields: []mcp.FormField{{Name: "yes", Kind: mcp.BooleanField}}}); err != nil {
				return nil, err // which may be the question
			}
		}
		run(a.Token)
		if a.Fault == "cut after" {
			cut()
		}
		return mcp.TextResult(a.Token), nil
	}
}
