package mcpnats_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpnats"
	"github.com/mcpgen/mcpgen/runtime/mcpnats/embedded"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// replica is a program with a NATS server, an MCP server and an HTTP server.
type replica struct {
	options embedded.Options
	nats    *embedded.Server
	conn    *nats.Conn
	cluster *mcpnats.Cluster
	server  *mcp.Server
	handler *mcphttp.Handler
	http    *httptest.Server
	ended   atomic.Bool
	skipped atomic.Bool // by the balancer
}

// kill ends a replica without notice to others.
func (r *replica) kill() {
	if r.ended.Swap(true) {
		return
	}
	r.conn.Close()
	r.http.CloseClientConnections()
	_ = r.handler.Close()
	r.http.Close()
	_ = r.cluster.Close(context.Background())
	_ = r.nats.Close(context.Background())
}

// balancer distributes requests to the replicas in turn.
type balancer struct {
	replicas    []*replica
	next        atomic.Uint32
	initialized atomic.Int32 // requests that open a session
}

func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if strings.Contains(string(body), `"method":"initialize"`) {
		b.initialized.Add(1)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	for range b.replicas {
		one := b.replicas[int(b.next.Add(1))%len(b.replicas)]
		if one.ended.Load() || one.skipped.Load() {
			continue
		}
		target, _ := url.Parse(one.http.URL)
		proxy := httputil.NewSingleHostReverseProxy(target)
		proxy.FlushInterval = -1
		proxy.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
		proxy.ServeHTTP(w, r)
		return
	}
	w.WriteHeader(http.StatusServiceUnavailable)
}

// startReplicas starts three replicas behind a balancer.
func startReplicas(t *testing.T) (*balancer, *httptest.Server) {
	var peers []string
	for range 3 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		peers = append(peers, l.Addr().String())
		_ = l.Close()
	}
	b := new(balancer)
	var starting sync.WaitGroup
	b.replicas = make([]*replica, len(peers))
	for i, address := range peers {
		dir := t.TempDir()
		starting.Go(func() {
			r, err := startReplica(t.Context(), embedded.Options{
				Dir: dir, MaxStore: storage, MaxMemory: storage, Name: fmt.Sprint("replica", i), Cluster: "test", Listen: address, Peers: peers, Secret: string(secret),
			})
			if err != nil {
				t.Error(err)
			}
			b.replicas[i] = r
		})
	}
	starting.Wait()
	if t.Failed() {
		t.FailNow()
	}
	front := httptest.NewServer(b)
	t.Cleanup(func() {
		front.CloseClientConnections()
		for _, r := range b.replicas {
			r.kill()
		}
		front.Close()
	})
	return b, front
}

func startReplica(ctx context.Context, o embedded.Options) (*replica, error) {
	r := &replica{options: o}
	var err error
	if r.nats, err = embedded.Start(o); err != nil {
		return nil, err
	}
	if r.conn, err = r.nats.Connect(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	quiet := slog.New(slog.DiscardHandler)
	if r.cluster, err = mcpnats.Open(ctx, r.conn, "shop", mcpnats.WithSecret(secret)); err != nil {
		return nil, err
	}
	r.server = mcp.NewServer(mcp.ServerInfo{Name: "shop", Version: "1"}, append(r.cluster.Options(), mcp.WithLogger(quiet),
		mcptask.WithStore(r.cluster.Tasks(), mcptask.WithConcurrency(4), mcptask.WithLimits(mcptask.Limits{Active: 100})))...)
	r.server.Register(mcp.NewTool(mcp.ToolInfo{Name: "ask", InputSchema: `{"type":"object"}`}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		mcp.Progress(ctx, 1, 2, "asking")
		answer, err := mcp.ElicitFields(ctx, "Who?", &mcp.FormInfo{Fields: []mcp.FormField{{Name: "name", Kind: mcp.StringField}}})
		if err != nil {
			return nil, err
		}
		return mcp.TextResult(fmt.Sprint("hello ", answer.Value["name"])), nil
	}))
	r.server.Register(mcp.NewTool(mcp.ToolInfo{Name: "wait", InputSchema: `{"type":"object"}`}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		mcp.Progress(ctx, 1, 2, o.Name)
		<-ctx.Done()
		return nil, ctx.Err()
	}))
	r.server.Register(workTool())
	r.server.Register(mcp.TextResource(&mcp.ResourceInfo{URI: "shop://stock", Name: "stock"}, "1"))
	r.handler = mcphttp.NewHandler(r.server, r.cluster.HTTPOptions()...)
	r.http = httptest.NewServer(r.handler)
	return r, nil
}

// Three replicas serve the clients of a session in turn: questions are answered, changes arrive,
// and after one is killed its calls are interrupted and everything else continues in the same
// sessions.
func TestReplicas(t *testing.T) {
	b, front := startReplicas(t)
	type client struct {
		*mcpclient.Client
		sub     *mcpclient.Subscription
		changed chan struct{}
	}
	var clients []*client
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for i, revision := range []string{"2025-11-25", "2025-06-18", "2026-07-28"} {
		c := &client{changed: make(chan struct{}, 1)}
		var err error
		c.Client, err = mcpclient.Connect(ctx, mcphttpclient.Endpoint{URL: front.URL}, mcpclient.Options{
			Revision: revision, Logger: slog.New(slog.DiscardHandler),
			Elicit: func(context.Context, *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
				return mcpclient.Accept(map[string]any{"name": fmt.Sprint("client ", i)}), nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if c.sub, err = c.Subscribe(ctx, mcpclient.Filter{URIs: []string{"shop://stock"}}); err != nil {
			t.Fatal(err)
		}
		go func() {
			for range c.sub.Changes() {
				select {
				case c.changed <- struct{}{}:
				default:
				}
			}
		}()
		clients = append(clients, c)
	}
	all := func(what string) {
		t.Helper()
		var calling sync.WaitGroup
		for i, c := range clients {
			calling.Go(func() {
				for n := range 6 {
					r, err := c.Call(ctx, "ask", nil)
					if err != nil || r.Text() != fmt.Sprint("hello client ", i) {
						t.Errorf("%s: call %d of client %d: %v, %+v", what, n, i, err, r)
					}
				}
			})
		}
		calling.Wait()
		for _, r := range b.replicas {
			if r.ended.Load() {
				continue
			}
			r.server.ResourceUpdated("shop://stock")
			for i, c := range clients {
				select {
				case <-c.changed:
				case <-ctx.Done():
					t.Fatalf("%s: client %d is not notified of a change", what, i)
				}
			}
			time.Sleep(300 * time.Millisecond) // one change at a time: equal ones may be merged
			for _, c := range clients {
				select {
				case <-c.changed:
				default:
				}
			}
		}
	}
	for _, r := range b.replicas {
		if err := r.cluster.Ready(ctx); err != nil {
			t.Error(err)
		}
	}
	if js, err := jetstream.New(b.replicas[0].conn); err != nil {
		t.Error(err)
	} else if s, err := js.Stream(ctx, "mcp-shop-session"); err != nil || s.CachedInfo().Config.Replicas != 3 {
		t.Errorf("a stream has not three copies: %v", err)
	}
	all("at first")
	sessions := b.initialized.Load()
	if sessions != 2 {
		t.Errorf("%d sessions are open", sessions)
	}
	// Calls on the replica that will be killed.
	type ending struct {
		client int
		where  string
		err    error
	}
	endings := make(chan ending, 12)
	var running sync.WaitGroup
	var began atomic.Int32
	for i, c := range clients[:2] {
		for range 3 {
			running.Go(func() {
				where := make(chan string, 1)
				_, err := c.Call(ctx, "wait", nil, mcpclient.WithProgress(func(p mcpclient.Progress) {
					where <- p.Message
					began.Add(1)
				}))
				endings <- ending{i, <-where, err}
			})
		}
	}
	for began.Load() < 6 {
		time.Sleep(10 * time.Millisecond)
	}
	b.replicas[0].kill()
	all("after the end of a replica")
	if now := b.initialized.Load(); now != sessions {
		t.Errorf("%d clients have opened a new session", now-sessions)
	}
	for range 2 { // one third of the calls ran on the killed one
		e := <-endings
		rpc, ok := errors.AsType[*jsonrpc.Error](e.err)
		if e.where != "replica0" || !ok || !strings.Contains(string(rpc.Data), "interrupted") {
			t.Errorf("the call of client %d at %s has ended with %v", e.client, e.where, e.err)
		}
	}
	for _, c := range clients {
		_ = c.Close()
	}
	running.Wait()
}

// While the majority of servers is down, operations that need it fail, and calls of 2026-07-28
// continue. When the servers are back, everything continues, in the same session, without a new
// cluster or connection.
func TestMostServersGone(t *testing.T) {
	b, front := startReplicas(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	connect := func(revision string) *mcpclient.Client {
		c, err := mcpclient.Connect(ctx, mcphttpclient.Endpoint{URL: front.URL}, mcpclient.Options{Revision: revision, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	session, modern := connect("2025-11-25"), connect("2026-07-28")
	works := func(c *mcpclient.Client, uri string) error {
		_, err := c.Read(ctx, uri, mcpclient.WithoutCache())
		return err
	}
	for range 3 {
		if err := errors.Join(works(session, "shop://stock"), works(modern, "shop://stock")); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range b.replicas[:2] {
		if err := r.nats.Close(ctx); err != nil {
			t.Fatal(err)
		}
	}
	last := b.replicas[2]
	// The last server leads now. A leader notices after ten seconds that the majority is gone.
	for last.cluster.Ready(ctx) == nil {
		time.Sleep(100 * time.Millisecond)
	}
	request := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, last.http.URL, strings.NewReader(request))
	if err != nil {
		t.Fatal(err)
	}
	post.Header.Set("Content-Type", "application/json")
	post.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := http.DefaultClient.Do(post)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a new session: status %d", resp.StatusCode)
	}
	for range 6 {
		if err := works(modern, "shop://stock"); err != nil {
			t.Errorf("a call of 2026-07-28: %v", err)
		}
	}
	for _, r := range b.replicas[:2] {
		again, err := embedded.Start(r.options)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = again.Close(context.Background()) })
	}
	for {
		err := last.cluster.Ready(ctx)
		if err == nil {
			break
		}
		t.Log(err)
		if ctx.Err() != nil {
			t.Fatal("it is not ready again")
		}
		time.Sleep(100 * time.Millisecond)
	}
	b.only(last) // the clients of the others ran in the processes of their servers, which have stopped
	opened := b.initialized.Load()
	for {
		err := works(session, "shop://stock")
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	if n := b.initialized.Load() - opened; n != 0 {
		t.Errorf("%d sessions were opened", n)
	}
}

// only makes one replica serve all requests.
func (b *balancer) only(one *replica) {
	for _, r := range b.replicas {
		r.skipped.Store(r != one)
	}
}

// One of many concurrent writes of a record at three replicas with three copies succeeds, and the
// others are conflicts. The servers return another error for them while the first write is in
// progress.
func TestConflictsOfThree(t *testing.T) {
	b, _ := startReplicas(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	many := func(write func(s mcphttp.SessionStore) (uint64, error)) uint64 {
		t.Helper()
		var writing sync.WaitGroup
		var succeeded atomic.Int32
		var version atomic.Uint64
		for i := range 30 {
			s := b.replicas[i%3].cluster.Sessions()
			writing.Go(func() {
				switch v, err := write(s); {
				case err == nil:
					succeeded.Add(1)
					version.Store(v)
				case !errors.Is(err, mcphttp.ErrConflict):
					t.Error(err)
				}
			})
		}
		writing.Wait()
		if n := succeeded.Load(); n != 1 {
			t.Fatalf("%d writes have succeeded", n)
		}
		return version.Load()
	}
	for i := range 3 {
		id := fmt.Sprint("session", i)
		version := many(func(s mcphttp.SessionStore) (uint64, error) { return s.Create(ctx, id, []byte("new"), time.Minute) })
		for range 3 {
			before := version
			version = many(func(s mcphttp.SessionStore) (uint64, error) { return s.Update(ctx, id, []byte("next"), before) })
		}
	}
}

// Readers of a replica continue within seconds after any server was killed, even the server of the
// consumer.
func TestReadersOutliveServers(t *testing.T) {
	b, _ := startReplicas(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	reader := b.replicas[0]
	notices := make(chan string, 100)
	go func() {
		last := uint64(0)
		for ctx.Err() == nil { // like a server
			for n, err := range reader.cluster.PubSub().Subscribe(ctx, last) {
				if err != nil {
					break
				}
				last = n.Sequence
				notices <- string(n.Data)
			}
			time.Sleep(100 * time.Millisecond)
		}
	}()
	until := func(want string, publish *replica) {
		t.Helper()
		for publish.cluster.PubSub().Publish(ctx, []byte(want)) != nil {
			if ctx.Err() != nil {
				t.Fatalf("%q is not published", want)
			}
		}
		for {
			select {
			case got := <-notices:
				if got == want {
					return
				}
			case <-ctx.Done():
				t.Fatalf("%q is not read", want)
			}
		}
	}
	until("first", b.replicas[1])
	js, err := jetstream.New(reader.conn)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(ctx, "mcp-shop-change")
	if err != nil {
		t.Fatal(err)
	}
	var on []string // the servers of the consumers
	for c := range stream.ListConsumers(ctx).Info() {
		on = append(on, c.Cluster.Leader)
	}
	for _, r := range b.replicas[1:] {
		if strings.Contains(strings.Join(on, " "), r.options.Name) {
			t.Log("killing", r.options.Name, "of", on)
			r.kill()
			for _, other := range b.replicas {
				if other != r && other != reader {
					until("second", other)
				}
			}
			return
		}
	}
	t.Log("all consumers are at the reader's own server:", on)
}
