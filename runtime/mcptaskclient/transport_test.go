package mcptaskclient_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
	"github.com/mcpgen/mcpgen/runtime/mcptaskclient"
)

const programVariable = "MCPTASKCLIENT_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(programVariable) != "" {
		if err := transportServer().ServeStdio(context.Background()); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(spec.Main{M: m, Least: 100}.Run())
}

// transportServer has a tool whose calls are tasks that report progress and ask.
func transportServer() *mcp.Server {
	s := newServer()
	add(s, "import", mcptask.Support{Required: true, Poll: 100 * time.Millisecond}, func(ctx context.Context) (string, error) {
		mcp.Progress(ctx, 1, 2, "reading")
		return confirm(ctx, "sure?")
	})
	return s
}

// TestTransports runs a task, and cancels one, over each transport with different requests, in real
// time.
func TestTransports(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, revision := range []string{modern, session} {
		for _, transport := range []struct {
			name   string
			target func(t *testing.T) mcpclient.Target
		}{
			{"program", func(*testing.T) mcpclient.Target {
				return mcpclient.Command{Path: exe, Env: []string{programVariable + "=1"}, Stderr: io.Discard}
			}},
			{"HTTP", func(t *testing.T) mcpclient.Target {
				front := httptest.NewServer(spec.NewTap(t).Handler(mcphttp.NewHandler(transportServer())))
				t.Cleanup(front.Close)
				return mcphttpclient.Endpoint{URL: front.URL}
			}},
			{"HTTP without a standing stream", func(t *testing.T) mcpclient.Target {
				front := httptest.NewServer(spec.NewTap(t).Handler(withoutGET{mcphttp.NewHandler(transportServer())}))
				t.Cleanup(front.Close)
				return mcphttpclient.Endpoint{URL: front.URL}
			}},
		} {
			t.Run(revision+" "+transport.name, func(t *testing.T) {
				t.Parallel()
				var asked atomic.Int32
				o := mcpclient.Options{Revision: revision, Elicit: yes(50*time.Millisecond, &asked)}
				mcptaskclient.Enable(&o)
				c, err := mcpclient.Connect(t.Context(), transport.target(t), o)
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				result, err := c.Call(t.Context(), "import", nil)
				wantText(t, result, err, "accepttrue")
				if asked.Load() != 1 {
					t.Errorf("asked %d times", asked.Load())
				}
				task, err := mcptaskclient.CallTask(t.Context(), c, "import", nil)
				if err != nil {
					t.Fatal(err)
				}
				if err := task.Cancel(t.Context()); err != nil {
					t.Error(err)
				}
				if state, err := task.State(t.Context()); err != nil || state.Status != mcptaskclient.Cancelled {
					t.Errorf("%+v, %v", state, err)
				}
			})
		}
	}
}

// withoutGET is a handler that refuses the stream for messages outside of requests.
type withoutGET struct{ http.Handler }

func (h withoutGET) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	h.Handler.ServeHTTP(w, r)
}
