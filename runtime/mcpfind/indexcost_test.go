//go:build cost

package mcpfind

import (
	"testing"
	"time"
)

// The index of 1,000 tools takes 20 ms; the bound is for slow machines.
func TestIndexTime(t *testing.T) {
	tools := manyTools(1000)
	r := new(bm25)
	took := time.Hour // the minimum of several
	for range 5 {
		began := time.Now()
		r.Index(tools)
		took = min(took, time.Since(began))
	}
	t.Log(took)
	if took > 500*time.Millisecond {
		t.Errorf("the index took %v", took)
	}
}
