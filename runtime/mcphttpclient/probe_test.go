package mcphttpclient_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// TestClientProbeWithoutReply has servers that do not reply to the probe over HTTP. That does not
// reveal the revision: the probe is sent again within ConnectTime.
func TestClientProbeWithoutReply(t *testing.T) {
	for name, respond := range map[string]func() *http.Response{
		"an endless event stream":  endless,
		"silence after the header": silent,
	} {
		for _, test := range []struct {
			name    string
			silence int           // probes that get no reply
			ctx     time.Duration // 0 for no timeout
			limits  mcpclient.Limits
			after   time.Duration
			probes  int
			err     error
		}{
			{"once", 1, 0, mcpclient.Limits{}, 15 * time.Second, 2, nil},
			{"for ever", 1000, 0, mcpclient.Limits{}, 30 * time.Second, 2, mcpclient.ErrTimeout},
			{"for ever, a context that ends", 1000, time.Second, mcpclient.Limits{}, time.Second, 1, context.DeadlineExceeded},
			{"for ever, RequestTime", 1000, 0, mcpclient.Limits{RequestTime: time.Second}, 5 * time.Second, 5, mcpclient.ErrTimeout},
		} {
			t.Run(name+"/"+test.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					probes := 0
					s := &fakeServer{t: t, respond: func(_ *http.Request, m fakeMessage) *http.Response {
						if m.Method == "server/discover" {
							if probes++; probes <= test.silence {
								return respond()
							}
						}
						return nil
					}}
					ctx := t.Context()
					if test.ctx > 0 {
						var cancel context.CancelFunc
						ctx, cancel = context.WithTimeout(ctx, test.ctx)
						defer cancel()
					}
					start := time.Now()
					c, err := mcpclient.Connect(ctx, s.endpoint(), mcpclient.Options{
						Eras: noEras{}, Limits: test.limits, Retry: mcpclient.Retry{First: time.Millisecond, Max: time.Millisecond},
					})
					if took := time.Since(start); !errors.Is(err, test.err) || took < test.after || took > test.after+100*time.Millisecond {
						t.Errorf("Connect: %v after %v, want %v after %v", err, took, test.err, test.after)
					}
					if probes != test.probes || err != nil && s.count("initialize") > 0 {
						t.Errorf("%q", s.seen)
					}
					if c != nil {
						_ = c.Close()
					}
					time.Sleep(2 * time.Second) // the end of the streams is noticed by then
				})
			})
		}
	}
}

// noEras stores nothing.
type noEras struct{}

func (noEras) Get(string) (mcpclient.Era, bool) { return mcpclient.Era{}, false }
func (noEras) Put(string, mcpclient.Era)        {}
func (noEras) Drop(string)                      {}
