package pages_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestRouter calls the tools of the page on porting through its interceptors: each refuses the
// calls that the middleware it replaces would have refused, and passes on the rest.
func TestRouter(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a POSIX shell")
	}
	page := read(t, "docs/write/porting.md")
	s := newShell(t)
	for _, b := range fenced(page) {
		if b.file == "tickets.go" || b.file == "router.go" {
			if err := os.WriteFile(filepath.Join(s.dir, b.file), []byte(b.text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(s.dir, "router_test.go"), []byte(routerTest), 0o644); err != nil {
		t.Fatal(err)
	}
	s.must("", "go mod init example.com/tickets")
	s.install(root(t))
	s.must("", "go tool mcpgen . && go test .")
}

const routerTest = `package tickets

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

func TestRouter(t *testing.T) {
	licensed, known := false, true
	r := &Router{
		UserOf: func(context.Context, http.Header) (User, error) {
			if !known {
				return User{}, errors.New("no session")
			}
			return User{"ann"}, nil
		},
		License:  func(group string) bool { return licensed || group != "reports" },
		Disabled: []string{"close_ticket"},
	}
	seen := ""
	inner := func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
			user, _ := ctx.Value(userKey{}).(User)
			seen = user.Name
			if tool, ok := req.Tool(); ok {
				return mcp.TextResult("ran " + tool.Name), nil
			}
			return next(ctx, req)
		}
	}
	server := mcp.NewServer(mcp.ServerInfo{Name: "tickets"}, append(r.Options(), mcp.WithInterceptors(inner))...)
	r.Register(server)
	c := mcptest.New(t, server, mcptest.Options{})
	refused := func(tool string, arguments any, want string) {
		t.Helper()
		if got := c.CallError(tool, arguments); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", tool, got, want)
		}
	}
	ran := func(tool string, arguments any) {
		t.Helper()
		if got := c.Call(tool, arguments).Text(); got != "ran "+tool {
			t.Errorf("%s: got %q", tool, got)
		}
	}
	find := map[string]any{"query": "sea"}
	ran("find_tickets", find)
	if seen != "ann" {
		t.Errorf("the user is %q", seen)
	}
	refused("find_tickets", map[string]any{"query": strings.Repeat("x", 5000)}, "and 4096 are allowed")
	refused("count_tickets", map[string]any{"project": "p"}, "count_tickets needs a licence for reports")
	licensed = true
	ran("count_tickets", map[string]any{"project": "p"})
	ran("reopen_ticket", map[string]any{"id": 1})
	r.ReadOnly.Store(true)
	refused("reopen_ticket", map[string]any{"id": 1}, "the server is read-only")
	ran("find_tickets", find)
	known = false
	refused("find_tickets", find, "log in first: no session")
	known = true
	for range 30 {
		if last := c.Call("find_tickets", find); last.IsError {
			if !strings.Contains(last.Text(), "again") {
				t.Errorf("got %q", last.Text())
			}
			return
		}
	}
	t.Error("no call was refused for its rate")
}

func TestDisabled(t *testing.T) {
	server := mcp.NewServer(mcp.ServerInfo{Name: "tickets"})
	(&Router{Disabled: []string{"close_ticket"}}).Register(server)
	for _, tool := range mcptest.New(t, server, mcptest.Options{}).Tools() {
		if tool.Name == "close_ticket" {
			t.Error("it is listed")
		}
	}
}
`
