package emit

import (
	"fmt"
	"go/types"
	"slices"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/codec"
)

// row is a member of an object with its row in the table of members.
type row struct {
	*codec.Member
	index int
}

// groups returns the members of an object. Those that are read alike are together, at the first of
// them.
func groups(o *codec.Object) [][]row {
	var out [][]row
	known := map[codec.Func][]int{} // groups that others may join, by their functions
	for i, m := range o.Members {
		r := row{m, i}
		if i >= pickable || m.Made != nil || m.Null != nil || m.Reset != nil || behindPointer(m.Path) {
			out = append(out, []row{r})
			continue
		}
		candidates := known[m.Read.Func]
		at := slices.IndexFunc(candidates, func(i int) bool {
			return len(out[i]) < mostAlike && alikeReads(out[i][0].Read, m.Read)
		})
		if at >= 0 {
			at = candidates[at]
			out[at] = append(out[at], r)
			continue
		}
		known[m.Read.Func] = append(candidates, len(out))
		out = append(out, []row{r})
	}
	return out
}

const (
	// pickable is the number of bits by which wire.Pick finds a member.
	pickable = 64
	// mostAlike is the maximum number of members that share a case: it stores a pointer to each of
	// them whenever it reads one.
	mostAlike = 8
)

// behindPointer reports whether a field is behind an embedded pointer.
func behindPointer(path []codec.Step) bool {
	return slices.ContainsFunc(path[:len(path)-1], func(s codec.Step) bool { return s.Pointer != nil })
}

// alikeReads reports whether two values of the same type are read by the same code.
func alikeReads(a, b *codec.Read) bool {
	if a.Go == nil || b.Go == nil || !types.Identical(a.Go, b.Go) || a.Flagged != "" || len(a.Checks) != len(b.Checks) || !equal(a.Elem, b.Elem) {
		return false
	}
	for i := range a.Checks {
		if *a.Checks[i] != *b.Checks[i] {
			return false
		}
	}
	return a.Func == b.Func && a.Enum == b.Enum && a.Choice == b.Choice && a.Schema == b.Schema && a.Method == b.Method &&
		a.AsAny == b.AsAny && a.Array == b.Array && a.Convert == b.Convert &&
		a.Format == b.Format && a.Layout == b.Layout && a.Unit == b.Unit && a.Deref == b.Deref
}

func equal[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// readAlike prints the case for members that are read alike.
func (g *generator) readAlike(alike []row, v operand) code {
	var among uint64
	var names, places []string
	object := "&" + source(v.expr)
	for _, r := range alike {
		place := object
		for _, s := range r.Path {
			place += "." + s.Name
		}
		among |= 1 << r.index
		names, places = append(names, strconv.Quote(r.Name)), append(places, place)
	}
	first := []string{g.locals.of("o"), fmt.Sprintf("%#x", among)}
	pick := g.wire("Pick")
	place := pointer(pick.Clone().Call(filled(len("wire.Int(d, ")+width(pick), append(first, places...))...))
	var lines []jen.Code
	if _, _, rest := g.withLimits(alike[0].Read); len(rest) > 0 {
		p := pointer(g.local("p"))
		lines = append(lines, p.expr.Clone().Op(":=").Add(place.expr))
		place = p
	}
	return jen.Case(filled(len("case "), names)...).Block(append(lines, g.read(alike[0].Read, place)...)...)
}

// filled returns a list, broken over lines as late as possible. The first one begins with so many
// characters.
func filled(before int, list []string) []jen.Code {
	const indent = 16
	var out []jen.Code
	n := before
	for i, item := range list {
		if n += len(item) + len(", "); n > lineWidth-indent && i > 0 {
			n = len(item) + len(", ")
			out = append(out, jen.Line().Add(verbatim(item)))
			continue
		}
		out = append(out, verbatim(item))
	}
	return out
}
