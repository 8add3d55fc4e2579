package schema

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/keyword"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// check reports contradictions in a field: bounds that exclude every value, values that the bounds
// exclude.
func (r *Resolver) check(s site, f *model.Field) bool {
	hint, problem := checkRules(f.Type, &f.Rules)
	if problem == "" && (f.Default != nil || len(f.Examples) > 0) {
		if r.grows(f.Type, map[*model.Type]bool{}) {
			r.late = append(r.late, lateCheck{s, f})
		} else {
			hint, problem = checkValues(f)
		}
	}
	if problem == "" {
		hint, problem = checkHeader(f)
	}
	if problem == "" {
		hint, problem = checkDescribed(f)
	}
	if problem == "" {
		return true
	}
	r.errorf(s, hint, "%s", problem)
	return false
}

// lateCheck is a field whose default and examples contain values of an incomplete struct: the
// struct of the field.
type lateCheck struct {
	site
	field *model.Field
}

// grows reports whether a plan contains a struct whose fields are not complete yet.
func (r *Resolver) grows(t *model.Type, seen map[*model.Type]bool) bool {
	if len(r.growing) == 0 || t == nil || seen[t] {
		return false
	}
	if seen[t] = true; r.growing[t] || r.grows(t.Elem, seen) {
		return true
	}
	if slices.ContainsFunc(t.Fields, func(f *model.Field) bool { return r.grows(f.Type, seen) }) {
		return true
	}
	return t.Union != nil && slices.ContainsFunc(t.Union.Variants, func(v *model.UnionVariant) bool { return r.grows(v.Type, seen) })
}

// CheckLate checks the defaults and examples that could not be checked before the types were
// complete. It returns false if it reported any.
func (r *Resolver) CheckLate() (ok bool) {
	ok = true
	for _, late := range r.late {
		if hint, problem := checkValues(late.field); problem != "" {
			r.errorf(late.site, hint, "%s", problem)
			ok = false
		}
	}
	r.late = nil
	return ok
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
	for _, check := range []func(*model.Type, *model.Rules) (hint, problem string){checkRange, checkBounds, checkEnum} {
		if hint, problem := check(t, rules); problem != "" {
			return hint, problem
		}
	}
	if t.Elem != nil {
		return checkRules(t.Elem, rules.Elem)
	}
	return "", ""
}

// checkRange refuses bounds outside the range of the Go type.
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
	for _, k := range keyword.Rules() {
		n, ok := jsontext.Number(k.Limit(rules))
		if ok && k.Bound != keyword.NoBound && (n.Cmp(low) < 0 || n.Cmp(high) > 0) {
			return "leave it out: the type has a bound of its own", fmt.Sprintf("%s %s is out of the range of the Go type", k.Name, k.Limit(rules))
		}
	}
	return "", ""
}

// checkBounds refuses bounds that exclude every number, length or count.
func checkBounds(t *model.Type, rules *model.Rules) (hint, problem string) {
	if of, ok := jsontext.Number(rules.Limit(keyword.MultipleOf)); ok && of.Sign() <= 0 {
		return "write a number above 0", fmt.Sprintf("multipleOf %s is not positive", rules.Limit(keyword.MultipleOf))
	}
	for _, low := range keyword.Rules() {
		a, ok := jsontext.Number(low.Limit(rules))
		if !ok || !low.Bound.Lower() {
			continue
		}
		for _, high := range keyword.Rules() {
			b, ok := jsontext.Number(high.Limit(rules))
			if ok && high.Bound.Upper() && isEmpty(t, a, b, low.Bound.Open(), high.Bound.Open()) {
				return "swap them, or leave one out", fmt.Sprintf("no value is allowed by %s %s and %s %s",
					low.Name, low.Limit(rules), high.Name, high.Limit(rules))
			}
		}
	}
	return "", ""
}

// isEmpty reports whether two bounds exclude every value.
func isEmpty(t *model.Type, low, high *big.Rat, openLow, openHigh bool) bool {
	if jsonType(t) == "number" {
		c := low.Cmp(high)
		return c > 0 || c == 0 && (openLow || openHigh)
	}
	return !holdsInteger(low, high, openLow, openHigh)
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

// checkEnum checks the values of a narrowing enum against the type, its own enumeration and the
// other rules.
func checkEnum(t *model.Type, rules *model.Rules) (hint, problem string) {
	if len(rules.Enum) > 0 && rules.Limit(keyword.Choices) != "" {
		return "drop one of them", "enum and choices exclude each other"
	}
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
			if jsontext.Equal(before, text) {
				return "leave one out", fmt.Sprintf("enum value %s is given twice", text)
			}
		}
	}
	return "", ""
}
