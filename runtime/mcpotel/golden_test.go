package mcpotel_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const (
	withSessions    = "2025-11-25"
	withoutSessions = "2026-07-28"
)

// requests contains one successful request of each method, and one failing request if possible.
var requests = []struct {
	method, params string
	only           string // the revision that defines the method; "" = both
}{
	{"ping", `{}`, withSessions},
	{"server/discover", `{}`, withoutSessions},
	{"tools/list", `{}`, ""},
	{"tools/list", `{"cursor":"wrong"}`, ""},
	{"tools/call", `{"name":"add","arguments":{}}`, ""},
	{"tools/call", `{"name":"fail","arguments":{}}`, ""},
	{"tools/call", `{"name":"refuse","arguments":{}}`, ""},
	{"tools/call", `{"name":"panic","arguments":{}}`, ""},
	{"tools/call", `{"name":"secret","arguments":{}}`, ""},
	{"tools/call", `{"name":"ask","arguments":{}}`, ""},
	{"resources/list", `{}`, ""},
	{"resources/list", `{"cursor":"wrong"}`, ""},
	{"resources/templates/list", `{}`, ""},
	{"resources/templates/list", `{"cursor":"wrong"}`, ""},
	{"resources/read", `{"uri":"test://motto"}`, ""},
	{"resources/read", `{"uri":"test://broken"}`, ""},
	{"resources/read", `{"uri":"test://ada:secret@motto?token=secret#secret"}`, ""},
	{"resources/subscribe", `{"uri":"test://motto"}`, withSessions},
	{"resources/subscribe", `{"uri":"test://none"}`, withSessions},
	{"resources/unsubscribe", `{"uri":"test://motto"}`, withSessions},
	{"resources/unsubscribe", `{"uri":7}`, withSessions},
	{"prompts/list", `{}`, ""},
	{"prompts/list", `{"cursor":"wrong"}`, ""},
	{"prompts/get", `{"name":"plan","arguments":{"what":"a"}}`, ""},
	{"prompts/get", `{"name":"plan","arguments":{}}`, ""},
	{"prompts/get", `{"name":"secret"}`, ""},
	{"completion/complete", `{"ref":{"type":"ref/prompt","name":"plan"},"argument":{"name":"what","value":"a"}}`, ""},
	{"completion/complete", `{"ref":{"type":"ref/prompt","name":"secret"},"argument":{"name":"what","value":"a"}}`, ""},
	{"logging/setLevel", `{"level":"error"}`, withSessions},
	{"logging/setLevel", `{"level":"secret"}`, withSessions},
	{"example/echo", `{}`, ""},
	{"secret/method", `{}`, ""},
	{"tasks/get", `{"taskId":"secret"}`, ""},
	{"tasks/result", `{"taskId":"secret"}`, withSessions},
	{"tasks/update", `{"taskId":"secret","inputResponses":{}}`, withoutSessions},
	{"tasks/cancel", `{"taskId":"secret"}`, ""},
}

// The records of each method, in each era and over each transport, equal the golden files.
func TestGolden(t *testing.T) {
	for transport, target := range transports {
		for _, revision := range []string{withSessions, withoutSessions} {
			t.Run(transport+"/"+revision, func(t *testing.T) {
				r := newTelemetry(t)
				c, end := connect(t, target(t, r.server()), revision)
				var b strings.Builder
				seen := 0
				show := func(title string, n int) {
					t.Helper()
					t.Log(title)
					fmt.Fprintf(&b, "== %s\n", title)
					var all []string
					for _, s := range r.await(seen + n)[seen:] {
						all = append(all, describe(s))
					}
					seen += len(all)
					slices.Sort(all) // the run of a task may end first
					b.WriteString(strings.Join(all, ""))
				}
				if _, err := c.Server(t.Context()); err != nil {
					t.Fatal(err)
				}
				show("connect", 1)
				for _, request := range requests {
					if request.only != "" && request.only != revision {
						continue
					}
					result, err := c.Request(t.Context(), request.method, json.RawMessage(request.params))
					want := "" // received by the client
					if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
						want = strconv.Itoa(e.Code)
					} else if err != nil {
						t.Fatal(err)
					} else if strings.Contains(string(result), `"isError":true`) {
						want = "tool_error"
					}
					n := 1
					if strings.Contains(request.params, `"ask"`) {
						n = 2 // the question, or the second round
					}
					show(request.method+" "+request.params, n)
					if got := valueOf(r.spans.Ended()[seen-1], "error.type"); got != want {
						t.Errorf("%s %s: error.type is %q, the client gets %q: %s, %v", request.method, request.params, got, want, result, err)
					}
				}
				ask := func(title string, n int, method, params string) json.RawMessage {
					result, err := c.Request(t.Context(), method, json.RawMessage(params))
					if err != nil {
						t.Fatal(err)
					}
					show(title, n)
					return result
				}
				id := taskID(t, ask("a task", 2, "tools/call", taskOf("count", revision)))
				ask("tasks/get", 1, "tasks/get", id)
				if revision == withSessions {
					ask("tasks/result", 1, "tasks/result", id)
				}
				id = taskID(t, ask("a task that waits", 1, "tools/call", taskOf("wait", revision)))
				<-waiting
				if revision == withoutSessions {
					ask("tasks/update", 1, "tasks/update", strings.TrimSuffix(id, "}")+`,"inputResponses":{}}`)
				}
				ask("tasks/cancel, and the run that it ends", 2, "tasks/cancel", id)
				if revision == withoutSessions {
					s, err := c.Subscribe(t.Context(), mcpclient.Filter{Tools: true})
					if err != nil {
						t.Fatal(err)
					}
					_ = s.Close()
					show("subscriptions/listen", 1)
				}
				end()
				fmt.Fprintf(&b, "== metrics\n%s\n", strings.Join(r.histogram("mcp.server.operation.duration"), "\n"))
				equalGolden(t, transport+"-"+revision, b.String())
			})
		}
	}
}

// taskOf returns the params of a call that becomes a task.
func taskOf(tool, revision string) string {
	if revision == withSessions {
		return `{"name":"` + tool + `","arguments":{},"task":{}}`
	}
	return `{"name":"` + tool + `","arguments":{}}`
}

// taskID returns the params of a request for a task.
func taskID(t *testing.T, result json.RawMessage) string {
	t.Helper()
	var r struct {
		TaskID string
		Task   struct{ TaskID string }
	}
	if err := json.Unmarshal(result, &r); err != nil || r.TaskID+r.Task.TaskID == "" {
		t.Fatalf("%s, %v", result, err)
	}
	return `{"taskId":"` + r.TaskID + r.Task.TaskID + `"}`
}

// describe returns the content of a span, without the parts that differ in each run.
func describe(s trace.ReadOnlySpan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %s", s.Name(), s.SpanKind(), s.Status().Code)
	if s.Status().Description != "" {
		fmt.Fprintf(&b, " (%s)", s.Status().Description)
	}
	if s.Parent().IsValid() {
		b.WriteString(", child")
	}
	if n := len(s.Links()); n > 0 {
		fmt.Fprintf(&b, ", %d links", n)
	}
	b.WriteString("\n")
	for _, a := range attributesOf(s.Attributes()) {
		for _, key := range []string{"jsonrpc.request.id=", "mcp.session.id="} {
			if strings.HasPrefix(a, key) && len(a) > len(key) {
				a = key + "(any)"
			}
		}
		b.WriteString("\t" + a + "\n")
	}
	return b.String()
}

func equalGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	lines := strings.Split(string(want), "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(lines) || line != lines[i] {
			t.Fatalf("%s differs at line %d: %q\n%s", path, i+1, line, got)
		}
	}
	t.Fatalf("%s has more lines", path)
}

// No attribute contains values that only clients choose.
func TestGoldenFilesHaveNoSecrets(t *testing.T) {
	files, err := filepath.Glob("testdata/*.golden")
	if err != nil || len(files) != 2*len(transports) {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(string(data), "\n") {
			if !strings.HasPrefix(line, "== ") && strings.Contains(line, "secret") {
				t.Errorf("%s: %s", file, line)
			}
		}
	}
	if !slices.ContainsFunc(files, func(f string) bool { return strings.Contains(f, "websocket") }) {
		t.Error("no file of WebSocket")
	}
}
