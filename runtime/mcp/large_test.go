package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// BenchmarkLarge makes calls with 200 KB of arguments and 200 KB of result, one after the other.
// The client itself makes almost no allocations.
func BenchmarkLarge(b *testing.B) {
	s := mcp.NewServer(mcp.ServerInfo{Name: "x"})
	pad := strings.Repeat("x", 200_000)
	large := mcp.TextResult(pad)
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "take"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.TextResult("done"), nil }))
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "give"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return large, nil }))
	for _, kind := range []struct {
		name, tool, arguments string
		reply                 int
	}{{"take", "take", `{"x":"` + pad + `"}`, 10}, {"give", "give", "{}", len(pad)}, {"small", "take", "{}", 10}} {
		message := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + kind.tool + `","arguments":` + kind.arguments + "}}\n")
		b.Run(kind.name+"/memory", func(b *testing.B) {
			conn, wait := s.Connect(context.Background())
			defer wait()
			defer conn.Close()
			exchange(b, conn.Write, conn.Read, message, kind.reply)
		})
		b.Run(kind.name+"/pipes", func(b *testing.B) {
			upRead, upWrite, err := os.Pipe()
			if err != nil {
				b.Fatal(err)
			}
			downRead, downWrite, err := os.Pipe()
			if err != nil {
				b.Fatal(err)
			}
			served := make(chan error, 1)
			go func() { served <- s.Serve(context.Background(), jsonrpc.NewLineConn(upRead, downWrite, 0)) }()
			in := bufio.NewReaderSize(downRead, 512<<10)
			exchange(b, func(message []byte) error {
				_, err := upWrite.Write(message)
				return err
			}, func() ([]byte, error) { return in.ReadSlice('\n') }, message, kind.reply)
			_ = upWrite.Close()
			if err := <-served; err != nil && err != io.EOF {
				b.Error(err)
			}
		})
	}
}

func exchange(b *testing.B, write func([]byte) error, read func() ([]byte, error), message []byte, least int) {
	b.ReportAllocs()
	b.SetBytes(int64(len(message) + least))
	initialize := []byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n")
	for i := -1; i < b.N; i++ {
		if i == 0 {
			b.ResetTimer()
		}
		text := message
		if i < 0 {
			text = initialize
		}
		if err := write(text); err != nil {
			b.Fatal(err)
		}
		if answer, err := read(); err != nil || i >= 0 && (len(answer) < least || strings.Contains(string(answer[:40]), "error")) {
			b.Fatal(string(answer), err)
		}
	}
}
