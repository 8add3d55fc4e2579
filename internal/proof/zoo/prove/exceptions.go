package prove

import (
	"encoding"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// broken reports whether a text is refused before validation.
func broken(n *Node) bool {
	found := strings.HasSuffix(n.Text, "\x00broken")
	names := map[string]bool{}
	for _, m := range n.Members {
		found = found || names[m.Name] || strings.HasSuffix(m.Name, "\x00broken") || broken(m.Value)
		names[m.Name] = true
	}
	for _, item := range n.Items {
		found = found || broken(item)
	}
	return found
}

// place is a value with its position.
type place struct {
	n *Node
	s *Schema
	t reflect.Type // behind pointers; nil if unknown
}

// forms returns the type whose JSON form a value uses if it is not the value's own type, and nil
// otherwise.
type forms func(t reflect.Type, n *Node) reflect.Type

// of returns the type, behind pointers and flags, whose JSON form a value has.
func (f forms) of(t reflect.Type, n *Node) reflect.Type {
	for {
		if t = behind(t); t == nil {
			return nil
		}
		var form reflect.Type
		if f != nil {
			form = f(t, n)
		}
		if form == nil {
			form = flagged(t)
		}
		if form == nil {
			return t
		}
		t = form
	}
}

// places returns all values by path.
func (f forms) places(n *Node, s *Schema, t reflect.Type) map[string]place {
	out := map[string]place{}
	var visit func(path string, n *Node, s *Schema, t reflect.Type)
	visit = func(path string, n *Node, s *Schema, t reflect.Type) {
		s, t = s.of(n), f.of(t, n)
		out[path] = place{n, s, t}
		for i, item := range n.Items {
			var items *Schema
			if s != nil {
				items = s.Items
			}
			visit(path+"["+strconv.Itoa(i)+"]", item, items, element(t))
		}
		for _, m := range n.Members {
			visit(joinPath(path, m.Name), m.Value, s.property(m.Name), child(t, m.Name))
		}
	}
	visit("", n, s, t)
	return out
}

// refusal explains why a valid value was refused.
func (f forms) refusal(n *Node, s *Schema, t reflect.Type, out *Outcome, valid func(*Node) bool) (Exception, bool) {
	if broken(n) {
		return Strictness, true
	}
	all := f.places(n, s, t)
	if len(out.Problems) == 0 {
		return Keys, twoTexts(all)
	}
	var first Exception
	for _, problem := range out.Problems {
		at, ok := all[problem.Path]
		if !ok {
			return 0, false
		}
		e, ok := refusalAt(at, problem)
		if !ok {
			// A problem of a key may be reported for the map or for the member.
			if e, ok = keyRefusal(all, problem); !ok {
				return 0, false
			}
		}
		if e == Rounding && valid(f.rounded(n, s, t)) {
			return 0, false
		}
		if first == 0 {
			first = e
		}
	}
	return first, true
}

// rounded returns a value whose numbers are rounded to float64 if the schema allows any number.
func (f forms) rounded(n *Node, s *Schema, t reflect.Type) *Node {
	return f.change(n, s, t, func(at place) *Node {
		if at.n.Kind == '0' && at.s != nil && (isAny(at.t) || at.s.Type == "number" && at.t != nil && at.t != numberType) {
			if x, err := strconv.ParseFloat(at.n.Text, 64); err == nil && !math.IsInf(x, 0) {
				return numeral(strconv.FormatFloat(x, 'g', -1, 64))
			}
		}
		return at.n
	}, true)
}

// twoTexts reports whether a map contains two spellings of one key.
func twoTexts(all map[string]place) bool {
	for _, at := range all {
		if at.t == nil || at.t.Kind() != reflect.Map || at.n.Kind != '{' || !asKey(at.t.Key()) {
			continue
		}
		seen := reflect.MakeMap(reflect.MapOf(at.t.Key(), reflect.TypeFor[bool]()))
		for _, m := range at.n.Members {
			key := reflect.New(at.t.Key())
			u, ok := key.Interface().(encoding.TextUnmarshaler)
			if !ok || u.UnmarshalText([]byte(m.Name)) != nil {
				continue
			}
			if seen.MapIndex(key.Elem()).IsValid() {
				return true
			}
			seen.SetMapIndex(key.Elem(), reflect.ValueOf(true))
		}
	}
	return false
}

// beyond returns the path of an integer that the Go type cannot hold, whatever the schema allows.
// The type has the range of the platform of the test.
func beyond(all map[string]place) (path string, found bool) {
	for path, at := range all {
		if at.n.Kind != '0' || at.s == nil || at.s.Type != "integer" || at.t == nil || !isNumeric(at.t) || methodical(at.t) {
			continue
		}
		if x, ok := new(big.Rat).SetString(at.n.Text); ok && x.IsInt() && !inRange(x.Num(), at.t) {
			return path, true
		}
	}
	return "", false
}

func refusalAt(at place, problem wire.Violation) (Exception, bool) {
	n, s, t := at.n, at.s, at.t
	if unnameable(t) && s != nil && s.Type == "" {
		return Methods, true
	}
	if n.Kind == '0' && (t == nil || !isNumeric(t)) && !methodical(t) {
		// In a value of any kind, or of an unknown Go type.
		_, err := strconv.ParseFloat(n.Text, 64)
		x, ok := new(big.Rat).SetString(n.Text)
		if ok && err == nil && isAny(t) && (s == nil || s.Type != "integer" || !x.IsInt() || inRange(x.Num(), reflect.TypeFor[int64]())) {
			return Rounding, true
		}
		return Ranges, err != nil || s != nil && s.Type == "integer" && ok && x.IsInt() && !inRange(x.Num(), reflect.TypeFor[int64]())
	}
	if s == nil || t == nil {
		return 0, false
	}
	switch {
	case methodical(t):
		return Methods, true
	case n.Kind == '"' && (reflect.PointerTo(t).Implements(binaryUnmarshaler) || s.Pattern+s.Format == "" && isNumeric(t)):
		return Methods, true // of url.URL, and //mcp:decode
	case n.Kind == '0' && s.Type == "integer":
		x, ok := new(big.Rat).SetString(n.Text)
		return Ranges, ok && x.IsInt() && !inRange(x.Num(), t) && !hasBounds(s)
	case n.Kind == '0' && s.Type == "number" && t.Kind() == reflect.Float64:
		if _, err := strconv.ParseFloat(n.Text, 64); err != nil {
			return Ranges, true
		}
		return Rounding, strings.Contains(problem.Rule, "inimum") || strings.Contains(problem.Rule, "aximum") || problem.Rule == wire.RuleEnum
	case n.Kind == '0' && s.Type == "number" && t.Kind() == reflect.Float32:
		if _, err := strconv.ParseFloat(n.Text, 32); err != nil {
			return Ranges, true
		}
		return Rounding, strings.Contains(problem.Rule, "inimum") || strings.Contains(problem.Rule, "aximum") || problem.Rule == wire.RuleEnum
	case n.Kind == '"' && s.Encoding == "base64":
		return Base64, true
	case n.Kind == '"' && (s.Format == "date-time" || s.Format == "time"):
		return Formats, strings.ContainsAny(n.Text, "tz") || strings.Contains(n.Text, ":60")
	case n.Kind == '"' && s.Format == "email":
		return Formats, strings.HasPrefix(n.Text, "@") // the validator accepts it
	case n.Kind == '"' && t == durationType:
		_, err := time.ParseDuration(n.Text)
		return Ranges, err != nil
	case n.Kind == '"' && s.Pattern != "" && t.Kind() == reflect.String && problem.Rule == wire.RuleFormat:
		return Strictness, strings.Contains(strings.ToLower(n.Text), `\ud`) // a lone surrogate in the inner text
	case n.Kind == '"' && s.Pattern != "" && isNumeric(t):
		return Ranges, !quotedFits(n.Text, t)
	case n.Kind == '[' && problem.Rule == wire.RuleUniqueItems:
		return Rounding, t.Elem().Kind() == reflect.Float32 || t.Elem().Kind() == reflect.Float64
	}
	return 0, false
}

// keyRefusal explains why a key of a map was refused.
func keyRefusal(all map[string]place, problem wire.Violation) (Exception, bool) {
	for path, at := range all {
		if at.t == nil || at.t.Kind() != reflect.Map || at.n.Kind != '{' {
			continue
		}
		k := at.t.Key()
		for _, m := range at.n.Members {
			if path != problem.Path && joinPath(path, m.Name) != problem.Path {
				continue
			}
			if asKey(k) {
				return Methods, true
			}
			if x, ok := new(big.Int).SetString(m.Name, 10); ok && isNumeric(k) && !inRange(x, k) {
				return Ranges, true
			}
		}
	}
	return 0, false
}

// hasBounds reports whether the schema contains both bounds itself.
func hasBounds(s *Schema) bool {
	return (s.Minimum != nil || s.ExclusiveMinimum != nil) && (s.Maximum != nil || s.ExclusiveMaximum != nil)
}

// isAny reports whether a value has type any, or is inside such a value.
func isAny(t reflect.Type) bool { return t == nil || t.Kind() == reflect.Interface }

func isNumeric(t reflect.Type) bool { return t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64 }

func inRange(x *big.Int, t reflect.Type) bool {
	switch v := reflect.Zero(t); {
	case v.CanInt():
		return x.IsInt64() && !v.OverflowInt(x.Int64())
	case v.CanUint():
		return x.IsUint64() && !v.OverflowUint(x.Uint64())
	}
	return true
}

// quotedFits reports whether the number in a string is within the range of its Go type.
func quotedFits(s string, t reflect.Type) bool {
	if t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64 {
		_, err := strconv.ParseFloat(s, t.Bits())
		return err == nil
	}
	x, ok := new(big.Int).SetString(s, 10)
	return ok && inRange(x, t)
}

// acceptance explains why an invalid value was accepted: it applies the corrections that exceptions
// allow until the value is valid.
func (f forms) acceptance(n *Node, s *Schema, t reflect.Type, valid func(*Node) bool) (Exception, bool) {
	without := f.change(n, s, t, func(at place) *Node { return at.n }, true)
	if valid(without) {
		return AbsentNull, true
	}
	near := f.rounded(without, s, t)
	if valid(near) {
		return Rounding, true
	}
	r := newSource(1, 1)
	decided := f.change(near, s, t, func(at place) *Node {
		if methodical(at.t) && at.s != nil {
			return r.value(at.s, maxDepth)
		}
		return at.n
	}, true)
	if valid(decided) {
		return Methods, true
	}
	return 0, false
}

// change copies a value. It calls replace for every part, and omits the nulls that count as absent.
func (f forms) change(n *Node, s *Schema, t reflect.Type, replace func(place) *Node, drop bool) *Node {
	s, t = s.of(n), f.of(t, n)
	if m := replace(place{n, s, t}); m != n {
		return m
	}
	c := *n
	c.Items, c.Members = nil, nil
	for _, item := range n.Items {
		var items *Schema
		if s != nil {
			items = s.Items
		}
		c.Items = append(c.Items, f.change(item, items, element(t), replace, drop))
	}
	for _, m := range n.Members {
		if drop && absent(s, m) {
			continue
		}
		m.Value = f.change(m.Value, s.property(m.Name), child(t, m.Name), replace, drop)
		c.Members = append(c.Members, m)
	}
	return &c
}
