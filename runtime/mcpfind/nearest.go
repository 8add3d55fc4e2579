package mcpfind

import (
	"cmp"
	"slices"
	"strings"
)

// mostNearest is how many names an error suggests, and leastSimilar how similar they are at least, from
// 0 to 1.
const (
	mostNearest  = 3
	leastSimilar = 0.4
)

// longestCompared is how many bytes of a name are compared.
const longestCompared = 128

// nearest returns the names that have the largest part of their pairs of neighbouring letters in common
// with a name, whatever their case and punctuation.
func nearest(name string, names []string) []string {
	want := pairs(name)
	type candidate struct {
		name    string
		similar float64
	}
	var all []candidate
	for _, n := range names {
		if s := similarity(want, pairs(n)); s >= leastSimilar {
			all = append(all, candidate{n, s})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.similar, a.similar) })
	var best []string
	for _, c := range all[:min(len(all), mostNearest)] {
		best = append(best, c.name)
	}
	return best
}

// pairs returns the pairs of neighbouring letters and digits of a name, sorted.
func pairs(name string) []string {
	var b strings.Builder
	for _, r := range strings.ToLower(cut(name, longestCompared)) {
		if classOf(r) != other {
			b.WriteRune(r)
		}
	}
	letters := b.String()
	if len(letters) == 1 {
		return []string{letters}
	}
	var all []string
	for i := range len(letters) - 1 {
		all = append(all, letters[i:i+2])
	}
	slices.Sort(all)
	return all
}

// similarity is the part of the pairs that both have, from 0 to 1.
func similarity(a, b []string) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	both, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch c := cmp.Compare(a[i], b[j]); {
		case c == 0:
			both++
			i++
			j++
		case c < 0:
			i++
		default:
			j++
		}
	}
	return 2 * float64(both) / float64(len(a)+len(b))
}
