package prove

import (
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mutate changes a value in one place, or in a few, to a value that a client might send by mistake.
// It reports whether the text contains something that is refused before validation.
func (r *source) mutate(n *Node) {
	for range 1 + r.IntN(8)/7 {
		var all []*Node
		n.walk("", func(_ string, at *Node) { all = append(all, at) })
		// The root usually remains an object: other values are refused immediately.
		at := pick(r, all)
		if at == n && len(all) > 1 && !r.one(6) {
			at = all[1+r.IntN(len(all)-1)]
		}
		r.change(at, at == n)
	}
}

// change changes one value.
func (r *source) change(n *Node, root bool) {
	s := n.Schema.of(n)
	switch {
	case r.one(8) && !root:
		*n = *null()
		return
	case r.one(6) && !root:
		swapped := r.anything(maxDepth - 1)
		*n = *swapped
		return
	case r.one(40) && !root:
		*n = *list(n.Clone())
		return
	}
	switch n.Kind {
	case '{':
		r.changeObject(n, s)
	case '[':
		r.changeArray(n, s)
	case '"':
		r.changeString(n, s)
	case '0':
		r.changeNumber(n, s)
	case 'b':
		*n = *pick(r, []*Node{boolean(n.Text != "true"), numeral("0"), numeral("1"), text(n.Text), text(strings.ToUpper(n.Text)), null()})
	default:
		if s == nil || s.Type == "" {
			*n = *r.anything(maxDepth)
			return
		}
		*n = *r.value(s, maxDepth)
	}
}

func (r *source) changeObject(n *Node, s *Schema) {
	i := 0
	if len(n.Members) > 0 {
		i = r.IntN(len(n.Members))
	}
	some := len(n.Members) > 0
	switch kind := r.IntN(12); {
	case kind == 0 && some: // one fewer
		n.Members = append(n.Members[:i:i], n.Members[i+1:]...)
	case kind == 1: // one more
		n.Members = append(n.Members, Member{Name: r.key(nil), Value: r.anything(maxDepth)})
	case kind == 2 && some: // misspelt
		n.Members[i].Name, n.Members[i].Raw = r.misspell(n.Members[i].Name), ""
	case kind == 3 && some: // twice
		m := n.Members[i]
		m.Value = m.Value.Clone()
		if r.one(2) {
			m.Value = r.anything(maxDepth)
		}
		n.Members = append(n.Members, m)
	case kind == 4 && some && !strings.HasSuffix(n.Members[i].Name, "broken"): // in another spelling
		n.Members[i].Raw = spelling(n.Members[i].Name)
	case kind == 5 && some && r.one(3):
		raw := pick(r, []string{`"\ud800"`, `"\udc00a"`, "\"a\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\""})
		n.Members[i].Raw, n.Members[i].Name = raw, n.Members[i].Name+"\x00broken"
	case kind == 6 && s != nil: // an optional one that is null
		var missing []string
		for _, p := range s.Properties {
			if n.Get(p.Name) == nil {
				missing = append(missing, p.Name)
			}
		}
		if len(missing) > 0 {
			n.Members = append(n.Members, Member{Name: pick(r, missing), Value: null()})
			return
		}
		fallthrough
	case kind == 7 && s != nil && s.More != nil: // counts off by one
		want := pick(r, []int{s.MinProperties - 1, s.MaxProperties, s.MaxProperties + 1, 0, len(n.Members) + 1})
		for len(n.Members) > max(0, want) {
			n.Members = n.Members[:len(n.Members)-1]
		}
		for len(n.Members) < min(want, 30) {
			n.Members = append(n.Members, Member{Name: r.key(s.Names) + strconv.Itoa(len(n.Members)), Value: r.value(s.More, maxDepth)})
		}
	case kind == 8 && some && s != nil && s.Names != nil: // odd keys
		n.Members[i].Name = pick(r, []string{"01", "+1", "-0", "1.0", "1e2", " 1", "", "-1", "128", "256", "65536", "9223372036854775808", "18446744073709551616", "-9223372036854775809", "٣", "0x1", "1_0"})
		n.Members[i].Raw = ""
	default:
		r.Shuffle(len(n.Members), func(i, j int) { n.Members[i], n.Members[j] = n.Members[j], n.Members[i] })
	}
}

// misspell changes a name as people misspell it.
func (r *source) misspell(name string) string {
	switch r.IntN(6) {
	case 0:
		return strings.ToUpper(name)
	case 1:
		return strings.ToLower(name)
	case 2:
		return name + "s"
	case 3:
		if len(name) > 1 {
			_, size := utf8.DecodeLastRuneInString(name)
			return name[:len(name)-size]
		}
	case 4:
		if c, size := utf8.DecodeRuneInString(name); size > 0 {
			if unicode.IsUpper(c) {
				return string(unicode.ToLower(c)) + name[size:]
			}
			return string(unicode.ToUpper(c)) + name[size:]
		}
	}
	return " " + name
}

// spelling returns a text in \u escapes.
func spelling(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range s {
		if c > 0xffff {
			c -= 0x10000
			b.WriteString(`\u` + hex4(0xd800+c>>10) + `\u` + hex4(0xdc00+c&0x3ff))
			continue
		}
		b.WriteString(`\u` + hex4(c))
	}
	b.WriteByte('"')
	return b.String()
}

func hex4(c rune) string {
	s := strconv.FormatInt(int64(c), 16)
	return strings.Repeat("0", 4-len(s)) + s
}

func (r *source) changeArray(n *Node, s *Schema) {
	switch kind := r.IntN(4); {
	case kind == 0 && s != nil: // lengths off by one
		want := pick(r, []int{s.MinItems - 1, s.MaxItems, s.MaxItems + 1, 0})
		if want > 64 {
			want = len(n.Items) + 1
		}
		for len(n.Items) > max(0, want) {
			n.Items = n.Items[:len(n.Items)-1]
		}
		for len(n.Items) < want {
			n.Items = append(n.Items, r.value(s.Items, maxDepth))
		}
	case kind == 1 && len(n.Items) > 0: // one twice
		n.Items = append(n.Items, pick(r, n.Items).Clone())
	case kind == 2 && len(n.Items) > 0: // one fewer
		i := r.IntN(len(n.Items))
		n.Items = append(n.Items[:i:i], n.Items[i+1:]...)
	default:
		n.Items = append(n.Items, r.anything(maxDepth))
	}
}

func (r *source) changeString(n *Node, s *Schema) {
	if broken(n) {
		return
	}
	old := n.Text
	n.Raw = ""
	switch r.IntN(9) {
	case 0:
		n.Text = pick(r, someTexts)
		return
	case 1: // in another spelling
		n.Raw = spelling(old)
		return
	case 2: // another type than a text
		if r.one(3) {
			n.Raw = pick(r, []string{`"\ud800"`, `"\udc00"`, `"\ud800\ud800"`, `"\ud83dx"`, "\"\xff\"", "\"a\xc3\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xc0\xaf\""})
			n.Text = "\x00broken"
			return
		}
	case 3:
		*n = *numeral(pick(r, someNumbers))
		return
	case 4:
		n.Text = r.misspell(old)
		return
	}
	if s == nil {
		n.Text = pick(r, someTexts)
		return
	}
	switch {
	case len(s.Enum) > 0:
		n.Text = pick(r, []string{strings.ToUpper(old), old + " ", " " + old, strings.TrimSuffix(old, "e"), old + "s", "", strings.ToTitle(old), pick(r, s.Enum).Text})
	case s.Encoding != "":
		n.Text = pick(r, []string{old + "=", strings.TrimRight(old, "="), old + "A", old + "\n", strings.ReplaceAll(old, "+", "-"), "A", "AA", "AAA", "AA==", "AB==", "AAB=", "A===", "====", "AA=A", " ", "AAEC\r\nAAEC", "AAECAwQFBgcICQoL", "_-_-", "é"})
	case s.Format != "" && !r.one(3):
		if bad := formatSamples[s.Format].bad; len(bad) > 0 {
			n.Text = pick(r, bad)
		}
	case s.MinLength >= 0 || s.MaxLength >= 0:
		n.Text = r.ofLength(max(0, pick(r, []int{s.MinLength - 1, s.MinLength, s.MaxLength, s.MaxLength + 1})))
	case s.Pattern != "":
		good := r.matching(s.Pattern)
		n.Text = pick(r, []string{good, good + "!", "!" + good, strings.ToUpper(good), good + "\n", strings.TrimSuffix(good, "0"), "0" + good, "-" + good, good + "e1", "NaN", "Inf", "0x1p2", "1_000"})
	default:
		n.Text = pick(r, someTexts)
	}
}

func (r *source) changeNumber(n *Node, s *Schema) {
	if r.one(3) || s == nil {
		n.Text = pick(r, someNumbers)
		return
	}
	if r.one(8) {
		*n = *text(n.Text)
		return
	}
	var bounds []*big.Rat
	for _, b := range []*big.Rat{s.Minimum, s.Maximum, s.ExclusiveMinimum, s.ExclusiveMaximum, s.MultipleOf} {
		if b != nil {
			bounds = append(bounds, b)
		}
	}
	if len(bounds) == 0 {
		n.Text = pick(r, someNumbers)
		return
	}
	deltas := []*big.Rat{{}, big.NewRat(1, 1), big.NewRat(-1, 1), big.NewRat(1, 2), big.NewRat(1, 1e9), big.NewRat(-1, 1e9), big.NewRat(1, 1e18)}
	n.Text = decimal(new(big.Rat).Add(pick(r, bounds), pick(r, deltas)))
	if r.one(4) && !strings.ContainsAny(n.Text, ".") {
		n.Text += pick(r, []string{".0", "e0", "E+0", ".00000"})
	}
}
