package hardening_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// timedServer is a server of 2026-07-28 on a stream.
type timedServer struct {
	old    bool                                      // supports 2025-11-25 only, and does not answer the probe
	call   func(conn jsonrpc.Conn, id, token []byte) // replies to a call
	unread bool                                      // it stops reading after the first message
}

// dial is for mcpclient.Dialer.
func (s *timedServer) dial(context.Context) (jsonrpc.Conn, error) {
	client, conn := jsonrpc.Pipe()
	go s.serve(conn)
	return client, nil
}

func (s *timedServer) serve(conn jsonrpc.Conn) {
	for {
		line, err := conn.Read()
		if err != nil {
			_ = conn.Close() // the client has gone
			return
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Meta struct {
					Token json.RawMessage `json:"progressToken"`
				} `json:"_meta"`
			} `json:"params"`
		}
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		result := ""
		switch {
		case m.Method == "server/discover" && !s.old:
			result = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}`
		case m.Method == "initialize":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"timed","version":"1"}}`
		case m.Method == "tools/call" && s.call != nil:
			s.call(conn, m.ID, m.Params.Meta.Token)
		}
		if result != "" {
			_ = conn.Write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)) // the client may have gone
		}
		if s.unread {
			return
		}
	}
}

// stuckEnd is a connection whose Close waits for a long time.
type stuckEnd struct{ jsonrpc.Conn }

func (c stuckEnd) Close() error {
	time.Sleep(time.Hour)
	return c.Conn.Close()
}

// TestClientTimes: each time of mcpclient.Limits limits its operation, to the second.
func TestClientTimes(t *testing.T) {
	ctx := context.Background()
	ask := func(conn jsonrpc.Conn, id, _ []byte) {
		_ = conn.Write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":`+
			`{"message":"?","requestedSchema":{"type":"object","properties":{}}}}}}}`+"\n", id))
	}
	live := func(conn jsonrpc.Conn, _, token []byte) {
		go func() {
			for i := 1; conn.Write(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`+"\n", token, i)) == nil; i++ {
				time.Sleep(5 * time.Second)
			}
		}()
	}
	type times struct {
		options mcpclient.Options
		server  timedServer
		dial    func(s *timedServer) func(context.Context) (jsonrpc.Conn, error)
	}
	connect := func(t *testing.T, s *times) (*mcpclient.Client, error) {
		dial := s.server.dial
		if s.dial != nil {
			dial = s.dial(&s.server)
		}
		s.options.Retry, s.options.Eras = mcpclient.Retry{Attempts: 1}, noEras{} // each run begins with a probe
		return mcpclient.Connect(ctx, mcpclient.Dialer("timed "+t.Name(), dial), s.options)
	}
	call := func(s *times) func(*testing.T) (time.Duration, error) {
		return func(t *testing.T) (time.Duration, error) {
			c, err := connect(t, s)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			began := time.Now()
			_, err = c.Call(ctx, "x", map[string]string{"text": strings.Repeat("x", 1<<20)}, mcpclient.WithProgress(func(mcpclient.Progress) {}))
			return time.Since(began), err
		}
	}
	var asked atomic.Int64 // duration of the question
	for _, row := range []struct {
		name string
		want time.Duration
		run  func(*testing.T) (time.Duration, error)
		err  error
	}{
		{"ConnectTime", 7 * time.Second, func(t *testing.T) (time.Duration, error) {
			s := &times{dial: func(*timedServer) func(context.Context) (jsonrpc.Conn, error) {
				return func(ctx context.Context) (jsonrpc.Conn, error) { <-ctx.Done(); return nil, ctx.Err() }
			}}
			s.options.Limits.ConnectTime = 7 * time.Second
			began := time.Now()
			_, err := connect(t, s)
			return time.Since(began), err
		}, mcpclient.ErrTimeout},
		{"half of ConnectTime on a stream", 3 * time.Second, func(t *testing.T) (time.Duration, error) {
			s := &times{server: timedServer{old: true}}
			s.options.Limits.ConnectTime = 6 * time.Second
			began := time.Now()
			c, err := connect(t, s)
			if err != nil {
				return 0, err
			}
			took := time.Since(began)
			if c.Revision() != "2025-11-25" {
				t.Error(c.Revision())
			}
			return took, c.Close()
		}, nil},
		{"RequestTime", 11 * time.Second, call(&times{options: mcpclient.Options{Limits: mcpclient.Limits{RequestTime: 11 * time.Second}}}), mcpclient.ErrTimeout},
		{"MaxTime", 42 * time.Second, call(&times{
			options: mcpclient.Options{Limits: mcpclient.Limits{RequestTime: 11 * time.Second, MaxTime: 42 * time.Second}}, server: timedServer{call: live},
		}), mcpclient.ErrTimeout},
		{"QuestionTime", 13 * time.Second, func(t *testing.T) (time.Duration, error) {
			s := &times{server: timedServer{call: ask}}
			s.options.Limits = mcpclient.Limits{QuestionTime: 13 * time.Second, RequestTime: 5 * time.Second}
			s.options.Elicit = func(ctx context.Context, _ *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
				began := time.Now()
				<-ctx.Done()
				asked.Store(int64(time.Since(began)))
				return mcpclient.Cancel(), ctx.Err()
			}
			_, err := call(s)(t)
			synctest.Wait() // for the function that is asked
			return time.Duration(asked.Load()), err
		}, mcpclient.ErrTimeout},
		{"WriteTime", 17 * time.Second, call(&times{
			options: mcpclient.Options{Limits: mcpclient.Limits{WriteTime: 17 * time.Second, RequestTime: time.Minute}}, server: timedServer{unread: true},
		}), nil},
		{"CloseTime", 16 * time.Second, func(t *testing.T) (time.Duration, error) {
			s := &times{dial: func(s *timedServer) func(context.Context) (jsonrpc.Conn, error) {
				return func(ctx context.Context) (jsonrpc.Conn, error) {
					c, err := s.dial(ctx)
					return stuckEnd{c}, err
				}
			}}
			s.options.Limits.CloseTime = 4 * time.Second // for each step: the fourth is the last
			c, err := connect(t, s)
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			err = c.Close()
			return time.Since(began), err
		}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				took, err := row.run(t)
				time.Sleep(2 * time.Hour) // until all goroutines have returned
				t.Logf("%v: %v", took, err)
				if took != row.want || row.err != nil && !errors.Is(err, row.err) {
					t.Errorf("after %v: %v, want %v after %v", took, err, row.err, row.want)
				}
			})
		})
	}
}
