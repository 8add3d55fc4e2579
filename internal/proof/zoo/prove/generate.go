package prove

import (
	"encoding/base64"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
)

// source generates values, which are the same for the same seed.
type source struct {
	*rand.Rand
	// alike, if it is set, replaces every string without constraints, and alikeAny every value. A
	// type with its own JSON form accepts few others.
	alike    string
	alikeAny *Node
}

// begin returns a whole value.
func (r *source) begin(s *Schema) *Node {
	r.alike, r.alikeAny = "", nil
	if r.one(3) {
		r.alike = pick(r, textSamples)
		r.alikeAny = pick(r, []*Node{text(r.alike), text(r.alike), text(r.alike), list(numeral("1"), numeral("1")), object(Member{Name: "n", Value: numeral("3")}), object(Member{Name: "message", Value: text("x")}), numeral("5"), text("5")})
	}
	n := r.value(s, 0)
	r.alike, r.alikeAny = "", nil
	if r.one(4) {
		n.walk("", func(_ string, at *Node) { at.Space = pick(r, []string{"", " ", "\t", " \t "}) })
	}
	return n
}

func newSource(seed1, seed2 uint64) *source {
	return &source{Rand: rand.New(rand.NewPCG(seed1, seed2))}
}

// one reports true once in n times.
func (r *source) one(n int) bool { return r.IntN(n) == 0 }

func pick[T any](r *source, list []T) T { return list[r.IntN(len(list))] }

// maxDepth limits the depth of recursive values.
const maxDepth = 5

// value returns a value that is valid as far as the schema is understood, usually small, often at a
// boundary.
func (r *source) value(s *Schema, depth int) *Node {
	s = s.resolve()
	n := r.make(s, depth)
	if n.Schema == nil {
		n.Schema = s
	}
	return n
}

func (r *source) make(s *Schema, depth int) *Node {
	if s == nil {
		return r.anything(depth)
	}
	if len(s.Enum) > 0 {
		return pick(r, s.Enum).Clone()
	}
	if len(s.AnyOf) > 0 {
		alternative := pick(r, s.AnyOf)
		if depth > maxDepth {
			for _, a := range s.AnyOf {
				if a.Type == "null" {
					alternative = a
				}
			}
		}
		return r.value(alternative, depth)
	}
	switch s.Type {
	case "null":
		return null()
	case "boolean":
		return boolean(r.one(2))
	case "integer":
		return numeral(r.integer(s))
	case "number":
		return numeral(r.number(s))
	case "string":
		return text(r.string(s))
	case "array":
		return r.array(s, depth)
	case "object":
		return r.object(s, depth)
	}
	return r.anything(depth)
}

func (r *source) object(s *Schema, depth int) *Node {
	n := object()
	density := r.IntN(4) // no optional members, few, most, all
	for _, p := range s.Properties {
		want := s.Required[p.Name]
		if !want && depth <= maxDepth {
			switch density {
			case 1:
				want = r.one(4)
			case 2:
				want = !r.one(4)
			case 3:
				want = true
			}
		}
		if want {
			n.Members = append(n.Members, Member{Name: p.Name, Value: r.value(p.Schema, depth+1)})
		}
	}
	if s.More != nil {
		for range r.count(s.MinProperties, s.MaxProperties, depth) {
			name := r.key(s.Names)
			if n.Get(name) == nil {
				n.Members = append(n.Members, Member{Name: name, Value: r.value(s.More, depth+1)})
			}
		}
	}
	if r.one(3) {
		r.Shuffle(len(n.Members), func(i, j int) { n.Members[i], n.Members[j] = n.Members[j], n.Members[i] })
	}
	return n
}

// key returns a name for a map's member.
func (r *source) key(s *Schema) string {
	if s == nil {
		if r.alike != "" {
			return r.alike
		}
		return pick(r, []string{"a", "b", "key", "Key", "a b", "", "ключ", "1", "x.y", "k" + strconv.Itoa(r.IntN(1000))})
	}
	s = s.resolve()
	if len(s.Enum) > 0 {
		return pick(r, s.Enum).Text
	}
	return r.string(s)
}

// count returns a length between two limits; -1 means no limit.
func (r *source) count(least, most, depth int) int {
	least = max(least, 0)
	if most < 0 {
		most = least + 3
		if depth > maxDepth {
			most = least
		}
	}
	switch {
	case r.one(4):
		return least
	case r.one(4):
		return min(most, least+20)
	}
	return least + r.IntN(min(most-least, 20)+1)
}

func (r *source) array(s *Schema, depth int) *Node {
	n := list()
	seen := map[string]bool{}
	for range r.count(s.MinItems, s.MaxItems, depth) {
		item := r.value(s.Items, depth+1)
		for range 20 {
			if !s.UniqueItems || !seen[item.String()] {
				break
			}
			item = r.value(s.Items, depth+1)
		}
		seen[item.String()] = true
		n.Items = append(n.Items, item)
	}
	return n
}

// anything returns a value of any kind.
func (r *source) anything(depth int) *Node {
	if r.alikeAny != nil && !r.one(20) {
		return r.alikeAny.Clone()
	}
	kinds := 8
	if depth > maxDepth {
		kinds = 5
	}
	switch r.IntN(kinds) {
	case 0:
		return null()
	case 1:
		return boolean(r.one(2))
	case 2:
		return numeral(pick(r, someNumbers))
	case 3, 4:
		return text(pick(r, someTexts))
	case 5:
		n := list()
		for range r.IntN(4) {
			n.Items = append(n.Items, r.anything(depth+1))
		}
		return n
	}
	n := object()
	for range r.IntN(4) {
		name := r.key(nil)
		if n.Get(name) == nil {
			n.Members = append(n.Members, Member{Name: name, Value: r.anything(depth + 1)})
		}
	}
	return n
}

// someNumbers are numbers at which decoders fail.
var someNumbers = []string{
	"0", "-0", "1", "-1", "2", "3", "5", "7", "10", "42", "100", "1.0", "1e2", "1E2", "1e+2", "10e-1", "100e-2", "0.0", "0e5", "-0.0", "1.5", "0.1", "0.30000000000000004",
	"127", "128", "-128", "-129", "255", "256", "300", "32767", "32768", "65535", "65536", "2147483647", "2147483648",
	"-2147483648", "-2147483649", "4294967295", "4294967296", "9007199254740991", "9007199254740992", "9007199254740993",
	"-9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
	"18446744073709551615", "18446744073709551616", "9223372036854775807.0", "92233720368547758070e-1", "1e18", "1e19", "1e20",
	"3.4028234663852886e38", "3.5e38", "1e39", "-1e39", "1e308", "1e309", "-1e309", "1e-45", "1e-400", "5e-324", "123456789.123456789", "0.999999999999999999999",
	"1.00000000000000000000000001", "1e-1", "12345678901234567890123456789",
}

var someTexts = []string{
	"", "a", "abc", "A", " ", "a b", "5", "-1", "1.0", "true", "false", "null", "{}", "[]", "\"", "\\", "/", "\t\n\r", "\x00", "\x7f", "<&>",
	"é", "日本語", "🎉", "👩‍👩‍👧", "e\u0301", "\u2028\u2029", "\ufeff", "`", "${x}", "2024-02-29T12:34:56Z", "1h30m", "AAEC", "127.0.0.1",
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
}

// integer returns an integer within the bounds of a schema.
func (r *source) integer(s *Schema) string {
	low, high := s.Minimum, s.Maximum
	one := big.NewRat(1, 1)
	if s.ExclusiveMinimum != nil {
		low = new(big.Rat).Add(s.ExclusiveMinimum, one)
	}
	if s.ExclusiveMaximum != nil {
		high = new(big.Rat).Sub(s.ExclusiveMaximum, one)
	}
	if r.one(3) {
		if text := pick(r, someNumbers); isInteger(text) && s.holds(text) {
			return text
		}
	}
	candidate := func() *big.Int {
		switch {
		case low != nil && high != nil:
			a, b := ceil(low), floor(high)
			switch {
			case r.one(4):
				return a
			case r.one(4):
				return b
			}
			span := new(big.Int).Sub(b, a)
			if span.Sign() <= 0 {
				return a
			}
			return a.Add(a, new(big.Int).Rem(new(big.Int).SetUint64(r.Uint64()), span.Add(span, big.NewInt(1))))
		case low != nil:
			a := ceil(low)
			return a.Add(a, big.NewInt(int64(pick(r, []int{0, 0, 1, 2, 10, 1000}))))
		case high != nil:
			b := floor(high)
			return b.Sub(b, big.NewInt(int64(pick(r, []int{0, 0, 1, 2, 10, 1000}))))
		}
		return big.NewInt(r.Int64N(2000) - 1000)
	}
	n := candidate()
	if s.MultipleOf != nil {
		step := new(big.Rat).SetInt(n)
		step.Quo(step, s.MultipleOf)
		product := new(big.Rat).Mul(new(big.Rat).SetInt(ceil(step)), s.MultipleOf)
		if product.IsInt() {
			n = new(big.Int).Set(product.Num())
		}
	}
	text := n.String()
	switch {
	case r.one(12):
		return text + ".0"
	case r.one(12) && text != "0":
		return text + "0e-1"
	case r.one(12):
		return text + "e0"
	}
	return text
}

func isInteger(text string) bool {
	n, ok := new(big.Rat).SetString(text)
	return ok && n.IsInt()
}

func ceil(x *big.Rat) *big.Int {
	n := floor(x)
	if !x.IsInt() {
		n.Add(n, big.NewInt(1))
	}
	return n
}

func floor(x *big.Rat) *big.Int { return new(big.Int).Div(x.Num(), x.Denom()) }

// holds reports whether a number is within the bounds of a schema.
func (s *Schema) holds(text string) bool {
	n, ok := new(big.Rat).SetString(text)
	return ok &&
		(s.Minimum == nil || n.Cmp(s.Minimum) >= 0) && (s.Maximum == nil || n.Cmp(s.Maximum) <= 0) &&
		(s.ExclusiveMinimum == nil || n.Cmp(s.ExclusiveMinimum) > 0) && (s.ExclusiveMaximum == nil || n.Cmp(s.ExclusiveMaximum) < 0) &&
		(s.MultipleOf == nil || new(big.Rat).Quo(n, s.MultipleOf).IsInt())
}

// number returns a number within the bounds of a schema.
func (r *source) number(s *Schema) string {
	for range 30 {
		if text := pick(r, someNumbers); s.holds(text) {
			return text
		}
	}
	bounds := []*big.Rat{s.Minimum, s.Maximum, s.ExclusiveMinimum, s.ExclusiveMaximum}
	for range 30 {
		b := pick(r, bounds)
		if b == nil {
			continue
		}
		x := new(big.Rat).Add(b, big.NewRat(int64(r.IntN(5)-2), pick(r, []int64{1, 2, 10, 1000})))
		if text := x.FloatString(6); s.holds(text) {
			return text
		}
	}
	if s.MultipleOf != nil {
		for range 30 {
			x := new(big.Rat).Mul(s.MultipleOf, big.NewRat(int64(r.IntN(1000)-200), 1))
			if text := decimal(x); s.holds(text) {
				return text
			}
		}
	}
	return integerOr(r, s)
}

func integerOr(r *source, s *Schema) string { return r.integer(s) }

// decimal returns a number without exponent, exactly if possible.
func decimal(x *big.Rat) string {
	if x.IsInt() {
		return x.Num().String()
	}
	return strings.TrimRight(x.FloatString(30), "0")
}

// string returns a text that satisfies the constraints of a schema.
func (r *source) string(s *Schema) string {
	switch {
	case s.Encoding == "base64":
		return r.base64(s)
	case s.Format != "":
		if good := formatSamples[s.Format].good; len(good) > 0 {
			for range 10 {
				if text := pick(r, good); s.fits(text) {
					return text
				}
			}
		}
	case s.Pattern != "":
		for range 20 {
			if text := r.matching(s.Pattern); s.regexp.MatchString(text) && s.fits(text) {
				return text
			}
		}
	}
	if r.alike != "" && s.fits(r.alike) && s.Format == "" && s.Pattern == "" {
		return r.alike
	}
	for range 10 {
		if text := pick(r, someTexts); s.fits(text) {
			return text
		}
	}
	return r.ofLength(r.count(s.MinLength, s.MaxLength, 0))
}

// fits reports whether the length of a text is within the limits.
func (s *Schema) fits(text string) bool {
	n := len([]rune(text))
	return n >= s.MinLength && (s.MaxLength < 0 || n <= s.MaxLength)
}

// ofLength returns n characters.
func (r *source) ofLength(n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(pick(r, []string{"a", "b", "z", "0", " ", "é", "日", "🎉", "\"", "\\"}))
	}
	return b.String()
}

func (r *source) base64(s *Schema) string {
	for range 20 {
		b := make([]byte, r.IntN(12))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		if text := base64.StdEncoding.EncodeToString(b); s.fits(text) {
			return text
		}
	}
	return base64.StdEncoding.EncodeToString(make([]byte, max(0, s.MinLength)*3/4))
}
