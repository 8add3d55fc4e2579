package mcptest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

type yes struct{ Yes bool }

func (f *yes) MCPFormNeedsDirective() (*mcp.FormInfo, func(*wire.Decoder)) {
	return &mcp.FormInfo{Fields: []mcp.FormField{{Name: "yes", Kind: mcp.BooleanField, Required: true}}}, func(d *wire.Decoder) {
		for o := d.Object(wire.Fields{{Must: "yes"}}); o.Next(); {
			wire.Bool(d, &f.Yes)
		}
	}
}

// taskServer returns a server with one tool, whose calls are tasks.
func taskServer(support mcptask.Support, f func(context.Context) (string, error)) *mcp.Server {
	s := mcp.NewServer(mcp.ServerInfo{Name: "fixture", Version: "1"})
	s.Register(mcptask.Tool(mcp.NewTool(mcp.ToolInfo{Name: "import", InputSchema: `{"type":"object"}`}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		text, err := f(ctx)
		if err != nil {
			return nil, err
		}
		return mcp.TextResult(text), nil
	}), support))
	return s
}

// taskRevisions contains one revision for each form of tasks.
var taskRevisions = []string{"2025-11-25", "2026-07-28"}

// Each question ends the run, so that an effect outside of Once is repeated, and an effect inside
// is not.
func TestTask(t *testing.T) {
	for _, revision := range taskRevisions {
		for _, inline := range []time.Duration{0, time.Hour} {
			t.Run(fmt.Sprint(revision, " inline ", inline), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					outside, inside := 0, 0
					server := taskServer(mcptask.Support{Inline: inline}, func(ctx context.Context) (string, error) {
						outside++
						if _, err := mcp.Once(ctx, "begin", func() (int, error) {
							inside++
							return inside, nil
						}); err != nil {
							return "", err
						}
						answer := ""
						for i := range 2 {
							a, err := mcp.Elicit[yes](ctx, fmt.Sprint("sure ", i))
							if err != nil {
								return "", err
							}
							answer += fmt.Sprint(a.Value.Yes)
						}
						mcp.Progress(ctx, 1, 2, "reading")
						time.Sleep(10 * time.Second)
						return answer, nil
					})
					var asked []string
					c := mcptest.New(t, server, mcptest.Options{Revision: revision, Elicit: func(_ context.Context, e *mcpclient.Elicitation) mcpclient.ElicitAnswer {
						asked = append(asked, e.Message)
						return mcpclient.Accept(map[string]any{"yes": true})
					}})
					if got := mcptest.Task[string](c, "import", map[string]any{}); got != "truetrue" {
						t.Errorf("got %q", got)
					}
					if outside != 3 || inside != 1 {
						t.Errorf("%d effects outside of Once, %d inside", outside, inside)
					}
					if !slices.Equal(asked, []string{"sure 0", "sure 1"}) {
						t.Errorf("asked %q", asked)
					}
				})
			})
		}
	}
}

func TestTaskFails(t *testing.T) {
	for _, revision := range taskRevisions {
		t.Run(revision, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				end := errors.New("no shelf")
				server := taskServer(mcptask.Support{Required: true}, func(ctx context.Context) (string, error) {
					mcp.Progress(ctx, 1, 2, "reading")
					time.Sleep(time.Second)
					return "", end
				})
				c := mcptest.New(t, server, mcptest.Options{Revision: revision})
				var messages []string
				result, err := c.Task("import", nil, mcptest.WithProgress(func(p mcpclient.Progress) { messages = append(messages, p.Message) }))
				if err != nil || !result.IsError || result.Text() != "no shelf" {
					t.Errorf("%+v, %v", result, err)
				}
				if !slices.Equal(messages, []string{"1 of 2: reading"}) {
					t.Errorf("messages %q", messages)
				}
				end = &mcp.ProtocolError{Code: 7, Message: "broken"}
				_, err = c.Task("import", nil)
				if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != 7 {
					t.Errorf("%v", err)
				}
				_, err = c.Task("none", nil)
				if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || !strings.Contains(e.Message, "none") {
					t.Errorf("%v", err)
				}
			})
		})
	}
}

// A client that refuses a question ends the task: directly, or by a handler that gets no answer.
func TestTaskRefused(t *testing.T) {
	for _, revision := range taskRevisions {
		synctest.Test(t, func(t *testing.T) {
			server := taskServer(mcptask.Support{Required: true}, func(ctx context.Context) (string, error) {
				_, err := mcp.Sample(ctx, &mcp.SampleRequest{Messages: []mcp.SampleMessage{mcp.UserMessage("hello")}, MaxTokens: 1})
				return "", err
			})
			c := mcptest.New(t, server, mcptest.Options{Revision: revision, Sample: func(context.Context, *mcp.SampleRequest) (*mcp.SampleResult, error) {
				return nil, errors.New("no model")
			}})
			result, err := c.Task("import", nil)
			if revision == "2025-11-25" {
				if err != nil || !result.IsError {
					t.Errorf("%+v, %v", result, err)
				}
			} else if !errors.Is(err, mcptest.ErrRefused) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestTaskFailures(t *testing.T) {
	f := func(ctx context.Context) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	}
	for _, c := range []struct {
		revision string
		server   *mcp.Server
		want     string
	}{
		{"2025-06-18", nil, "revision 2025-06-18 has no tasks"},
		{"", mcp.NewServer(mcp.ServerInfo{Name: "fixture", Version: "1"}), "no tool of the server can run as a task"},
		{"", nil, "is working, and has not changed within 1m0s"},
		{"2025-11-25", nil, "is working, and has not changed within 1m0s"},
	} {
		synctest.Test(t, func(t *testing.T) {
			if c.server == nil {
				c.server = taskServer(mcptask.Support{Required: true}, f)
			}
			got := mcptest.Failure(func(t testing.TB) {
				_, _ = mcptest.New(t, c.server, mcptest.Options{Revision: c.revision}).Task("import", nil)
			})
			if !strings.Contains(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
