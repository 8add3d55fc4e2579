package bufpool_test

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/bufpool"
)

func TestGet(t *testing.T) {
	for _, size := range []int{0, 1, 4 << 10, 4<<10 + 1, 200_000, 64 << 20, 64<<20 + 1, 72 << 20, 100_000_000} {
		for range 2 {
			b := bufpool.Get(size)
			if len(b) != 0 || cap(b) < size || cap(b) != bufpool.Size(size) || cap(b) > max(2*size, bufpool.MinSize) {
				t.Errorf("for %d bytes: %d of %d", size, len(b), cap(b))
			}
			bufpool.Put(b)
		}
	}
}

// A buffer from elsewhere may have any capacity, or be part of a larger one. Get does not return
// such a buffer in place of a smaller one, or of one larger than Size.
func TestPut(t *testing.T) {
	for _, size := range []int{0, 1, 4095, 4096, 4097, 8191, 100_000, 1 << 26, 1 << 27} {
		bufpool.Put(make([]byte, size/2, size))
		bufpool.Put(make([]byte, size)[size/3:])
		for _, asked := range []int{size / 2, size - size/3, size, size + 1} {
			if b := bufpool.Get(asked); len(b) != 0 || cap(b) < asked || cap(b) != bufpool.Size(asked) {
				t.Errorf("after %d, for %d bytes: %d of %d", size, asked, len(b), cap(b))
			}
		}
	}
}

func TestGrow(t *testing.T) {
	var b, want []byte
	for i := range 100 {
		piece := bytes.Repeat([]byte{byte(i)}, 1000+i)
		b = append(bufpool.Grow(b, len(piece)), piece...)
		want = append(want, piece...)
		if !bytes.Equal(b, want) {
			t.Fatalf("after %d pieces the contents are wrong", i+1)
		}
	}
	sizes := 0
	for size := 64 << 20; size < 1<<30; size = bufpool.Size(size + 1) {
		sizes++
	}
	if sizes > 40 {
		t.Errorf("%d buffers for what grows from 64 MiB to 1 GiB", sizes)
	}
	if same := bufpool.Grow(b, cap(b)-len(b)); &same[0] != &b[0] {
		t.Error("a slice with enough capacity was replaced")
	}
}

// The garbage collector frees buffers in the pool.
func TestIdle(t *testing.T) {
	used := func() int64 {
		runtime.GC()
		runtime.GC() // pools keep their content for one collection
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := used()
	b := bufpool.Get(32 << 20)
	if taken := used() - before; taken < 30<<20 {
		t.Errorf("%d MB are taken", taken>>20)
	}
	bufpool.Put(b)
	if kept := used() - before; kept > 1<<20 {
		t.Errorf("%d MB are kept", kept>>20)
	}
}
