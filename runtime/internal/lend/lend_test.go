package lend_test

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/lend"
)

func TestGet(t *testing.T) {
	for _, size := range []int{0, 1, 4 << 10, 4<<10 + 1, 200_000, 64 << 20, 64<<20 + 1} {
		for range 2 {
			b := lend.Get(size)
			if len(b) != 0 || cap(b) < size || cap(b) > max(2*size, lend.Least) {
				t.Errorf("for %d bytes: %d of %d", size, len(b), cap(b))
			}
			lend.Put(b)
		}
	}
}

// What was not lent has any capacity. Nobody may get less than asked for.
func TestPut(t *testing.T) {
	for _, size := range []int{0, 1, 4095, 4097, 8191, 100_000, 1 << 27} {
		lend.Put(make([]byte, size/2, size))
		for _, wanted := range []int{size / 2, size, size + 1} {
			if b := lend.Get(wanted); len(b) != 0 || cap(b) < wanted {
				t.Errorf("after %d, for %d bytes: %d of %d", size, wanted, len(b), cap(b))
			}
		}
	}
}

func TestGrow(t *testing.T) {
	var b, want []byte
	for i := range 100 {
		piece := bytes.Repeat([]byte{byte(i)}, 1000+i)
		b = append(lend.Grow(b, len(piece)), piece...)
		want = append(want, piece...)
		if !bytes.Equal(b, want) {
			t.Fatalf("after %d pieces something else is there", i+1)
		}
	}
	if same := lend.Grow(b, cap(b)-len(b)); &same[0] != &b[0] {
		t.Error("there was room")
	}
}

// What nobody borrows is garbage.
func TestIdle(t *testing.T) {
	used := func() int64 {
		runtime.GC()
		runtime.GC() // the first one leaves what is pooled
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := used()
	b := lend.Get(32 << 20)
	if taken := used() - before; taken < 30<<20 {
		t.Errorf("%d MB are taken", taken>>20)
	}
	lend.Put(b)
	if kept := used() - before; kept > 1<<20 {
		t.Errorf("%d MB are kept", kept>>20)
	}
}
