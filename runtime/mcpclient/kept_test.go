package mcpclient_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/faulty"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// keptServer is a server whose requests are counted.
type keptServer struct {
	faulty.Server
	t      *testing.T
	mu     sync.Mutex
	counts map[string]int
	down   bool
	conns  []net.Conn
	listen string // the id of subscriptions/listen
	serial sync.WaitGroup
}

func newKeptServer(t *testing.T) *keptServer {
	s := &keptServer{Server: faulty.Server{Modern: true}, t: t, counts: map[string]int{}}
	s.Script = func(m *faulty.Message) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.counts[m.Method]++
		switch {
		case !s.Modern: // replies like faulty.Server, but with an error before initialize
			if m.Method != "initialize" && s.counts["initialize"] == 0 {
				_ = m.Fail(-32002, "not initialized") // the client may be gone
				return true
			}
			return false
		case m.Method == "tools/list":
			_ = m.Reply(fmt.Sprintf(`{"resultType":"complete","ttlMs":60000,"cacheScope":"public","tools":[{"name":"t%d","inputSchema":{"type":"object"}}]}`, s.counts[m.Method]))
		case m.Method == "resources/read":
			_ = m.Reply(fmt.Sprintf(`{"resultType":"complete","ttlMs":60000,"cacheScope":"private","contents":[{"uri":"a:b","text":"r%d"}]}`, s.counts[m.Method]))
		case m.Method == "subscriptions/listen":
			s.listen = string(m.ID)
			_ = m.Send(s.notification("notifications/subscriptions/acknowledged", `"notifications":{"toolsListChanged":true},`))
		case m.Is("change"):
			_ = m.Send(s.notification("notifications/tools/list_changed", ``))
			return false
		default:
			return false
		}
		return true
	}
	t.Cleanup(func() {
		s.setDown(true)
		s.serial.Wait()
	})
	return s
}

func (s *keptServer) notification(method, members string) string {
	return `{"jsonrpc":"2.0","method":"` + method + `","params":{` + members + `"_meta":{"io.modelcontextprotocol/subscriptionId":` + s.listen + `}}}`
}

func (s *keptServer) count(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[method]
}

// setDown closes all connections, and refuses new ones while it is down.
func (s *keptServer) setDown(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
	for _, conn := range s.conns {
		_ = conn.Close()
	}
	s.conns = nil
}

func (s *keptServer) dial(context.Context) (jsonrpc.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		return nil, errors.New("down")
	}
	client, server := net.Pipe()
	s.conns = append(s.conns, server)
	s.serial.Go(func() { s.ServeStream(server) })
	return validated(s.t, client), nil
}

func (s *keptServer) connect(t *testing.T, o mcpclient.Options) *mcpclient.Client {
	t.Helper()
	o.Retry = mcpclient.Retry{Attempts: 2, First: time.Millisecond, Max: time.Millisecond}
	c, err := mcpclient.Connect(t.Context(), knownTarget{Target: mcpclient.Dialer(t.Name(), s.dial)}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func listed(t *testing.T, c *mcpclient.Client, want string, options ...mcpclient.RequestOption) {
	t.Helper()
	tools, err := c.Tools(t.Context(), options...)
	got := fmt.Sprint(err)
	if err == nil {
		got = ""
		for _, tool := range tools {
			got += tool.Name
		}
	}
	if got != want && (want != "error" || err == nil) {
		t.Errorf("tools %s, want %s", got, want)
	}
}

func TestResultsAreKept(t *testing.T) {
	s := newKeptServer(t)
	cache := mcpclient.NewCache(0, 0)
	eras := mcpclient.FileEras(filepath.Join(t.TempDir(), "eras"))
	c := s.connect(t, mcpclient.Options{Cache: cache, Eras: eras})
	other := s.connect(t, mcpclient.Options{Cache: cache, Eras: eras})
	lost := make(chan bool, 10)
	alone := s.connect(t, mcpclient.Options{Eras: eras, OnState: func(state mcpclient.State) {
		if state.Kind == mcpclient.Lost {
			lost <- true
		}
	}})
	if n := s.count("server/discover"); n != 1 {
		t.Errorf("%d probes", n)
	}
	listed(t, c, "t1")
	listed(t, c, "t1")
	listed(t, other, "t1")
	listed(t, alone, "t2")
	listed(t, c, "t3", mcpclient.WithoutCache())
	listed(t, other, "t3")
	for range 2 {
		r, err := c.Read(t.Context(), "a:b")
		if err != nil || r.Text() != "r1" {
			t.Errorf("read %v %v", r, err)
		}
	}

	if _, err := c.Subscribe(t.Context(), mcpclient.Filter{Tools: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Call(t.Context(), "change", nil); err != nil {
		t.Fatal(err)
	}
	listed(t, c, "t4")
	listed(t, other, "t4")

	s.setDown(true)
	<-lost
	listed(t, alone, "error")
	listed(t, alone, "t2", mcpclient.WithStale())
	s.setDown(false)
	listed(t, alone, "t5") // entries from before the loss are stale
	listed(t, alone, "t5")
}

// A server that is no longer the one whose revision was stored is probed again.
func TestErasOfReplacedServers(t *testing.T) {
	for _, modern := range []bool{true, false} {
		for range 2 {
			s := newKeptServer(t)
			s.Modern = modern
			eras := mcpclient.FileEras(filepath.Join(t.TempDir(), "eras"))
			first := s.connect(t, mcpclient.Options{Eras: eras})
			was := first.Revision()
			if strings.HasPrefix(was, "2026") != modern {
				t.Errorf("revision %s", was)
			}
			s.mu.Lock()
			s.Modern, s.counts = !modern, map[string]int{}
			s.mu.Unlock()
			second := s.connect(t, mcpclient.Options{Eras: eras})
			if _, err := second.Call(t.Context(), "echo", nil); err != nil {
				t.Errorf("a server that was of %s: %v", was, err)
			}
			if second.Revision() == was {
				t.Errorf("still %s", was)
			}
		}
	}
}
