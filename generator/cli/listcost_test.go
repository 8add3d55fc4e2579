//go:build cost

package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// TestListTime checks that mcpgen list of a local server takes less than 50 ms beyond the server's
// own time, in a new process, or, on a slow machine, less than three times the start of the
// program. One attempt below the limit suffices.
func TestListTime(t *testing.T) {
	const runs = 100
	s := mcp.NewServer(mcp.ServerInfo{Name: "local", Version: "1"}, mcp.WithLogger(slog.New(slog.DiscardHandler)))
	for i := range 20 {
		s.Register(mcp.NewTool(mcp.ToolInfo{
			Name: fmt.Sprintf("tool%d", i), Description: strings.Repeat("This is what it does. ", 10),
			InputSchema: `{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer"}}}`,
		}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return new(mcp.ToolResult), nil }))
	}
	h := mcphttp.NewHandler(s)
	var served atomic.Int64
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		h.ServeHTTP(w, r)
		served.Add(int64(time.Since(began)))
	}))
	defer web.Close()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, revision := range []string{"2026-07-28", "2025-11-25"} {
		env := append(os.Environ(), "XDG_CACHE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir(), "NO_PROXY=*")
		most := max(50*time.Millisecond, 3*startTime(t, exe, env))
		cpu, wall := time.Hour, time.Hour
		n := 0
		for ; n < runs && (wall >= most || cpu >= most || n < 5); n++ {
			served.Store(0)
			cmd := exec.CommandContext(t.Context(), exe)
			cmd.Args, cmd.Dir, cmd.Env = []string{"mcpgen", "list", "-revision", revision, web.URL}, t.TempDir(), env
			began := time.Now()
			out, err := cmd.CombinedOutput()
			took := time.Since(began)
			if err != nil || !strings.Contains(string(out), "20 tools") {
				t.Fatalf("%v\n%s", err, out)
			}
			wall = min(wall, took-time.Duration(served.Load()))
			cpu = min(cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		}
		t.Logf("%s: after %d runs, at least %v beyond the server, and %v of CPU time, of at most %v", revision, n, wall, cpu, most)
		if wall >= most || cpu >= most {
			t.Errorf("%s: at least %v beyond the server, and %v of CPU time", revision, wall, cpu)
		}
	}
}

// startTime returns the CPU time of a command that only starts.
func startTime(t *testing.T, exe string, env []string) time.Duration {
	least := time.Hour
	for range 5 {
		cmd := exec.CommandContext(t.Context(), exe)
		cmd.Args, cmd.Env = []string{"mcpgen", "version"}, env
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		least = min(least, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	}
	return least
}
