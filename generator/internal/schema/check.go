package schema

import (
	"fmt"
	"math/big"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// check reports what contradicts itself in a field: bounds that exclude every
// value, values that the bounds exclude.
func (r *Resolver) check(s site, f *model.Field) bool {
	hint, problem := checkRules(f.Type, &f.Rules)
	if problem == "" {
		hint, problem = checkValues(f)
	}
	if problem == "" {
		hint, problem = checkHeader(f)
	}
	if problem == "" && f.Default != nil {
		hint, problem = unwritable(f.Type, f.Default.JSON, true)
	}
	if problem == "" {
		return true
	}
	r.errorf(s, hint, "%s", problem)
	return false
}

// checkValues checks default and examples against the type and the rules.
func checkValues(f *model.Field) (hint, problem string) {
	const hintValue = "change the value, or the constraint that excludes it"
	if f.Default != nil && (f.Default.JSON != "null" || !f.Nullable) {
		if problem := unfit(f.Type, &f.Rules, f.Default.JSON); problem != "" {
			return hintValue, "default " + problem
		}
	}
	for _, e := range f.Examples {
		if problem := unfit(f.Type, &f.Rules, e); problem != "" {
			return hintValue, "example " + problem
		}
	}
	return "", ""
}

// checkRules checks the rules of a place and of the elements below it.
func checkRules(t *model.Type, rules *model.Rules) (hint, problem string) {
	if rules.IsZero() {
		return "", ""
	}
	t = base(t)
	for _, check := range []func(*model.Type, *model.Rules) (hint, problem string){checkRange, checkBounds, checkCounts, checkEnum} {
		if hint, problem := check(t, rules); problem != "" {
			return hint, problem
		}
	}
	if t.Elem != nil {
		return checkRules(t.Elem, rules.Elem)
	}
	return "", ""
}

// checkRange refuses bounds that the Go type cannot hold.
func checkRange(t *model.Type, rules *model.Rules) (hint, problem string) {
	var low, high *big.Rat
	switch t.Kind {
	case model.Int, model.Uint:
		low, high = intRange(t)
	case model.Number:
		return "", ""
	case model.Float:
		high = maxFloat(t.Bits)
		low = new(big.Rat).Neg(high)
	default:
		return "", ""
	}
	for _, b := range []struct{ key, text string }{
		{"minimum", rules.Minimum}, {"maximum", rules.Maximum},
		{"exclusiveMinimum", rules.ExclusiveMinimum}, {"exclusiveMaximum", rules.ExclusiveMaximum},
	} {
		n, ok := number(b.text)
		if ok && (n.Cmp(low) < 0 || n.Cmp(high) > 0) {
			return "leave it out: the type has a bound of its own", fmt.Sprintf("%s %s is out of the range of the Go type", b.key, b.text)
		}
	}
	return "", ""
}

// checkBounds refuses bounds that no number keeps.
func checkBounds(t *model.Type, rules *model.Rules) (hint, problem string) {
	if of, ok := number(rules.MultipleOf); ok && of.Sign() <= 0 {
		return "write a number above 0", fmt.Sprintf("multipleOf %s is not positive", rules.MultipleOf)
	}
	lows := []struct{ key, text string }{{"minimum", rules.Minimum}, {"exclusiveMinimum", rules.ExclusiveMinimum}}
	highs := []struct{ key, text string }{{"maximum", rules.Maximum}, {"exclusiveMaximum", rules.ExclusiveMaximum}}
	for i, low := range lows {
		for j, high := range highs {
			a, ok1 := number(low.text)
			b, ok2 := number(high.text)
			if !ok1 || !ok2 {
				continue
			}
			if c := a.Cmp(b); c > 0 || c == 0 && i+j > 0 || t.Kind != model.Float && t.Kind != model.Number && !holdsInteger(a, b, i == 1, j == 1) {
				return "swap them, or leave one out", fmt.Sprintf("no value is allowed by %s %s and %s %s", low.key, low.text, high.key, high.text)
			}
		}
	}
	return "", ""
}

// holdsInteger reports whether an integer lies between two bounds.
func holdsInteger(low, high *big.Rat, openLow, openHigh bool) bool {
	n := new(big.Int).Div(new(big.Int).Sub(new(big.Int).Add(low.Num(), low.Denom()), big.NewInt(1)), low.Denom()) // rounded up
	if openLow && low.IsInt() {
		n.Add(n, big.NewInt(1))
	}
	c := new(big.Rat).SetInt(n).Cmp(high)
	return c < 0 || c == 0 && !openHigh
}

func checkCounts(_ *model.Type, rules *model.Rules) (hint, problem string) {
	for _, b := range []struct {
		low, high   *int
		least, most string
	}{
		{rules.MinLength, rules.MaxLength, "minLength", "maxLength"},
		{rules.MinItems, rules.MaxItems, "minItems", "maxItems"},
		{rules.MinProperties, rules.MaxProperties, "minProperties", "maxProperties"},
	} {
		if b.low != nil && b.high != nil && *b.low > *b.high {
			return "swap them, or leave one out", fmt.Sprintf("%s %d is more than %s %d", b.least, *b.low, b.most, *b.high)
		}
	}
	return "", ""
}

// checkEnum checks the values of a narrowing enum against the type, its own
// enumeration and the other rules.
func checkEnum(t *model.Type, rules *model.Rules) (hint, problem string) {
	if len(rules.Enum) == 0 {
		return "", ""
	}
	others := *rules
	others.Enum = nil
	for i, text := range rules.Enum {
		if problem := unfit(t, &others, text); problem != "" {
			return "change the value, or the constraint that excludes it", "enum value " + problem
		}
		for _, before := range rules.Enum[:i] {
			if equalScalar(before, text) {
				return "leave one out", fmt.Sprintf("enum value %s is given twice", text)
			}
		}
	}
	return "", ""
}
