package wire

import "github.com/mcpgen/mcpgen/runtime/internal/suggest"

// mostCompared bounds the work of nearest for all words of one Decoder together, in candidates.
const mostCompared = 2000

// nearest is [suggest.Nearest], while d has not compared too many.
func (d *Decoder) nearest(word string, n int, candidate func(int) string) int {
	if len(word) > suggest.Longest || d.compared+n > mostCompared {
		return -1
	}
	d.compared += n
	return suggest.Nearest(word, n, candidate)
}
