package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
	"github.com/mcpgen/mcpgen/runtime/mcptaskclient"
)

// program is a process of the program.
type program struct {
	cmd   *exec.Cmd
	input io.Closer
	lines chan string // of standard output
	ended chan error
}

// startProgram starts the program, and stops it at the end of the test.
func startProgram(t *testing.T, args ...string) *program {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{cmd: exec.Command(self, args...), lines: make(chan string, 100), ended: make(chan error, 1)}
	p.cmd.Env = append(os.Environ(), asProgram+"=1", secretVariable+"=a secret of the replicas")
	if p.input, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	output, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stderr = log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		for s := bufio.NewScanner(output); s.Scan(); {
			select {
			case p.lines <- s.Text():
			default:
			}
		}
		close(p.lines)
		p.ended <- p.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		if text, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("%s:\n%s", strings.Join(args, " "), text)
		}
		_ = log.Close()
	})
	return p
}

// line returns the next line of standard output.
func (p *program) line(t *testing.T) string {
	t.Helper()
	line, ok := <-p.lines
	if !ok {
		t.Fatal("the program has ended: ", <-p.ended)
	}
	return line
}

// stop sends SIGTERM, and returns an error unless the exit code is 0.
func (p *program) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return <-p.ended
}

// balancer sends requests to the ready replicas in turn.
type balancer struct {
	mu       sync.Mutex
	targets  []*target
	next     int
	sessions atomic.Int32 // opened by clients
	failures atomic.Int32 // failed requests
	report   func(string)
	answers  sync.WaitGroup // answers to questions that are being sent
}

type target struct {
	base  string
	proxy *httputil.ReverseProxy
	ready bool
}

// add adds a replica.
func (b *balancer) add(t *testing.T, endpoint string) *target {
	t.Helper()
	base, err := url.Parse(strings.TrimSuffix(endpoint, "/mcp"))
	if err != nil {
		t.Fatal(err)
	}
	one := &target{base: base.String(), ready: true, proxy: &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(base) }, FlushInterval: -1, Transport: &http.Transport{MaxIdleConnsPerHost: 100},
		ErrorLog:       slog.NewLogLogger(slog.DiscardHandler, 0),
		ModifyResponse: func(r *http.Response) error { b.check(r); return nil },
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() == nil {
				b.fail("%s to %s: %v", r.Method, base, err)
			}
			w.WriteHeader(http.StatusBadGateway)
		},
	}}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.targets = append(b.targets, one)
	return one
}

func (b *balancer) check(r *http.Response) {
	if r.StatusCode >= 500 {
		b.fail("%s to %s: %s", r.Request.Method, r.Request.URL.Host, r.Status)
	}
}

func (b *balancer) fail(format string, args ...any) {
	b.failures.Add(1)
	b.report(fmt.Sprintf(format, args...))
}

// watch probes the replicas, each on its own goroutine, until ctx is cancelled. A slow replica does
// not delay the state of another.
func (b *balancer) watch(ctx context.Context) {
	watched := make(map[*target]bool)
	var probing sync.WaitGroup
	defer probing.Wait()
	for ctx.Err() == nil {
		b.mu.Lock()
		for _, one := range b.targets {
			if !watched[one] {
				watched[one] = true
				probing.Go(func() { b.probe(ctx, one) })
			}
		}
		b.mu.Unlock()
		pause(ctx)
	}
}

// probe asks a replica whether it is ready, until ctx is cancelled.
func (b *balancer) probe(ctx context.Context, one *target) {
	for ctx.Err() == nil {
		ready := isReady(ctx, one.base+readyPath)
		if ctx.Err() != nil {
			return
		}
		b.mu.Lock()
		one.ready = ready
		b.mu.Unlock()
		pause(ctx)
	}
}

// pause waits for the time between two probes.
func pause(ctx context.Context) {
	select {
	case <-time.After(50 * time.Millisecond):
	case <-ctx.Done():
	}
}

func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if bytes.Contains(body, []byte(`"method":"initialize"`)) {
		b.sessions.Add(1)
	}
	if bytes.Contains(body, []byte(`"result":`)) {
		b.answers.Add(1)
		defer b.answers.Done()
	}
	b.mu.Lock()
	var to *target
	for range b.targets {
		b.next++
		if one := b.targets[b.next%len(b.targets)]; one.ready {
			to = one
			break
		}
	}
	b.mu.Unlock()
	if to == nil {
		b.fail("no replica is ready")
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	to.proxy.ServeHTTP(w, r)
}

// connect connects a client, which agrees to every question.
func connect(t *testing.T, url, revision string) *mcpclient.Client {
	t.Helper()
	return connectTo(t, mcphttpclient.Endpoint{URL: url}, revision)
}

func connectTo(t *testing.T, endpoint mcphttpclient.Endpoint, revision string) *mcpclient.Client {
	t.Helper()
	o := mcpclient.Options{
		Revision: revision, Logger: slog.New(slog.DiscardHandler),
		Elicit: func(context.Context, *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
			return mcpclient.Accept(Cancellation{Confirm: true}), nil
		},
	}
	mcptaskclient.Enable(&o)
	c, err := mcpclient.Connect(t.Context(), endpoint, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func must[T any](t *testing.T, c *mcpclient.Client, tool string, arguments map[string]any) T {
	t.Helper()
	value, err := mcpclient.Call[T](t.Context(), c, tool, arguments)
	if err != nil {
		t.Fatalf("%s %v: %v", tool, arguments, err)
	}
	return value
}

// mustSoon calls again while the status is 503: after its leader was killed, a stream has no leader
// for some seconds.
func mustSoon[T any](t *testing.T, c *mcpclient.Client, tool string, arguments map[string]any) T {
	t.Helper()
	for ; ; time.Sleep(200 * time.Millisecond) {
		value, err := mcpclient.Call[T](t.Context(), c, tool, arguments)
		if e, ok := errors.AsType[*mcpclient.StatusError](err); ok && e.Status == http.StatusServiceUnavailable {
			continue
		}
		if err != nil {
			t.Fatalf("%s %v: %v", tool, arguments, err)
		}
		return value
	}
}

var replicaLine = regexp.MustCompile(`^shop-\d: (http://\S+/mcp) \(process (\d+)\)$`)

// One command starts three replicas that act as one server: for orders, questions, changes and
// sessions. One is killed, and its sessions continue at the others. SIGTERM stops all of them.
func TestOneCommand(t *testing.T) {
	t.Parallel()
	const copies = 30
	p := startProgram(t, "-replicas", "3", "-port", "0", "-copies", strconv.Itoa(copies), "-supplier-time", "100ms")
	var urls []string
	var processes []int
	for range 3 {
		line := p.line(t)
		m := replicaLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("%q is not the line of a replica", line)
		}
		process, _ := strconv.Atoi(m[2])
		urls, processes = append(urls, m[1]), append(processes, process)
	}
	b := &balancer{report: func(text string) { t.Log(text) }}
	var targets []*target
	for _, one := range urls {
		targets = append(targets, b.add(t, one))
	}
	front := serve(t, b)
	var direct []*mcpclient.Client
	for i, one := range urls {
		c := connect(t, one, []string{"2025-11-25", "2025-06-18", "2026-07-28"}[i])
		direct = append(direct, c)
		if tools, err := c.Tools(t.Context()); err != nil || len(tools) != 5 {
			t.Errorf("replica %d has %d tools: %v", i, len(tools), err)
		}
	}

	t.Run("no copy is sold twice", func(t *testing.T) {
		var ordering sync.WaitGroup
		var sold, refused atomic.Int32
		for i := range 3 * copies {
			ordering.Go(func() {
				_, err := mcpclient.Call[Order](t.Context(), direct[i%3], "order", map[string]any{"item": "cup", "reference": fmt.Sprint("order-", i)})
				switch {
				case err == nil:
					sold.Add(1)
				case strings.Contains(err.Error(), ErrOutOfStock.Error()):
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		ordering.Wait()
		for i, c := range direct {
			if got := must[Item](t, c, "look_up", map[string]any{"item": "cup"}); got.Left != 0 || got.Sold != copies || got.Received != copies {
				t.Errorf("replica %d: %+v", i, got)
			}
		}
		if sold.Load() != copies || refused.Load() != 2*copies {
			t.Errorf("%d orders, %d refused", sold.Load(), refused.Load())
		}
	})

	session, modern := connect(t, front, "2025-11-25"), connect(t, front, "2026-07-28")
	clients := []*mcpclient.Client{session, modern}
	t.Run("questions and changes", func(t *testing.T) {
		for i, c := range clients {
			for n := range 6 { // each replica gets some of the requests, and of the answers
				arguments := map[string]any{"item": "teapot", "reference": fmt.Sprint("q-", i, "-", n)}
				must[Order](t, c, "order", arguments)
				must[Item](t, c, "cancel_order", arguments)
			}
			notified(t, c, func() { must[[]Item](t, direct[i], "restock", map[string]any{"copies": 1}) })
		}
		if got := must[Item](t, modern, "look_up", map[string]any{"item": "teapot"}); got.Left != copies+2 || got.Sold != 0 {
			t.Errorf("all orders are cancelled: %+v", got)
		}
	})

	t.Run("a replica is killed", func(t *testing.T) {
		before := b.sessions.Load()
		if killed, err := os.FindProcess(processes[0]); err != nil || killed.Kill() != nil {
			t.Fatal("replica 0 is not killed: ", err)
		}
		b.mu.Lock()
		targets[0].ready = false
		b.mu.Unlock()
		for n := range 4 {
			for i, c := range clients {
				arguments := map[string]any{"item": "kettle", "reference": fmt.Sprint("k-", i, "-", n)}
				mustSoon[Order](t, c, "order", arguments)
			}
		}
		if got := mustSoon[Item](t, session, "look_up", map[string]any{"item": "kettle"}); got.Sold != 8 || got.Left != copies+2-8 {
			t.Errorf("after 8 orders: %+v", got)
		}
		if now := b.sessions.Load(); now != before {
			t.Errorf("%d clients have opened a new session", now-before)
		}
		for _, item := range mustSoon[[]Item](t, modern, "restock", map[string]any{"copies": 5}) {
			if item.Received != copies+2+5 || item.Left+item.Sold != item.Received {
				t.Errorf("after the delivery: %+v", item)
			}
		}
	})
	for _, c := range append(clients, direct...) {
		_ = c.Close() // before the replicas exit
	}
	if err := p.stop(); err != nil {
		t.Errorf("SIGTERM: %v", err)
	}
}

// serve serves a handler, and returns the URL of its endpoint.
func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: h, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	return "http://" + l.Addr().String() + "/mcp"
}

// Three replicas, each like on its own machine, are replaced one after the other by SIGTERM, under
// load: no request fails, and each exits with code 0.
func TestRollingReplacement(t *testing.T) {
	t.Parallel()
	routes, err := freeAddresses(3)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	start := func(i int) *program {
		name := fmt.Sprint("shop-", i)
		return startProgram(t, "-until-eof", "-name", name, "-dir", filepath.Join(dir, name), "-routes", routes[i], "-peers", strings.Join(routes, ","),
			"-http", "127.0.0.1:0", "-stop-delay", "700ms", "-copies", "100000", "-supplier-time", "800ms")
	}
	b := &balancer{report: func(text string) { t.Error(text) }}
	programs := make([]*program, 3)
	for i := range programs {
		programs[i] = start(i)
	}
	for _, p := range programs {
		b.add(t, p.line(t))
	}
	ctx, cancel := context.WithCancel(t.Context())
	var working sync.WaitGroup
	defer working.Wait()
	defer cancel()
	working.Go(func() { b.watch(ctx) })
	front := serve(t, b)
	var ordered atomic.Int32
	var clients []*mcpclient.Client
	for i, revision := range []string{"2025-11-25", "2025-06-18", "2026-07-28", "2026-07-28"} {
		c := connect(t, front, revision)
		clients = append(clients, c)
		working.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				_, err := mcpclient.Call[Order](t.Context(), c, "order", map[string]any{"item": "cup", "reference": fmt.Sprint("r-", i, "-", n)})
				if err != nil {
					t.Errorf("order %d of a client of %s: %v", n, revision, err)
					return
				}
				ordered.Add(1)
				select {
				case <-time.After(20 * time.Millisecond):
				case <-ctx.Done():
				}
			}
		})
	}
	c := connect(t, front, "2026-07-28")
	var delivered sync.WaitGroup
	for i, p := range programs {
		began := make(chan struct{}, 1)
		delivered.Go(func() { // a task that its replica gives back
			r, err := c.Call(t.Context(), "restock", map[string]any{"copies": 3}, mcpclient.WithProgress(func(mcpclient.Progress) {
				select {
				case began <- struct{}{}:
				default:
				}
			}))
			if err != nil || r.IsError {
				t.Errorf("restock while replica %d is replaced: %v, %+v", i, err, r)
			}
			close(began)
		})
		<-began
		if err := p.stop(); err != nil {
			t.Errorf("SIGTERM to replica %d: %v", i, err)
		}
		again := b.add(t, start(i).line(t))
		for !isReady(ctx, again.base+readyPath) {
			time.Sleep(50 * time.Millisecond)
		}
	}
	delivered.Wait()
	cancel()
	working.Wait()
	for _, c := range clients {
		_ = c.Close()
	}
	orders := int(ordered.Load())
	got := must[Item](t, c, "look_up", map[string]any{"item": "cup"})
	if got.Received != 100_009 || got.Sold != orders || got.Left+got.Sold != got.Received || b.failures.Load() > 0 {
		t.Errorf("%+v after %d orders, %d requests failed", got, orders, b.failures.Load())
	}
	_ = c.Close()
	t.Logf("%d orders while three replicas were replaced", orders)
}
