//go:build !race

package mcp_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
)

// allocations counts the allocations of a request over a connection without goroutines.
func allocations(t *testing.T, message string) float64 {
	s := mcp.NewServer(fixtureInfo(), quiet)
	register(mcp.Select(s, func(f mcp.FeatureInfo) bool { return f.Name == "hello" }))
	s.Register(mcpimpl.FuncTool(&infoAdd, callAdd))
	s.Register(mcpimpl.FuncTool(&infoParcel, callParcel))
	conn := &script{message: []byte(initialize("2025-11-25")), next: make(chan bool), answers: make(chan int)}
	done := make(chan error)
	go func() { done <- s.Serve(t.Context(), conn) }()
	ask := func() {
		conn.next <- true
		<-conn.answers
	}
	ask()
	conn.message = []byte(message)
	n := testing.AllocsPerRun(500, ask)
	conn.next <- false
	<-done
	return n
}

// TestAllocations limits the allocations of a request. The limits leave room, since a release of Go
// may change the figures a little: they find allocations that grow with the message or the server,
// not a single one more. Beside each limit is the figure of go1.26, which the benchmarks report:
// the exchange with its context, the goroutine, the result, and the allocations of the tool itself;
// for a nested call also the values of its arguments.
func TestAllocations(t *testing.T) {
	const (
		atOnce = 5  // 0
		small  = 12 // 4
		nested = 25 // 11
		wrong  = 80 // 43
	)
	add := call(1, "add", `{"a":1,"b":2}`)
	for _, test := range []struct {
		name, message string
		most          float64
	}{
		{"ping", request(1, "ping", "{}"), atOnce},
		{"tools/list", request(1, "tools/list", "{}"), atOnce},
		{"small", add, small},
		{"small with a string for an id", strings.Replace(add, `"id":1`, `"id":"one"`, 1), small},
		{"small in 2026-07-28", modernCall(1, "add", `{"a":1,"b":2}`), small},
		{"nested", call(1, "parcel", nestedArguments), nested},
		{"nested in 2026-07-28", modernCall(1, "parcel", nestedArguments), nested},
		{"wrong arguments", call(1, "parcel", strings.Replace(nestedArguments, `"copies":1,`, `"copies":0,`, 1)), wrong},
	} {
		if got := allocations(t, test.message); got > test.most {
			t.Errorf("%s: %v allocations, at most %v", test.name, got, test.most)
		}
	}
}
