package mcphttpclient_test

import (
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// watched is a client that watches a resource, whose server sends changes on the GET stream.
type watched struct {
	*fakeServer
	streams chan *io.PipeWriter // of each GET
	changes chan mcpclient.Change
}

// watch runs f with a client that has subscribed.
func watch(t *testing.T, respond func(r *http.Request, m fakeMessage) *http.Response, f func(w *watched)) {
	synctest.Test(t, func(t *testing.T) {
		w := &watched{streams: make(chan *io.PipeWriter, 1000), changes: make(chan mcpclient.Change, 1000)}
		w.fakeServer = &fakeServer{t: t, respond: func(r *http.Request, m fakeMessage) *http.Response {
			if resp := respond(r, m); resp != nil {
				return resp
			}
			if r.Method == http.MethodGet {
				body, stream := io.Pipe()
				w.streams <- stream
				return fakeStream(200, "text/event-stream", body)
			}
			return nil
		}}
		c, err := mcpclient.Connect(t.Context(), w.endpoint(), mcpclient.Options{
			Revision: "2025-11-25", Retry: mcpclient.Retry{Attempts: 3, First: 100 * time.Millisecond, Max: 10 * time.Second},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		sub, err := c.Subscribe(t.Context(), mcpclient.Filter{URIs: []string{"a:b"}})
		if err != nil {
			t.Fatal(err)
		}
		defer sub.Close()
		go func() {
			for change := range sub.Changes() {
				w.changes <- change
			}
		}()
		f(w)
	})
}

func nothing(*http.Request, fakeMessage) *http.Response { return nil }

// TestClientRenewsAfterStream: messages that a server would have sent while the event stream of the
// session was closed are lost, so subscriptions are renewed, and their resources are reported as
// changed.
func TestClientRenewsAfterStream(t *testing.T) {
	watch(t, nothing, func(w *watched) {
		for n := 2; n < 5; n++ {
			_ = (<-w.streams).Close()
			time.Sleep(time.Minute)
			if got := w.count("resources/subscribe"); got != n {
				t.Errorf("%d subscriptions were sent, want %d", got, n)
			}
			if got := len(w.changes); got != n-1 {
				t.Errorf("%d changes, want %d", got, n-1)
			}
		}
	})
}

// TestClientDoesNotRenewResumed: a stream that is resumed contains the messages that were sent
// meanwhile.
func TestClientDoesNotRenewResumed(t *testing.T) {
	watch(t, nothing, func(w *watched) {
		stream := <-w.streams
		_, _ = io.WriteString(stream, "id: 7\ndata:\n\n") // a first event, as servers send it that let clients poll
		_ = stream.Close()
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := w.resumed(); len(got) != 2 || got[1] != "7" {
			t.Errorf("resumed after %q", got)
		}
		if n, changes := w.count("resources/subscribe"), len(w.changes); n != 1 || changes != 0 {
			t.Errorf("%d subscriptions were sent, %d changes", n, changes)
		}
	})
}

// TestClientRenewsWithPauses has a server that closes each stream at once.
func TestClientRenewsWithPauses(t *testing.T) {
	ended := func(r *http.Request, _ fakeMessage) *http.Response {
		if r.Method == http.MethodGet {
			return fakeResponse(200, "text/event-stream", "retry: 0\n\n")
		}
		return nil
	}
	watch(t, ended, func(w *watched) {
		time.Sleep(time.Minute)
		if n := w.count("resources/subscribe"); n < 5 || n > 25 { // the times double from 100 ms to 10 s, less a random half
			t.Errorf("%d subscriptions were sent in a minute", n)
		}
		if n := w.count("GET"); n < 5 || n > 25 { // likewise, without the random half
			t.Errorf("%d streams were opened in a minute", n)
		}
	})
}

// TestClientBoundsRetry has a server that closes each stream at once, and asks for a pause of 31
// years.
func TestClientBoundsRetry(t *testing.T) {
	ended := func(r *http.Request, _ fakeMessage) *http.Response {
		if r.Method == http.MethodGet {
			return fakeResponse(200, "text/event-stream", "retry: 1000000000000\n\n")
		}
		return nil
	}
	watch(t, ended, func(w *watched) {
		time.Sleep(10 * time.Minute)
		if n := w.count("GET"); n < 10 || n > 11 { // maxRetry is a minute
			t.Errorf("%d streams were opened in ten minutes", n)
		}
	})
}

// TestClientSessionGoneBeforeStream: status 404 for the first event stream may mean that the server
// has no streams, or that it has restarted since initialize.
func TestClientSessionGoneBeforeStream(t *testing.T) {
	for name, gone := range map[string]bool{"gone": true, "no streams": false} {
		t.Run(name, func(t *testing.T) {
			sessions := 0
			lost := func(r *http.Request, m fakeMessage) *http.Response {
				switch {
				case m.Method == "initialize":
					sessions++
				case r.Method == http.MethodGet && (!gone || sessions == 1), m.Method == "ping" && gone && sessions == 1:
					return fakeResponse(404, "text/plain", "not found")
				}
				return nil
			}
			watch(t, lost, func(w *watched) {
				time.Sleep(time.Minute)
				want := 1
				if gone {
					want = 2
				}
				if n := w.count("resources/subscribe"); n != want || w.count("initialize") != want {
					t.Errorf("%d subscriptions, %d sessions, want %d of both", n, w.count("initialize"), want)
				}
			})
		})
	}
}
