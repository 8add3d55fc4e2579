package clientlimit_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
)

// BenchmarkCall counts like a call over HTTP: the request, and its handler.
func BenchmarkCall(b *testing.B) {
	requests, calls := clientlimit.Table{}, clientlimit.NewCounter(1<<20, 1<<20)
	// Other uses of the client are in progress.
	other := clientlimit.Of("", clientlimit.Address("127.0.0.1:1"))
	requests.Add(other)
	calls.Take(&other)
	b.ReportAllocs()
	for b.Loop() {
		c := clientlimit.Of("", clientlimit.Address("127.0.0.1:54321"))
		if requests[c] > 1000 {
			b.Fatal("too many")
		}
		requests.Add(c)
		if !calls.Take(&c) {
			b.Fatal("too many")
		}
		calls.Give(&c)
		requests.Remove(c)
	}
}
