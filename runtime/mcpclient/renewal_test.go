package mcpclient_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// acknowledge returns the notification that begins a listen.
func (m message) acknowledge() string {
	return `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},` +
		`"_meta":{"io.modelcontextprotocol/subscriptionId":` + string(m.ID) + `}}}`
}

// TestRenewalsFail: if the server ends a listen, and then each renewal before it has begun, one
// goroutine renews it after growing delays.
func TestRenewalsFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listens := 0
		s := &scripted{handle: modern(func(_ int, m message) []string {
			if m.Method != "subscriptions/listen" {
				return nil
			}
			end := m.reply(`{"resultType":"complete"}`)
			if listens++; listens == 1 || listens > 30 {
				if listens == 1 {
					return []string{m.acknowledge(), end}
				}
				return []string{m.acknowledge()}
			}
			return []string{end}
		})}
		client := connect(t, s, mcpclient.Options{})
		sub, err := client.Subscribe(t.Context(), mcpclient.Filter{Tools: true})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		// Pauses of 0.5 to 16 s, and then of 30 s, each with a random part of at least half.
		if n := s.count("subscriptions/listen"); n < 15 || n > 26 {
			t.Errorf("%d listens in 5 minutes", n)
		}
		time.Sleep(15 * time.Minute)
		if n := s.count("subscriptions/listen"); n != 31 {
			t.Errorf("%d listens, want no more once one has begun", n)
		}
		if err := sub.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if n := s.count("notifications/cancelled"); n != 1 {
			t.Errorf("%d cancellations of the listen", n)
		}
	})
}

// TestLostWhileRestored: a connection that is lost while subscriptions are renewed is opened again
// without a request.
func TestLostWhileRestored(t *testing.T) {
	for name, serve := range map[string]func(func(int, message) []string) func(int, message) []string{"modern": modern, "legacy": legacy} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &scripted{handle: serve(func(conn int, m message) []string {
					switch {
					case m.Method == "tools/call" || conn > 1 && conn < 4:
						return []string{closing}
					case m.Method == "subscriptions/listen":
						return []string{m.acknowledge()}
					}
					return []string{m.reply(`{"resultType":"complete"}`)}
				})}
				client := connect(t, s, mcpclient.Options{})
				if _, err := client.Subscribe(t.Context(), mcpclient.Filter{Tools: true, URIs: []string{"test://a"}}); err != nil {
					t.Fatal(err)
				}
				if _, err := client.Call(t.Context(), "x", nil); err == nil {
					t.Error("the call has a result")
				}
				time.Sleep(10 * time.Minute)
				if n := s.count("subscriptions/listen") + s.count("resources/subscribe"); n != 4 {
					t.Errorf("%d subscriptions, want one, two that are lost, and the last one", n)
				}
			})
		})
	}
}

// TestSubscribeAfterLoss: a subscription that is lost while it begins is sent again; only once,
// even if another caller opens the connection.
func TestSubscribeAfterLoss(t *testing.T) {
	for name, serve := range map[string]func(func(int, message) []string) func(int, message) []string{"modern": modern, "legacy": legacy} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &scripted{handle: serve(func(conn int, m message) []string {
					switch {
					case conn == 1:
						return []string{closing}
					case m.Method == "subscriptions/listen":
						return []string{m.acknowledge()}
					}
					return []string{m.reply(`{"resultType":"complete"}`)}
				})}
				client := connect(t, s, mcpclient.Options{})
				sub, err := client.Subscribe(t.Context(), mcpclient.Filter{Tools: true, URIs: []string{"test://a"}})
				if err != nil {
					t.Fatal(err)
				}
				if !sub.Acknowledged().Tools {
					t.Errorf("acknowledged: %+v", sub.Acknowledged())
				}
				time.Sleep(10 * time.Minute)
				if n := s.count("subscriptions/listen") + s.count("resources/subscribe"); n != 2 {
					t.Errorf("%d subscriptions, want the lost one and another one", n)
				}
			})
		})
	}
}

// TestCloseWhileRenewed: closing a subscription while it is renewed cancels it on the server.
func TestCloseWhileRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listens := 0
		s := &scripted{handle: modern(func(_ int, m message) []string {
			if m.Method != "subscriptions/listen" {
				return nil
			}
			if listens++; listens == 1 {
				return []string{m.acknowledge(), m.reply(`{"resultType":"complete"}`)}
			}
			return nil
		})}
		client := connect(t, s, mcpclient.Options{})
		sub, err := client.Subscribe(t.Context(), mcpclient.Filter{Tools: true})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second) // the second listen has no acknowledgement
		if err := sub.Close(); err != nil {
			t.Error(err)
		}
		time.Sleep(10 * time.Minute)
		if listens, ends := s.count("subscriptions/listen"), s.count("notifications/cancelled"); listens != 2 || ends != 1 {
			t.Errorf("%d listens, %d cancellations", listens, ends)
		}
	})
}
