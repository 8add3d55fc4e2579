package engine

// GrowStack grows the stack of a new goroutine while it is nearly empty. Most handlers need more
// than the 2 KB that goroutines begin with, and moving the stack later, perhaps twice and with
// twenty frames, costs CPU time: without growStack, 100,000 small calls at 64 at a time need 0.54 s
// instead of 0.44 s. The array only enlarges the frame: with 0, nothing clears or reads it.
//
//go:noinline
func GrowStack(i uint8) byte {
	if i == 0 {
		return 0
	}
	var room [6 << 10]byte
	return room[i]
}
