package jsonrpc_test

import (
	"io"
	"math"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// A limit of the largest int means no limit, also if int has 32 bits. Lines are shorter than the
// first buffer, longer than the first buffers of the pool, and cut by reads.
func TestLargestLimit(t *testing.T) {
	for _, limit := range []int{math.MaxInt, math.MaxInt - 1, math.MaxInt32, math.MaxInt32 - 64<<10} {
		c := jsonrpc.NewLineConn(pipe{strings.NewReader("a\r\n" + strings.Repeat("b", 3<<20) + "\n\nlast")}, io.Discard, limit)
		if lines := strings.Split(readAll(c), "|"); len(lines) != 3 || lines[0] != "a" || len(lines[1]) != 3<<20 || lines[2] != "last" {
			t.Errorf("limit %d: %d lines, %.50q", limit, len(lines), lines)
		}
	}
}
