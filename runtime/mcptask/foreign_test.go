package mcptask_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

const neverWas = "AAAAAAAAAAAAAAAAAAAAAAAAAA"

// For a task of another principal, a client gets the same as for an id that never existed, byte for
// byte: the status, the header and the message.
func TestForeignTasksOnEachTransport(t *testing.T) {
	onEachTransport(t, func(t *testing.T, open func(*mcp.Server, string) *peer) {
		s := newServer(mcptask.WithStore(mcptask.NewMemory()))
		defer mcptask.Shutdown(context.Background(), s)
		add(s, "ask", mcptask.Support{}, func(ctx context.Context) (string, error) { return confirm(ctx, "Sure?", mcp.WithKey("sure")) })
		add(s, "end", mcptask.Support{}, func(ctx context.Context) (string, error) { return "secret", nil })
		ada, bob := open(s, "ada"), open(s, "bob")
		waits, ended := ada.begin("ask"), ada.begin("end")
		settled(func() bool {
			return strings.Contains(ada.ask("tasks/get", `"taskId":"`+ended+`"`), `"status":"completed"`) &&
				strings.Contains(ada.ask("tasks/get", `"taskId":"`+waits+`"`), `"status":"input_required"`)
		})
		requests := map[string]string{"tasks/get": "", "tasks/cancel": ""}
		if bob.revision == extension {
			requests["tasks/update"] = `,"inputResponses":{"sure":{"action":"accept","content":{"yes":true}}}`
		} else {
			requests["tasks/result"] = ""
		}
		for method, more := range requests {
			want := bob.exchange(900, method, `"taskId":"`+neverWas+`"`+more)
			if !strings.Contains(want, `{"jsonrpc":"2.0","id":900,"error":{"code":-32602,"message":"invalid params: unknown taskId"}}`) {
				t.Errorf("%s of a task that never was: %s", method, want)
			}
			for _, id := range []string{waits, ended} {
				if got := bob.exchange(900, method, `"taskId":"`+id+`"`+more); got != want {
					t.Errorf("%s: %s\nfor a task that never was: %s", method, got, want)
				}
			}
		}
		if bob.revision == extension {
			var acknowledged []string
			for _, id := range []string{neverWas, waits, ended} {
				bob.put(bob.requestAs(901, "subscriptions/listen", `"notifications":{"taskIds":["`+id+`"]}`))
				acknowledged = append(acknowledged, bob.find("acknowledged"))
				if strings.HasPrefix(bob.transport, "http") {
					continue // each has its response
				}
				bob.put(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":901}}`)
			}
			if len(slices.Compact(acknowledged)) != 1 || !strings.Contains(acknowledged[0], `"notifications":{}}`) {
				t.Errorf("listens are acknowledged differently: %v", acknowledged)
			}
		}
		if got := ada.ask("tasks/get", `"taskId":"`+waits+`"`); !strings.Contains(got, `"status":"input_required"`) {
			t.Errorf("bob has changed the task: %s", got)
		}
	})
}

// The time of a reply does not reveal whether a task of another principal exists: the store is
// asked once in either case, and returns no record that would take time.
func TestReadsOfForeignTasks(t *testing.T) {
	within(t, func(t *testing.T) {
		store := &counting{Store: mcptask.NewMemory()}
		s := newServer(mcptask.WithStore(store))
		defer mcptask.Shutdown(context.Background(), s)
		add(s, "end", mcptask.Support{}, func(ctx context.Context) (string, error) { return strings.Repeat("secret", 10_000), nil })
		ada, bob := connectAs(t, s, "ada"), connectAs(t, s, "bob")
		id := ada.begin("end")
		wait()
		ada.is(id, "completed", "")
		for _, id := range []string{neverWas, id} {
			gets, found := store.gets.Load(), store.found.Load()
			unknown(t, bob.ask("tasks/get", `"taskId":"`+id+`"`))
			if gets, found = store.gets.Load()-gets, store.found.Load()-found; gets != 1 || found != 0 {
				t.Errorf("task %s: the store is asked %d times, and returns %d records", id, gets, found)
			}
		}
	})
}
