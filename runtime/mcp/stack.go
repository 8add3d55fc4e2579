package mcp

// growStack makes room on the stack of a new goroutine, at once and while there is
// next to nothing on it. Nearly all handlers need more than the 2 KB that goroutines
// begin with, and to move the stack later, perhaps twice and with twenty frames on it,
// costs CPU time: without growStack, 100,000 small calls at 64 at a time need 0.54 s
// instead of 0.44 s.
//
//go:noinline
func growStack(i uint8) byte {
	var room [6 << 10]byte
	return room[i]
}
