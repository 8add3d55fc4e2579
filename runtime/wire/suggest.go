package wire

import "github.com/mcpgen/mcpgen/internal/suggest"

// mostCompared limits the candidates that nearest compares for all words of one Decoder together.
const mostCompared = 2000

// nearest is like [suggest.Nearest], until d has compared too many candidates.
func (d *Decoder) nearest(word string, n int, candidate func(int) string) int {
	if len(word) > suggest.Longest || d.compared+n > mostCompared {
		return -1
	}
	d.compared += n
	return suggest.Nearest(word, n, candidate)
}
