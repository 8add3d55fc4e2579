//go:build !race

package mcpclient

import "testing"

func TestReadAllocations(t *testing.T) {
	data := benchResult()
	n := testing.AllocsPerRun(200, func() {
		if _, err := readToolResult(data, &defaultLimits, nil); err != nil {
			t.Fatal(err)
		}
	})
	// The result, the slice of blocks, and the text, which has escapes.
	if n > 3 {
		t.Errorf("%v allocations", n)
	}
}
