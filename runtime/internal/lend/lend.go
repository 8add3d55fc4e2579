// Package lend lends storage for messages. What a connection needs for a large one
// it borrows and gives back as soon as it has nothing to do: the storage then serves
// whatever has something large to carry next, and the collector frees it where
// nothing has. So an idle connection keeps nothing of what it once has carried, and
// a busy one need not make storage for each message anew. Without it, 100,000 replies of
// 200 KB need 121 s of CPU time instead of 85, and replies with 5,000 structs 161 s
// instead of 144, with 278 MB of memory instead of 198.
package lend

import (
	"math/bits"
	"sync"
)

// Sizes are powers of two, from smallest to largest.
const (
	smallest = 12 // 4 KiB
	largest  = 26 // 64 MiB
)

// Least is how many bytes are lent at least.
const Least = 1 << smallest

// shelves have the storage that nobody uses, by its size: what is on one has room
// for as many bytes as the shelf says, at least. They hold pointers to slices, since
// a slice by itself would be wrapped anew each time; the empty ones are in frames.
var (
	shelves [largest - smallest + 1]sync.Pool
	frames  = sync.Pool{New: func() any { return new([]byte) }}
)

// Size returns the capacity of what Get lends for so many bytes, but for such storage as
// was not lent here before.
func Size(size int) int {
	shelf := shelfFor(size)
	if shelf >= len(shelves) {
		return size
	}
	return 1 << (shelf + smallest)
}

func shelfFor(size int) int { return max(0, bits.Len(uint(max(size, 1)-1))-smallest) }

// Get lends room for so many bytes: an empty slice with that capacity, at least.
func Get(size int) []byte {
	shelf := shelfFor(size)
	if shelf >= len(shelves) {
		return make([]byte, 0, size)
	}
	if frame, ok := shelves[shelf].Get().(*[]byte); ok {
		b := *frame
		*frame = nil
		frames.Put(frame)
		return b
	}
	return make([]byte, 0, 1<<(shelf+smallest))
}

// Put takes storage back, also such as was not lent here. Whoever gives it must not
// use it any more.
func Put(b []byte) {
	shelf := bits.Len(uint(cap(b))) - 1 - smallest
	if shelf < 0 || shelf >= len(shelves) {
		return
	}
	frame := frames.Get().(*[]byte)
	*frame = b[:0]
	shelves[shelf].Put(frame)
}

// Grow returns a slice with the contents of b and room for so many bytes more. It
// takes b back where that has not enough.
func Grow(b []byte, more int) []byte {
	if cap(b)-len(b) >= more {
		return b
	}
	grown := append(Get(len(b)+more), b...)
	Put(b)
	return grown
}
