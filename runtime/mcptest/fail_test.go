package mcptest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

func TestFailures(t *testing.T) {
	type options = mcptest.Options
	for _, c := range []struct {
		name    string
		options options
		test    func(*mcptest.Client)
		want    string
	}{
		{"revision", options{Revision: "2025-01-01"}, nil, `mcptest: unknown revision "2025-01-01"; there are ["2024-11-05"`},
		{"no tool", options{}, func(c *mcptest.Client) { c.Call("burn_book", nil) },
			`mcptest: tools/call burn_book: unknown tool: burn_book (-32602)`},
		{"failed", options{}, func(c *mcptest.Client) { mcptest.Call[int](c, "fail", nil) },
			`mcptest: fail has failed: the library is closed`},
		{"not failed", options{}, func(c *mcptest.Client) { c.CallError("import", nil) },
			`mcptest: import has not failed: imported`},
		{"not structured", options{}, func(c *mcptest.Client) { mcptest.Call[int](c, "import", nil) },
			`mcptest: import has no structured content: imported`},
		{"another type", options{}, func(c *mcptest.Client) { mcptest.Call[int](c, "titles", nil) },
			`mcptest: the structured content of titles cannot be read: json: cannot unmarshal array into Go value of type int: ["Emma",`},
		{"arguments", options{}, func(c *mcptest.Client) { c.Call("search", func() {}) },
			`mcptest: tools/call search: json: unsupported type: func()`},
		{"no resource", options{}, func(c *mcptest.Client) { c.Read("library://none") },
			`mcptest: resources/read library://none: `},
		{"no prompt", options{}, func(c *mcptest.Client) { c.Prompt("none", nil) }, `mcptest: prompts/get none: `},
		{"completion", options{}, func(c *mcptest.Client) { c.CompletePrompt("none", "x", "", nil) },
			`mcptest: completion/complete: the server refused: `},
		{"params", options{}, func(c *mcptest.Client) { _, _ = c.Request("tools/list", 5) },
			`mcptest: params of tools/list: not an object: 5`},
		{"silence", options{Timeout: time.Second}, func(c *mcptest.Client) { c.Call("block", nil) },
			`mcptest: tools/call block: no answer within 1s`},
		{"no change", options{}, func(c *mcptest.Client) { c.Watch(mcpclient.Filter{Tools: true}).Next() },
			`mcptest: no change within 1m0s`},
		{"closed watch", options{}, func(c *mcptest.Client) {
			w := c.Watch(mcpclient.Filter{Tools: true})
			w.Close()
			w.Next()
		}, `mcptest: the watch has ended: the watch is closed`},
		{"unknown resource", options{}, func(c *mcptest.Client) { c.Watch(mcpclient.Filter{URIs: []string{"a:b"}}) },
			`mcptest: the server does not send notifications of changes of a:b`},
		{"unknown resource of a session", options{Revision: "2025-06-18"},
			func(c *mcptest.Client) { c.Watch(mcpclient.Filter{URIs: []string{"a:b"}}) },
			`mcptest: resources/subscribe: the server refused: `},
		{"closed", options{}, func(c *mcptest.Client) {
			c.Close()
			c.Tools()
		}, `mcptest: tools/list: `},
		{"log level", options{Revision: "2025-06-18", LogLevel: "loud"}, nil,
			`mcptest: logging/setLevel: the server refused: `},
		{"unexpected question", options{Revision: "2025-06-18", Capabilities: map[string]any{"roots": map[string]any{}}},
			func(c *mcptest.Client) { c.Call("roots", nil) },
			`mcptest: the server asks for roots/list, which the client does not support: `},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := mcptest.Failure(func(t testing.TB) {
					client := mcptest.New(t, newLibrary(make(chan string, 2)), c.options)
					if c.test != nil {
						c.test(client)
					}
				})
				if !strings.HasPrefix(got, c.want) || strings.Contains(got, "\nmcptest") {
					t.Errorf("%q, want %q", got, c.want)
				}
			})
		})
	}
}

// The server ends the connection during a request.
func TestServerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := mcptest.Failure(func(t testing.TB) {
			ctx, cancel := context.WithCancelCause(context.Background())
			c := mcptest.New(t, newLibrary(make(chan string, 2)), mcptest.Options{Context: ctx})
			w := c.Watch(mcpclient.Filter{Tools: true})
			cancel(fmt.Errorf("power cut"))
			w.Next()
		})
		want := "mcptest: the watch has ended: the server has ended the"
		if !strings.HasPrefix(got, want) || !strings.Contains(got, "mcptest: the server ended with: power cut") {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

func TestEndlessRounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newLibrary(nil)
		s.Register(text("endless", func(context.Context) (string, error) {
			return "", &mcp.InputRequired{State: json.RawMessage(`1`)}
		}))
		got := mcptest.Failure(func(t testing.TB) { mcptest.New(t, s, mcptest.Options{}).Call("endless", nil) })
		if want := "mcptest: tools/call endless: the server still requires input after 10 rounds"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

func TestContract(t *testing.T) {
	mcptest.Contract(t, newLibrary(nil), "testdata/contract.json")
}

func TestContractDiffers(t *testing.T) {
	t.Setenv(mcptest.UpdateEnv, "")
	s := newLibrary(nil)
	s.Unregister(mcp.KindPrompt, "review")
	s.Register(text("close", func(context.Context) (string, error) { return "", nil }))
	got := mcptest.Failure(func(t testing.TB) { mcptest.Contract(t, s, "testdata/contract.json") })
	for _, want := range []string{
		"mcptest: the contract is not that of testdata/contract.json", "\n+      \"name\": \"close\",\n", "\n-      \"name\": \"review\",\n",
		"\n\tprompt review: removed (breaking)\n\ttool close: added (compatible)\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "Finds books") {
		t.Errorf("what is the same is shown:\n%s", got)
	}
}

// TestContractLayout reads a file with other line breaks, and with features in another order.
func TestContractLayout(t *testing.T) {
	t.Setenv(mcptest.UpdateEnv, "")
	data, err := os.ReadFile("testdata/contract.json")
	if err != nil {
		t.Fatal(err)
	}
	var contract struct {
		Server    json.RawMessage   `json:"server"`
		Tools     []json.RawMessage `json:"tools"`
		Resources json.RawMessage   `json:"resources"`
		Templates json.RawMessage   `json:"resourceTemplates"`
		Prompts   json.RawMessage   `json:"prompts"`
	}
	if err := json.Unmarshal(data, &contract); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(contract.Tools)
	if data, err = json.MarshalIndent(contract, "", "\t"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "contract.json")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(data), "\n", "\r\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := mcptest.Failure(func(t testing.TB) { mcptest.Contract(t, newLibrary(nil), file) }); got != "" {
		t.Errorf("the contract differs: %s", got)
	}
	if err := os.WriteFile(file, []byte("<<<<<<< ours\n"+string(data)), 0o644); err != nil {
		t.Fatal(err)
	}
	got := mcptest.Failure(func(t testing.TB) { mcptest.Contract(t, newLibrary(nil), file) })
	if !strings.HasPrefix(got, "mcptest: read contract ") || !strings.Contains(got, "there are merge markers in the text; write it anew with MCPTEST_UPDATE=1 go test") {
		t.Errorf("a file with merge markers: %q", got)
	}
}

// TestContractArgumentAliases has former names of arguments removed and added.
func TestContractArgumentAliases(t *testing.T) {
	server := func(aliases ...string) *mcp.Server {
		s := mcp.NewServer(mcp.ServerInfo{Name: "shop"})
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: "search", ArgumentAliases: aliases, InputSchema: `{"type":"object","properties":{"text":{"type":"string"}}}`}, nil))
		return s
	}
	file := filepath.Join(t.TempDir(), "contract.json")
	t.Setenv(mcptest.UpdateEnv, "1")
	mcptest.Contract(t, server("text=query"), file)
	t.Setenv(mcptest.UpdateEnv, "")
	mcptest.Contract(t, server("text=query"), file)
	got := mcptest.Failure(func(t testing.TB) { mcptest.Contract(t, server("text=words"), file) })
	want := "\ttool search: argument text: the former name query removed (breaking)\n\ttool search: argument text: the former name words added (compatible)\n"
	if !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}

// TestContractAliases has a tool renamed, with and without an alias for the old name.
func TestContractAliases(t *testing.T) {
	t.Setenv(mcptest.UpdateEnv, "")
	server := func(name string, aliases ...string) *mcp.Server {
		s := mcp.NewServer(mcp.ServerInfo{Name: "shop"})
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: name, Aliases: aliases}, nil))
		return s
	}
	file := filepath.Join(t.TempDir(), "contract.json")
	t.Setenv(mcptest.UpdateEnv, "1")
	mcptest.Contract(t, server("search"), file)
	t.Setenv(mcptest.UpdateEnv, "")
	for _, test := range []struct {
		server *mcp.Server
		want   string
	}{
		{server("find"), "\ttool search: removed (breaking)\n\ttool find: added (compatible)\n"},
		{server("find", "search"), "\ttool search: renamed to find, which still answers to the old name (compatible)\n"},
	} {
		got := mcptest.Failure(func(t testing.TB) { mcptest.Contract(t, test.server, file) })
		if !strings.Contains(got, test.want) {
			t.Errorf("no %q in\n%s", test.want, got)
		}
	}
}

func TestContractIsWritten(t *testing.T) {
	t.Setenv(mcptest.UpdateEnv, "")
	file := filepath.Join(t.TempDir(), "new", "contract.json")
	test := func(t testing.TB) { mcptest.Contract(t, newLibrary(nil), file) }
	if got := mcptest.Failure(test); !strings.Contains(got, "there is no contract "+file+" yet") {
		t.Errorf("without a file: %q", got)
	}
	t.Setenv(mcptest.UpdateEnv, "1")
	if got := mcptest.Failure(test); got != "" {
		t.Errorf("write: %q", got)
	}
	t.Setenv(mcptest.UpdateEnv, "0")
	if got := mcptest.Failure(test); got != "" {
		t.Errorf("with the file that was written: %q", got)
	}
	data, err := os.ReadFile(file)
	if err != nil || !json.Valid(data) || strings.Contains(string(data), "1.2.3") {
		t.Errorf("%v\n%s", err, data)
	}
}
