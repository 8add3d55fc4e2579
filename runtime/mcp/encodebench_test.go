package mcp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// BenchmarkStructured makes calls one after the other that are answered with structured results of
// so many bytes.
func BenchmarkStructured(b *testing.B) {
	for _, size := range []int{1 << 10, 7 << 10, 12 << 10, 50 << 10, 200 << 10, 900 << 10, 3 << 20} {
		b.Run(fmt.Sprint(size>>10, "KiB"), func(b *testing.B) {
			s := mcp.NewServer(mcp.ServerInfo{Name: "x"}, quiet)
			words := slices.Repeat([]string{strings.Repeat("w", 97)}, size/100)
			s.Register(encodes("give", func(e *wire.Encoder) { wire.PutSlice(e, words, wire.PutString[string]) }))
			conn, wait := s.Connect(b.Context())
			exchange(b, conn.Write, conn.Read, []byte(call(1, "give", "{}")+"\n"), size/100*100)
			_ = conn.Close()
			_ = wait()
		})
	}
}
