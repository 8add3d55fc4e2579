package codectest

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestAllocations counts the allocations of one call. Decoding allocates only the parts of the
// arguments: the strings, which share memory; the filters; the values of each of the three; two
// maps with their contents; and the page. Encoding allocates nothing.
func TestAllocations(t *testing.T) {
	const kept = 1 + 1 + 3 + 2*2 + 1
	data := []byte(arguments)
	d := new(wire.Decoder)
	if n := testing.AllocsPerRun(200, func() {
		if _, err := decode(d, data, wire.Options{}); err != nil {
			t.Fatal(err)
		}
	}); n > kept {
		t.Errorf("decoding takes %v allocations, want %d", n, kept)
	}
	e := new(wire.Encoder)
	if n := testing.AllocsPerRun(200, func() {
		e.Reset()
		mcpEncodeHits(e, hits)
	}); n > 0 {
		t.Errorf("encoding takes %v allocations, want none", n)
	}
}
