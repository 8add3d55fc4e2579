//go:build !race

package mcpgo

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/server"

	ours "github.com/mcpgen/mcpgen/runtime/mcp"
)

// keeper is a server of mcp-go with a tool that runs until the end of the test.
type keeper struct {
	ctx    context.Context
	server *server.MCPServer
	called chan struct{}
}

func newKeeper(t *testing.T, memory int) *keeper {
	k := &keeper{server: server.NewMCPServer("host", "1"), called: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	k.ctx = ctx
	stay := ours.NewTool(ours.ToolInfo{Name: "stay"}, func(ctx context.Context, _ json.RawMessage) (*ours.ToolResult, error) {
		k.called <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	unmount, err := Mount(k.server, func(r ours.Registrar) { r.Register(stay) }, ours.WithLogger(slog.New(slog.DiscardHandler)),
		ours.WithLimits(ours.Limits{Memory: memory}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		unmount()
	})
	return k
}

// call begins a call. It returns an error if the call is refused.
func (k *keeper) call() error {
	message := json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"stay","arguments":{"a":"` + strings.Repeat("a", 50_000) + `"}}}`)
	ended := make(chan error, 1)
	go func() {
		text, err := json.Marshal(k.server.HandleMessage(k.ctx, message))
		if err == nil {
			err = fmt.Errorf("%.200s", text)
		}
		ended <- err
	}()
	select {
	case <-k.called:
		return nil
	case err := <-ended:
		return err
	}
}

// keptHeap returns the heap bytes that survive a collection and are not in a pool.
func keptHeap() int64 {
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestRetained measures the memory of a running call, the only data that a mount retains.
// docs/write/adapters.md contains the figure.
func TestRetained(t *testing.T) {
	const number, documented = 40, 256 << 10
	k := newKeeper(t, 0)
	fill := func(n int) {
		for range n {
			if err := k.call(); err != nil {
				t.Fatal(err)
			}
		}
	}
	fill(2) // pools and tables
	before := keptHeap()
	fill(number)
	each := (keptHeap() - before) / number
	if each > documented || 8*each < documented {
		t.Errorf("each takes %d bytes, and %d are documented", each, documented)
	}
	t.Logf("%d bytes each", each)
}

// TestRetainedInMemory makes a mount with little memory run as many calls as it accepts from all
// clients, and checks that both libraries together retain at most six times that memory.
func TestRetainedInMemory(t *testing.T) {
	const memory = 2 << 20
	k := newKeeper(t, memory)
	before := keptHeap()
	number := 0
	var refused error
	for ; number < 1000 && refused == nil; number++ {
		refused = k.call()
	}
	grown := keptHeap() - before
	t.Logf("%d run, %d KiB are live; %v", number-1, grown>>10, refused)
	if refused == nil || !strings.Contains(refused.Error(), "overloaded") || grown > 6*memory {
		t.Errorf("%d run, %d KiB are live, and %v", number-1, grown>>10, refused)
	}
}
