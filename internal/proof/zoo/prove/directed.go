package prove

import (
	"encoding/base64"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// directed yields values that are each at one limit of one place in a schema, or one step beyond
// it, for every keyword of every place and every kind of mistake. They are copies of one valid
// value that contains everything. It yields at most limit of them, evenly chosen, and ten times as
// many at places with constraints.
func (r *source) directed(s *Schema, whole func() *Node, limit int, yield func(*Node) bool) {
	root := whole()
	if root == nil {
		return
	}
	type edit struct {
		at    int // the index of the node in the order of walk
		apply func(*Node)
	}
	var edits, others []edit
	seen := map[*Schema]int{}
	i := 0
	visit(root, s, func(n *Node, s *Schema) {
		if s != nil && seen[s] < 2 {
			seen[s]++
			for _, f := range r.edits(n, s, i == 0) {
				if s.limited() {
					edits = append(edits, edit{i, f})
				} else {
					others = append(others, edit{i, f})
				}
			}
		}
		i++
	})
	for _, e := range append(some(edits, 10*limit), some(others, limit)...) {
		n := root.Clone()
		i := 0
		visit(n, s, func(at *Node, _ *Schema) {
			if i == e.at {
				e.apply(at)
			}
			i++
		})
		if !yield(n) {
			return
		}
	}
}

// some returns about n elements of a list, evenly chosen.
func some[T any](list []T, n int) []T {
	if len(list) <= n || n <= 0 {
		return list[:min(len(list), max(n, 0))]
	}
	out := make([]T, 0, n)
	for i := range n {
		out = append(out, list[i*len(list)/n])
	}
	return out
}

// limited reports whether a schema restricts more than the type of its values.
func (s *Schema) limited() bool {
	return s.Minimum != nil || s.Maximum != nil || s.ExclusiveMinimum != nil || s.ExclusiveMaximum != nil || s.MultipleOf != nil ||
		max(s.MinLength, s.MaxLength, s.MinItems, s.MaxItems, s.MinProperties, s.MaxProperties) >= 0 ||
		s.Pattern != "" || s.Format != "" || s.Encoding != "" || s.UniqueItems || len(s.Enum) > 0 || s.Names != nil
}

// visit calls f for every value with its schema, inner ones last, in an order that f cannot change.
func visit(n *Node, s *Schema, f func(*Node, *Schema)) {
	type item struct {
		n *Node
		s *Schema
	}
	var all []item
	var collect func(n *Node, s *Schema)
	collect = func(n *Node, s *Schema) {
		s = s.of(n)
		all = append(all, item{n, s})
		for _, x := range n.Items {
			var items *Schema
			if s != nil {
				items = s.Items
			}
			collect(x, items)
		}
		for _, m := range n.Members {
			collect(m.Value, s.property(m.Name))
		}
	}
	collect(n, s)
	for _, x := range all {
		f(x.n, x.s)
	}
}

// edits returns the changes to try on one value.
func (r *source) edits(n *Node, s *Schema, root bool) []func(*Node) {
	var out []func(*Node)
	become := func(v *Node) { out = append(out, func(n *Node) { *n = *v }) }
	if !root {
		for _, v := range []*Node{null(), boolean(true), numeral("1"), text("x"), list(), object()} {
			if v.Kind != n.Kind {
				become(v)
			}
		}
	}
	for _, v := range s.Enum {
		become(v.Clone())
	}
	switch n.Kind {
	case '0':
		for _, t := range numberEdits(s) {
			become(numeral(t))
		}
	case '"':
		for _, t := range r.textEdits(n, s) {
			become(text(t))
		}
		become(rawText(n.Text))
	case '[':
		out = append(out, r.listEdits(n, s)...)
	case '{':
		out = append(out, r.objectEdits(n, s)...)
	}
	return out
}

// rawText returns a string in \u escapes.
func rawText(s string) *Node { return &Node{Kind: '"', Text: s, Raw: spelling(s)} }

func numberEdits(s *Schema) []string {
	out := []string{"0", "-0", "-1", "1.0", "1e2", "0.5", "1e400", "9007199254740993"}
	deltas := []*big.Rat{{}, big.NewRat(1, 1), big.NewRat(-1, 1), big.NewRat(1, 2), big.NewRat(-1, 2), big.NewRat(1, 1e9), big.NewRat(-1, 1e9)}
	bounded := false
	for _, b := range []*big.Rat{s.Minimum, s.Maximum, s.ExclusiveMinimum, s.ExclusiveMaximum, s.MultipleOf} {
		if b == nil {
			continue
		}
		bounded = true
		for _, d := range deltas {
			out = append(out, decimal(new(big.Rat).Add(b, d)))
		}
	}
	if s.MultipleOf != nil {
		for _, k := range []int64{-7, 3, 10, 1000003} {
			out = append(out, decimal(new(big.Rat).Mul(s.MultipleOf, big.NewRat(k, 1))))
		}
	}
	if !bounded {
		out = append(out, "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
			"18446744073709551615", "18446744073709551616", "3.5e38", "1e39", "-1e39", "1e309", "0.1", "1e-400")
	}
	for _, v := range s.Enum {
		out = append(out, v.Text+".0", v.Text+"e0", v.Text+"1")
	}
	return slices.DeleteFunc(out, func(t string) bool {
		_, err := ParseNode(t)
		return err != nil
	})
}

func (r *source) textEdits(n *Node, s *Schema) []string {
	out := []string{"", " ", n.Text + " ", strings.ToUpper(n.Text)}
	for _, c := range []int{s.MinLength, s.MaxLength} {
		if c >= 0 {
			for d := -1; d <= 1; d++ {
				length := max(0, c+d)
				out = append(out, strings.Repeat("a", length), strings.Repeat("é", length), strings.Repeat("🎉", length))
			}
		}
	}
	for _, v := range s.Enum {
		out = append(out, v.Text+" ", " "+v.Text, strings.ToUpper(v.Text), v.Text+v.Text, strings.TrimSuffix(v.Text, "e"))
	}
	if s.Format != "" {
		out = append(append(out, formatSamples[s.Format].good...), formatSamples[s.Format].bad...)
	}
	if s.Pattern != "" {
		for range 8 {
			good := r.matching(s.Pattern)
			out = append(out, good, good+"!", "!"+good, "0"+good, "-"+good, good+"\n", strings.ToUpper(good), good+good)
		}
	}
	if s.Encoding != "" {
		for size := range 8 {
			out = append(out, base64.StdEncoding.EncodeToString(make([]byte, size)))
		}
		out = append(out, "A", "AA", "AAA", "AB==", "AAB=", "AA=A", "A===", "AA==\n", "AA= =", "_-_-", "AAAA====", "é")
	}
	return out
}

func (r *source) listEdits(n *Node, s *Schema) []func(*Node) {
	var out []func(*Node)
	length := func(want int) {
		if want < 0 || want > 200 {
			return
		}
		items := slices.Clone(n.Items)
		for len(items) < want {
			items = append(items, r.fresh(s, items))
		}
		v := list(items[:want]...)
		out = append(out, func(n *Node) { *n = *v })
	}
	for _, c := range []int{s.MinItems, s.MaxItems} {
		for d := -1; d <= 1 && c >= 0; d++ {
			length(c + d)
		}
	}
	length(0)
	length(1)
	if s.UniqueItems {
		for _, size := range []int{2, 3, 40} {
			var items []*Node
			for range size {
				items = append(items, r.fresh(s, items))
			}
			twice := list(append(items, items[0].Clone())...)
			out = append(out, func(n *Node) { *n = *twice })
			unique := list(items...)
			out = append(out, func(n *Node) { *n = *unique })
			if items[0].Kind == '0' && !strings.ContainsAny(items[0].Text, ".eE") {
				other := list(append(slices.Clone(items), numeral(items[0].Text+".0"))...)
				out = append(out, func(n *Node) { *n = *other })
			}
		}
	}
	return out
}

// fresh returns an item that differs from the others, if possible.
func (r *source) fresh(s *Schema, items []*Node) *Node {
	n := r.value(s.Items, maxDepth)
	for range 100 {
		if !slices.ContainsFunc(items, func(item *Node) bool { return item.String() == n.String() }) {
			break
		}
		switch n = r.value(s.Items, maxDepth); {
		case n.Kind == '0' && len(s.Items.resolve().Enum) == 0:
			n.Text = strconv.Itoa(r.IntN(1000))
		case n.Kind == '"' && s.Items.resolve().Pattern+s.Items.resolve().Format == "" && len(s.Items.resolve().Enum) == 0:
			n.Text += strconv.Itoa(r.IntN(1000))
		}
	}
	return n
}

func (r *source) objectEdits(n *Node, s *Schema) []func(*Node) {
	var out []func(*Node)
	for i, m := range n.Members {
		out = append(out,
			func(n *Node) { n.Members = slices.Delete(slices.Clone(n.Members), i, i+1) },
			func(n *Node) {
				n.Members = append(slices.Clone(n.Members), Member{Name: m.Name, Value: m.Value.Clone()})
			},
			func(n *Node) { n.Members[i].Name = r.misspell(m.Name) },
			func(n *Node) { n.Members[i].Raw = spelling(m.Name) },
		)
	}
	with := func(name string, v *Node) {
		out = append(out, func(n *Node) { n.Members = append(slices.Clone(n.Members), Member{Name: name, Value: v}) })
	}
	with("unknown member", null())
	with("", numeral("1"))
	out = append(out, func(n *Node) { n.Members = nil })
	if s.More == nil {
		return out
	}
	// Two spellings of one key.
	for _, more := range []string{"deg", " "} {
		out = append(out, func(n *Node) {
			n.Members = append(slices.Clone(n.Members), Member{Name: "7" + more, Value: r.value(s.More, maxDepth)}, Member{Name: "7", Value: r.value(s.More, maxDepth)})
		})
	}
	for _, key := range []string{"0", "-0", "00", "01", "+1", "-1", "1.0", "1e2", " 1", "127", "128", "-128", "-129", "255", "256", "32767", "32768", "65535", "65536",
		"2147483647", "2147483648", "4294967295", "4294967296", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
		"18446744073709551615", "18446744073709551616", "٣", "a", "10.0.0.1"} {
		with(key, r.value(s.More, maxDepth))
	}
	for _, c := range []int{s.MinProperties, s.MaxProperties} {
		for d := -1; d <= 1 && c >= 0; d++ {
			v := object()
			for i := range max(0, c+d) {
				v.Members = append(v.Members, Member{Name: strconv.Itoa(i), Value: r.value(s.More, maxDepth)})
			}
			out = append(out, func(n *Node) { *n = *v })
		}
	}
	return out
}
