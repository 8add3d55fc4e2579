package mcphttpclient_test

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// TestClientCloseDoesNotWaitForSession: waiting requests fail at once when the client is closed,
// even while the server takes its time to end the session.
func TestClientCloseDoesNotWaitForSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fakeServer{t: t, respond: func(r *http.Request, m fakeMessage) *http.Response {
			switch {
			case r.Method == http.MethodDelete:
				<-r.Context().Done()
				return silent()
			case m.Params.Name == "stream":
				return endless()
			case m.Params.Name == "silent":
				return silent()
			case m.Params.Name == "later":
				return fakeResponse(503, "text/plain", "later")
			}
			return nil
		}}
		c, err := mcpclient.Connect(t.Context(), s.endpoint(), mcpclient.Options{
			Revision: "2025-11-25", Retry: mcpclient.Retry{First: time.Hour, Max: time.Hour},
		})
		if err != nil {
			t.Fatal(err)
		}
		type end struct {
			err error
			at  time.Time
		}
		ends := make(chan end, 3)
		for _, tool := range []string{"stream", "silent", "later"} {
			go func() {
				_, err := c.Call(t.Context(), tool, nil, mcpclient.WithIdempotent())
				ends <- end{err, time.Now()}
			}()
		}
		time.Sleep(10 * time.Second)
		start := time.Now()
		if err := c.Close(); err != nil || time.Since(start) != 2*time.Second {
			t.Errorf("Close: %v after %v", err, time.Since(start))
		}
		for range 3 {
			if e := <-ends; !errors.Is(e.err, mcpclient.ErrClosed) || e.at.Sub(start) != 0 {
				t.Errorf("a call: %v, %v after the beginning of Close", e.err, e.at.Sub(start))
			}
		}
		time.Sleep(2 * time.Second) // the end of the stream is noticed by then
		if n := s.count("DELETE"); n != 1 {
			t.Errorf("%d requests to end the session", n)
		}
	})
}
