package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// TestMaxTime: the time of a request includes all waits, not only the wait for its reply.
func TestMaxTime(t *testing.T) {
	const question = `{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":` +
		`{"message":"?","requestedSchema":{"type":"object","properties":{}}}}}}`
	for name, c := range map[string]struct {
		reply   string                             // to the call
		prepare func(*mcpclient.Client, *scripted) // before the call
	}{
		"reconnecting": {prepare: func(client *mcpclient.Client, s *scripted) {
			_ = s.conns[0].Close() // all later connections are refused
			synctest.Wait()
		}},
		"other requests": {prepare: func(client *mcpclient.Client, s *scripted) {
			go func() { _, _ = client.Call(context.Background(), "x", nil) }() // ended by Close
			synctest.Wait()
		}},
		"a person": {reply: question},
		"no reply": {},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &scripted{t: t, handle: modern(func(_ int, m message) []string {
					if c.reply == "" || m.Method != "tools/call" {
						return nil
					}
					return []string{m.reply(c.reply)}
				})}
				dials := 0
				target := mcpclient.Dialer("scripted "+t.Name(), func(ctx context.Context) (jsonrpc.Conn, error) {
					if dials++; dials > 1 {
						return nil, errors.New("refused")
					}
					return s.dial(ctx)
				})
				o := mcpclient.Options{Elicit: func(ctx context.Context, _ *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
					<-ctx.Done()
					return mcpclient.Cancel(), ctx.Err()
				}}
				o.Limits.InFlight = 1
				client, err := mcpclient.Connect(t.Context(), target, o)
				if err != nil {
					t.Fatal(err)
				}
				if c.prepare != nil {
					c.prepare(client, s)
				}
				begin := time.Now()
				_, err = client.Call(t.Context(), "x", nil, mcpclient.WithMaxTime(time.Second))
				if d := time.Since(begin); !errors.Is(err, mcpclient.ErrTimeout) || d != time.Second {
					t.Errorf("after %v: %v", d, err)
				}
				if err := client.Close(); err != nil {
					t.Error(err)
				}
				s.serving.Wait()
			})
		})
	}
}

// TestEndedContext: a request whose context is done is not sent, and opens no connection.
func TestEndedContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{t: t, handle: modern(func(_ int, m message) []string { return []string{m.reply(okResult)} })}
		target := mcpclient.Dialer("scripted "+t.Name(), s.dial)
		why := errors.New("why")
		ended, cancel := context.WithCancelCause(t.Context())
		cancel(why)
		if _, err := mcpclient.Connect(ended, target, mcpclient.Options{}); !errors.Is(err, why) {
			t.Errorf("Connect: %v", err)
		}
		if n := len(s.methods()); n != 0 {
			t.Errorf("%d messages have been sent", n)
		}
		client := connect(t, s, mcpclient.Options{})
		for range 20 {
			if _, err := client.Call(ended, "x", nil); !errors.Is(err, why) {
				t.Errorf("Call: %v", err)
			}
		}
		synctest.Wait()
		if n := s.count("tools/call"); n != 0 {
			t.Errorf("%d calls have been sent", n)
		}
	})
}

// TestSameOptions: clients may share Options and their maps.
func TestSameOptions(t *testing.T) {
	const given = `{ "a": 1 }`
	o := mcpclient.Options{Extensions: map[string]json.RawMessage{"example/x": json.RawMessage(given)}}
	s := &scripted{t: t, handle: modern(func(_ int, m message) []string { return nil })}
	done := make(chan error)
	for range 4 {
		go func() {
			c, err := mcpclient.Connect(t.Context(), mcpclient.Dialer("scripted "+t.Name(), s.dial), o)
			if err == nil {
				err = c.Close()
			}
			done <- err
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	s.serving.Wait()
	if got := string(o.Extensions["example/x"]); got != given {
		t.Errorf("the option is %s now", got)
	}
}
