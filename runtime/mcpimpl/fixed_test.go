package mcpimpl_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func readInts(d *wire.Decoder, v *[]int) { wire.Slice(d, v, wire.Int) }

// TestFixed changes a value; the next value must not change.
func TestFixed(t *testing.T) {
	list := func() []int { return mcpimpl.Fixed("tool find: the default of argument n", "[1,2]", readInts) }
	list()[0] = 9
	if got := list(); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("got %v", got)
	}
}

// TestFixedRefused decodes values that the type refuses.
func TestFixedRefused(t *testing.T) {
	for _, text := range []string{`["a"]`, `[1] 2`, `[`, ``} {
		func() {
			defer func() {
				if p := fmt.Sprint(recover()); !strings.Contains(p, "mcpgen: tool find: the default of argument n is "+text+", which type []int refuses: ") {
					t.Errorf("%q: panic %s", text, p)
				}
			}()
			mcpimpl.Fixed("tool find: the default of argument n", text, readInts)
		}()
	}
}
