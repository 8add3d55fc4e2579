//go:build cost

package hardening_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

var refusedConns = flag.Int("refused", 500, "how many connections TestManyRefused has, up to what the limit of descriptors allows")

func init() { programs["guarded"] = guarded }

// guarded is the program that TestManyRefused starts: a server that authenticates its clients, and
// has a tool that returns its goroutines and its heap.
func guarded() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	s := mcp.NewServer(mcp.ServerInfo{Name: "guarded", Version: "1"}, mcp.WithLogger(slog.New(slog.DiscardHandler)))
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "holds"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
		runtime.GC()
		return mcp.TextResult(fmt.Sprintf("%d goroutines, %d bytes", testbed.Goroutines(), heap())), nil
	}))
	err := mcpcmd.Run(ctx, s, []string{"-http", "127.0.0.1:0"}, mcpcmd.WithReady(func(url string) { fmt.Println(url) }))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// TestManyRefused opens the maximal number of connections to a server in another process, all with
// requests that are refused and go on. Meanwhile an honest client is answered, the connections are
// closed, and the server shuts down in order while others hold new ones.
func TestManyRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs signals")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), programVariable+"=guarded")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url = strings.TrimSpace(url)
	client := new(http.Client)
	defer client.CloseIdleConnections()
	holds := func() (goroutines, bytes int) {
		t.Helper()
		text := modern.text("1", "tools/call", call("holds", `{}`))
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2026-07-28"}}
		mirror(req.Header, text)
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal("an honest client:", err)
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscanf(parse(string(answer)).text(), "%d goroutines, %d bytes", &goroutines, &bytes); err != nil {
			t.Fatalf("an honest client: %s", answer)
		}
		return goroutines, bytes
	}
	holds()
	goroutines, bytes := holds()

	address := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp")
	attack := func(most int) (conns []net.Conn) {
		for i := range most {
			conn, err := net.Dial("tcp", address)
			if errors.Is(err, syscall.EMFILE) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			conns = append(conns, conn)
			if _, err := io.WriteString(conn, refusedHeads[i%len(refusedHeads)]); err != nil {
				t.Fatal(err)
			}
		}
		return conns
	}
	began := time.Now()
	conns := attack(*refusedConns)
	held, most := holds()
	unanswered := 0
	for _, conn := range conns {
		_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		if text, err := io.ReadAll(conn); !strings.HasPrefix(string(text), "HTTP/1.1 4") || errors.Is(err, os.ErrDeadlineExceeded) {
			unanswered++
		}
		_ = conn.Close()
	}
	if unanswered > 0 {
		t.Errorf("%d of %d connections are unanswered, or stay", unanswered, len(conns))
	}
	took := time.Since(began)
	for until := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		left, _ := holds()
		if left <= goroutines+5 {
			break
		}
		if time.Now().After(until) {
			t.Errorf("%d goroutines are left, there were %d", left, goroutines)
			break
		}
	}
	left, after := holds()
	t.Logf("%d connections, all ended after %v: %d goroutines and %d KB at the most seen, %d and %d KB before, %d and %d KB after",
		len(conns), took.Round(time.Millisecond), held, most>>10, goroutines, bytes>>10, left, after>>10)
	if each := (most - bytes) / max(len(conns), 1); each > 64<<10 {
		t.Errorf("each connection takes %d bytes", each)
	}

	// The shutdown, while others connect.
	conns = attack(min(*refusedConns, 100))
	began = time.Now()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the end of the server: %v", err)
	}
	if took := time.Since(began); took > 9*time.Second { // 10 are for calls that run
		t.Errorf("the end of the server has taken %v", took)
	}
	for _, conn := range conns {
		_ = conn.Close()
	}
}
