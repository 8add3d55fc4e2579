package mcpws_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// live returns the number of live bytes.
func live() int64 {
	runtime.GC()
	runtime.GC() // pooled values survive one collection
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`

// TestResultsInMemory makes clients request hundreds of results of each size concurrently without
// reading them. The live heap remains below the budget plus the replies that may exceed it, and
// other clients are served.
func TestResultsInMemory(t *testing.T) {
	const kb, mb, memory = 1 << 10, 1 << 20, 32 << 20
	text := strings.Repeat("x", 900*kb)
	words := slices.Repeat([]string{text[:97]}, 5*mb/100)
	structured := func(req *mcp.Request, size int) (*mcp.ToolResult, error) {
		e := mcpimpl.Encoder(req)
		wire.PutSlice(e, words[:size/100], wire.PutString[string])
		return mcpimpl.Structured(req, e)
	}
	for _, c := range []struct {
		name string
		size int
		give func(req *mcp.Request, size int) (*mcp.ToolResult, error)
	}{
		{"text", 900 * kb, func(*mcp.Request, int) (*mcp.ToolResult, error) { return mcp.TextResult(text), nil }},
		{"error", 900 * kb, func(*mcp.Request, int) (*mcp.ToolResult, error) {
			return nil, &mcp.ProtocolError{Code: 1, Message: text}
		}},
		{"structured", 60 * kb, structured},
		{"structured", 300 * kb, structured},
		{"structured", 900 * kb, structured},
		{"structured", 5 * mb, structured},
	} {
		t.Run(fmt.Sprint(c.name, " ", c.size>>10, " KiB"), func(t *testing.T) {
			serve(t, setup{server: []mcp.Option{mcp.WithLimits(mcp.Limits{Memory: memory, ResultBytes: 2 * c.size})}}, func(t *testing.T, s *testServer) {
				goOn := make(chan struct{})
				s.mcp.Register(mcpimpl.FuncTool(&mcp.ToolInfo{Name: "long", InputSchema: `{"type":"object"}`, OutputSchema: `{}`}, func(_ context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
					<-goOn
					return c.give(req, c.size)
				}))
				s.mcp.Register(mcp.NewTool(mcp.ToolInfo{Name: "hello"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
					return mcp.TextResult("done"), nil
				}))
				before := live()
				for range 3 {
					d := s.openWithoutReading()
					d.send(initialize)
					for i := range 300 {
						d.send(testbed.Call(i+1, "long", "{}"))
					}
				}
				synctest.Wait()
				close(goOn) // all at the same time
				synctest.Wait()
				most := int64(memory + 4*4*2*c.size)
				if grown := live() - before; grown > most+4*mb {
					t.Errorf("%d MB are live, and %d are allowed", grown>>20, most>>20)
				} else {
					t.Logf("%d MB are live, %d are charged", grown>>20, s.memory.Used()>>20)
				}
				if s.memory.Short() {
					time.Sleep(2 * time.Minute) // until Limits.WriteTime expires for them
				}
				other := s.open()
				other.send(initialize)
				other.want(`"serverInfo"`)
				other.send(testbed.Call(1, "hello", "{}"))
				other.want(`"id":1,"result"`)
			})
		})
	}
}
