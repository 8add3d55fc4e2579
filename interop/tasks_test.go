package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// tasksServer is a program with tools whose calls are tasks.
func tasksServer() string { return servers + "tasks" + filepath.Ext(bookstore) }

// The clients of the TypeScript SDK with tasks: the one of the experimental form, and package
// ext-tasks, which supports both.
func TestTypeScriptTasks(t *testing.T) {
	ends := func(first string, fail ...any) map[string]any {
		return map[string]any{
			"count": []any{first, "counted"}, "import": []any{first, "imported"}, "ask": []any{first, "accept Ada"}, "asked": 1.0, "fail": fail[0],
		}
	}
	polls := ends("task", nil)
	delete(polls, "ask")
	polls["asked"] = 0.0
	experimental := ends("created", nil)
	experimental["cancel"], experimental["plain"] = []any{"cancelled", "cancelled"}, "counted"
	for _, test := range []struct {
		client    string
		way       way
		want      map[string]any
		failsWith string // its message, which may contain an id
	}{
		{"sdk1", way{stdio, links}, experimental, "failed"},
		{"sdk1", way{http, links}, experimental, "failed"},
		{"ext-tasks", way{stdio, links}, polls, "Task failed"},
		{"ext-tasks", way{http, links}, polls, "Task failed"},
		{"ext-tasks", way{http, modern}, ends("task", nil), "failed: no such book"},
	} {
		t.Run(test.client+"/"+test.way.String(), func(t *testing.T) {
			t.Parallel()
			p := map[string]any{"client": test.client, "revision": test.way.revision}
			if test.way.transport == stdio {
				p["command"] = tasksServer()
			} else {
				p["url"] = serve(t, tasksServer(), http).url
			}
			argument, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), deadline)
			defer cancel()
			command := exec.CommandContext(ctx, node(t), filepath.Join(clients, "tasks.mjs"), string(argument))
			var stderr bytes.Buffer
			command.Stderr = &stderr
			out, err := command.Output()
			if err != nil || stderr.Len() > 0 {
				t.Fatalf("%v\n%s%s", err, out, &stderr)
			}
			var got map[string]any
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if text := fmt.Sprint(got["fail"]); !strings.Contains(text, test.failsWith) {
				t.Errorf("a call that fails: %s", text)
			}
			got["fail"] = nil
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// The Inspector calls tools that are tasks, in both forms, like any others.
func TestInspectorTasks(t *testing.T) {
	for _, era := range []string{legacyEra, modernEra} {
		for _, transport := range []string{stdio, http} {
			t.Run(transport+"/"+era, func(t *testing.T) {
				t.Parallel()
				target := tasksServer()
				if transport == http {
					target = serve(t, target, http).url
				}
				for tool, want := range map[string]string{"count": `"text":"counted"`, "import": `"text":"imported"`} {
					inspect(t, target, era, inspection{args: []string{"--method", "tools/call", "--tool-name", tool}, want: want})
				}
				inspect(t, target, era, inspection{
					args: []string{"--method", "tools/call", "--tool-name", "fail"}, code: inspectorFailed, want: `"text":"no such book"`,
				})
			})
		}
	}
}
