package schema

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math/big"
	"slices"
)

// meaning is the interpretation of a type's constants: as choices, as bits that are combined, or as
// factors that are multiplied.
type meaning int

const (
	choices meaning = iota
	flags
	units
)

// numbering is the meaning of a type's constants. Their values determine it, or their source if the
// values allow several meanings.
type numbering struct {
	meaning meaning
	// sure is false if the constants could as well mean something else.
	sure bool
}

// evidence describes how the source of constants computes them.
type evidence struct {
	known      bool // the source of at least one can be read
	shifted    bool // 1 << iota, A | B
	multiplied bool // 60 * Second
	hex        bool // 0x10
}

// evidence reads the expressions of constants of one type.
func (r *Resolver) evidence(all []*types.Const) (e evidence) {
	for _, k := range all {
		expr := r.docs.Constant(k)
		if expr == nil {
			continue
		}
		e.known = true
		ast.Inspect(expr, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				e.hex = e.hex || n.Kind == token.INT && len(n.Value) > 2 && (n.Value[1]|0x20 == 'x' || n.Value[1]|0x20 == 'b')
			case *ast.BinaryExpr:
				switch n.Op {
				case token.SHL: // iota << 4 counts in steps of 16
					e.shifted = e.shifted || !mentions(n.X, func(id string) bool { return id == "iota" })
				case token.OR, token.AND_NOT:
					e.shifted = true
				case token.MUL:
					e.multiplied = e.multiplied || mentions(n, func(id string) bool {
						other, ok := k.Pkg().Scope().Lookup(id).(*types.Const)
						return ok && types.Identical(other.Type(), k.Type())
					})
				}
			}
			return true
		})
	}
	return e
}

// mentions reports whether an expression contains such an identifier.
func mentions(expr ast.Expr, is func(name string) bool) (found bool) {
	ast.Inspect(expr, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && is(id.Name) {
			found = true
		}
		return !found
	})
	return found
}

// numberingOf determines the meaning of a type's constants. The values decide. If flags and choices
// have the same values, such as 1 and 2, the source decides if it can be read. docs/write/types.md
// describes the rule.
func (r *Resolver) numberingOf(all []*types.Const) numbering {
	var values []*big.Int
	for _, k := range all {
		if k.Val().Kind() != constant.Int {
			return numbering{choices, true}
		}
		n, _ := new(big.Int).SetString(k.Val().ExactString(), 10)
		values = append(values, n)
	}
	return judge(values, func() evidence { return r.evidence(all) })
}

// judge is like numberingOf, for values in any order, some of them equal.
func judge(values []*big.Int, source func() evidence) numbering {
	slices.SortFunc(values, (*big.Int).Cmp)
	values = slices.CompactFunc(values, func(a, b *big.Int) bool { return a.Cmp(b) == 0 })
	if longestRun(values) >= 5 {
		return numbering{choices, true} // flags with all their combinations
	}
	// Zero is neither a flag nor a unit; -1 is all flags, or means unlimited.
	values = slices.DeleteFunc(values, func(n *big.Int) bool { return n.Sign() == 0 || n.IsInt64() && n.Int64() == -1 })
	if len(values) < 2 || values[0].Sign() < 0 {
		return numbering{choices, true}
	}
	bits, combined := bitsOf(values)
	factors := unitsOf(withoutLimits(values))
	if len(bits) < 2 && factors == nil {
		return numbering{choices, true} // neither flags nor units, whatever the source contains
	}
	strong, sure := areUnits(factors)
	if sure {
		return numbering{units, true}
	}
	from := source()
	steps := factorsOf(values)
	switch n := len(values); {
	case len(bits) >= 2 && from.shifted:
		return numbering{flags, true}
	case steps != nil && isRun(steps):
		// 1, 2 are choices unless the source proves otherwise; 1, 2, 3 always are.
		return numbering{choices, from.known || n > 2 || len(bits) < 2}
	case len(bits) >= 3 && combined && !(len(bits) < n && isDense(values)):
		return numbering{flags, from.hex || len(bits) >= 5}
	case factors != nil && from.multiplied:
		return numbering{units, strong}
	case strong:
		return numbering{units, false}
	}
	return numbering{choices, true}
}

// longestRun returns the number of consecutive numbers in the longest run of an ascending list.
func longestRun(values []*big.Int) (longest int) {
	for i, n := 0, 0; i < len(values); i++ {
		if i > 0 && new(big.Int).Sub(values[i], values[i-1]).Cmp(one) == 0 {
			n++
		} else {
			n = 1
		}
		longest = max(longest, n)
	}
	return longest
}

func isRun(values []*big.Int) bool { return longestRun(values) == len(values) }

var one = big.NewInt(1)

// isPower reports whether a positive number is a power of two.
func isPower(n *big.Int) bool { return n.TrailingZeroBits() == uint(n.BitLen()-1) }

// bitsOf returns the powers of two among the values. combined is set if every other value consists
// of such bits only, or is a mask: bits without a gap.
func bitsOf(values []*big.Int) (bits []*big.Int, combined bool) {
	whole := new(big.Int)
	for _, n := range values {
		if isPower(n) {
			bits = append(bits, n)
			whole.Or(whole, n)
		}
	}
	for _, n := range values {
		mask := isPower(new(big.Int).Add(new(big.Int).Rsh(n, n.TrailingZeroBits()), one))
		if !mask && new(big.Int).AndNot(n, whole).Sign() != 0 {
			return bits, false
		}
	}
	return bits, true
}

// isDense reports whether at least three quarters of the numbers up to the largest are values.
func isDense(values []*big.Int) bool {
	largest := values[len(values)-1]
	return largest.IsInt64() && int64(len(values))*4 >= largest.Int64()*3
}

// withoutLimits omits the largest values of integer types, which are not units.
func withoutLimits(values []*big.Int) []*big.Int {
	return slices.DeleteFunc(slices.Clone(values), func(n *big.Int) bool {
		switch n.BitLen() {
		case 15, 16, 31, 32, 63, 64:
			return isPower(new(big.Int).Add(n, one))
		}
		return false
	})
}

// factorsOf returns ascending values as multiples of the smallest, or nil if one is not a multiple
// or there are fewer than two.
func factorsOf(values []*big.Int) (factors []*big.Int) {
	if len(values) < 2 {
		return nil
	}
	for _, n := range values {
		factor, rest := new(big.Int).QuoRem(n, values[0], new(big.Int))
		if rest.Sign() != 0 {
			return nil
		}
		factors = append(factors, factor)
	}
	return factors
}

// unitsOf returns ascending values as multiples of the smallest, or of one if all are usual
// factors, otherwise nil.
func unitsOf(values []*big.Int) []*big.Int {
	factors := factorsOf(values)
	if factors == nil && len(values) > 1 && !slices.ContainsFunc(values, func(n *big.Int) bool { usual, round := isFactor(n); return !usual || round }) {
		factors = append([]*big.Int{one}, values...)
	}
	return factors
}

// areUnits reports whether the multiples of a unit are units, too, and whether another meaning is
// unlikely. The largest is 60 or more. Either each is a usual factor, such as 60, 1000 or 1024, or
// there are three or more, each a multiple of the one before.
func areUnits(factors []*big.Int) (strong, sure bool) {
	if factors == nil {
		return false, false
	}
	usual, unmistakable, chain := true, true, len(factors) > 2
	for i, f := range factors[1:] {
		plain, round := isFactor(f)
		usual = usual && plain
		unmistakable = unmistakable && plain && !round
		chain = chain && new(big.Int).Rem(f, factors[i]).Sign() == 0
	}
	largest := factors[len(factors)-1]
	strong = largest.Cmp(big.NewInt(60)) >= 0 && (usual || chain)
	sure = strong && unmistakable && largest.Cmp(big.NewInt(1000)) >= 0 && (len(factors) > 2 || largest.TrailingZeroBits() >= 10)
	return strong, sure
}

// isFactor reports whether a number is a factor between usual units: of time, of bits, of powers of
// 1000 and 1024. It is round if it is a power of ten but not of 1000: choices may be spaced like
// this, too.
func isFactor(n *big.Int) (usual, round bool) {
	n = new(big.Int).Set(n)
	for _, base := range []int64{1000, 1024} {
		for {
			quotient, rest := new(big.Int).QuoRem(n, big.NewInt(base), new(big.Int))
			if rest.Sign() != 0 {
				break
			}
			n = quotient
		}
	}
	if !n.IsInt64() {
		return false, false
	}
	switch n.Int64() {
	case 1, 8, 60, 3600, 86_400, 604_800:
		return true, false
	case 10, 100:
		return true, true
	}
	return false, false
}
