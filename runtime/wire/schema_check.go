package wire

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// check reports whether a value is valid. With a report it continues after a violation, until the
// report is full.
func (s *valueSchema) check(v any, r *schemaReport) bool {
	if s.values != nil && !s.lists(v) {
		return r.add(s.rule(), func() string { return s.unlisted(v, r) })
	}
	if !s.admits(v) {
		return r.add(RuleType, func() string {
			return "must be " + wanted(s.types) + ", got " + describedValue(v) + s.advice(v, r.d.opts.MaxDepth)
		})
	}
	ok := true
	switch v := v.(type) {
	case string:
		ok = s.checkString(v, r)
	case float64:
		ok = s.checkNumber(v, r)
	case []any:
		ok = s.checkArray(v, r)
	case map[string]any:
		ok = s.checkObject(v, r)
	}
	if s.anyOf != nil && (ok || r != nil) {
		ok = s.checkAnyOf(v, r) && ok
	}
	if s.oneOf != nil && (ok || r != nil) {
		ok = s.checkOneOf(v, r) && ok
	}
	return ok
}

// admits reports whether a value has one of the types.
func (s *valueSchema) admits(v any) bool { return s.types&typeOf(v) != 0 }

// typeOf returns the kind of a value.
func typeOf(v any) valueType {
	switch v := v.(type) {
	case string:
		return stringValue
	case float64:
		if v == math.Trunc(v) {
			return integerValue
		}
		return fractionValue
	case bool:
		return booleanValue
	case []any:
		return arrayValue
	case map[string]any:
		return objectValue
	}
	return nullValue
}

// lists reports whether enum or const contains a value.
func (s *valueSchema) lists(v any) bool {
	return slices.ContainsFunc(s.values, func(x any) bool { return equalValues(x, v) })
}

func (s *valueSchema) rule() string {
	if s.single {
		return RuleConst
	}
	return RuleEnum
}

// unlisted returns the message for a value that enum or const does not contain.
func (s *valueSchema) unlisted(v any, r *schemaReport) string {
	text, ok := v.(string)
	message := oneOf(s.values, appendShown) + ", got "
	if !ok {
		return message + describedValue(v)
	}
	var texts []string
	for _, x := range s.values {
		if x, ok := x.(string); ok {
			texts = append(texts, x)
		}
	}
	if i := r.d.nearest(text, len(texts), func(i int) string { return texts[i] }); i >= 0 {
		return message + quote(text) + "; did you mean " + quote(texts[i]) + "?"
	}
	return message + quote(text)
}

func (s *valueSchema) checkString(v string, r *schemaReport) bool {
	ok := true
	if s.length.least > 0 || s.length.most >= 0 {
		ok = s.length.check(utf8.RuneCountInString(v), "character", r)
	}
	if s.pattern != nil && !s.pattern.match(v) {
		ok = r.add(RulePattern, func() string { return "must match the pattern " + s.pattern.expr + ", got " + quote(v) })
	}
	if s.format != nil {
		if want, is := s.format(v); !is {
			ok = r.add(RuleFormat, func() string { return "must be " + want + ", got " + quote(v) })
		}
	}
	return ok
}

func (s *valueSchema) checkNumber(v float64, r *schemaReport) bool {
	ok := true
	show := func(f float64) string { return string(AppendFloat(nil, f, 64)) }
	for _, b := range s.bounds {
		if b.excludes(cmp.Compare(v, b.limit)) {
			ok = r.add(b.rule, func() string { return "must be " + b.must + show(b.limit) + ", got " + show(v) })
		}
	}
	if s.multipleOf != nil && !parseDecimal(AppendFloat(nil, v, 64)).isMultiple(parseDecimal(s.multipleOf)) {
		ok = r.add(RuleMultipleOf, func() string { return "must be a multiple of " + string(s.multipleOf) + ", got " + show(v) })
	}
	return ok
}

func (s *valueSchema) checkArray(v []any, r *schemaReport) bool {
	ok := s.itemCount.check(len(v), "item", r)
	if s.items != nil && (ok || r != nil) {
		for i, item := range v {
			if s.items.check(item, nil) {
				continue
			}
			if ok = false; r == nil {
				return false
			}
			r.inside("["+strconv.Itoa(i)+"]", s.items, item)
			if r.full() {
				return false
			}
		}
	}
	// Items that violate another rule may be of any kind.
	if s.unique && ok {
		if i, j, twice := repeats(v); twice {
			ok = r.add(RuleUniqueItems, func() string { return repeatedItems(i, j) })
		}
	}
	return ok
}

func (s *valueSchema) checkObject(v map[string]any, r *schemaReport) bool {
	ok := s.entryCount.check(len(v), "entry", r)
	if !ok && r == nil {
		return false
	}
	var unknown []int // indexes of violations by names
	if s.properties != nil || s.closed || s.others != nil {
		names := maps.Keys(v)
		if r != nil {
			names = slices.Values(sortedNames(v)) // so that the messages do not depend on map order
		}
		for name := range names {
			if s.checkMember(name, v[name], r) {
				continue
			}
			if ok = false; r == nil || r.full() {
				return false
			}
			if s.properties[name] == nil && s.closed {
				unknown = append(unknown, len(r.problems)-1)
			}
		}
	}
	var missing []string
	for _, name := range s.required {
		if _, found := v[name]; !found {
			if ok = false; r == nil || r.full() {
				return false
			}
			missing = append(missing, name)
			r.at(name, func() { r.add(RuleRequired, func() string { return "required, but missing" }) })
		}
	}
	if len(unknown) == 1 && len(missing) == 1 {
		if p := &r.problems[unknown[0]]; !strings.Contains(p.Message, "; did you mean ") {
			p.Message = pairedName(p.Message, missing[0])
		}
	}
	return ok
}

func (s *valueSchema) checkMember(name string, v any, r *schemaReport) bool {
	part := s.properties[name]
	switch {
	case part == nil && s.closed:
		if r != nil {
			thing := "field"
			if r.d.depth == 0 && len(r.path) == 0 { // the value is all arguments
				thing = "argument"
			}
			r.at(name, func() {
				r.add(RuleUnknown, func() string {
					message, _ := r.d.unknownName(thing, name, s.names)
					return message
				})
			})
		}
		return false
	case part == nil:
		part = s.others
	}
	if part == nil || part.check(v, nil) {
		return true
	}
	if r != nil {
		r.at(name, func() { part.check(v, r) })
	}
	return false
}

func (s *valueSchema) checkAnyOf(v any, r *schemaReport) bool {
	if slices.ContainsFunc(s.anyOf, func(a *valueSchema) bool { return a.check(v, nil) }) {
		return true
	}
	return r.none(RuleAnyOf, s.anyOf, v)
}

func (s *valueSchema) checkOneOf(v any, r *schemaReport) bool {
	var found []string
	for i, a := range s.oneOf {
		if a.check(v, nil) {
			found = append(found, strconv.Itoa(i+1))
		}
	}
	switch len(found) {
	case 0:
		return r.none(RuleOneOf, s.oneOf, v)
	case 1:
		return true
	}
	return r.add(RuleOneOf, func() string {
		return "must match only one of the " + count(len(s.oneOf), "alternative") + " of its schema, but matches those with the numbers " + strings.Join(found, ", ")
	})
}

// check checks a length or a count.
func (c countLimit) check(n int, thing string, r *schemaReport) bool {
	switch {
	case n < c.least:
		return r.add(c.fewer, func() string { return fewMessage(n, c.least, thing) })
	case c.most >= 0 && n > c.most:
		return r.add(c.greater, func() string { return manyMessage(n, c.most, thing) })
	}
	return true
}

// schemaReport collects violations. A nil report collects nothing.
type schemaReport struct {
	d        *Decoder // counts the names that are compared
	path     []byte   // of the value being checked
	problems []Violation
	limit    int
}

func (r *schemaReport) full() bool { return len(r.problems) >= r.limit }

// add records a violation of the current value, and returns false.
func (r *schemaReport) add(rule string, message func() string) bool {
	if r != nil && !r.full() {
		r.problems = append(r.problems, Violation{Path: string(r.path), Rule: rule, Message: message()})
	}
	return false
}

// at calls do with the path of a member of the current value.
func (r *schemaReport) at(name string, do func()) {
	n := len(r.path)
	r.path = appendPathName(r.path, name)
	do()
	r.path = r.path[:n]
}

// inside checks an element of the current value.
func (r *schemaReport) inside(step string, s *valueSchema, v any) {
	n := len(r.path)
	r.path = append(r.path, step...)
	s.check(v, r)
	r.path = r.path[:n]
}

// shownAlternatives limits the alternatives that a message explains.
const shownAlternatives = 3

// none records that a value matches none of several alternatives, and returns false. If only one
// alternative is meant for values like v, the message explains the violation of that alternative.
func (r *schemaReport) none(rule string, all []*valueSchema, v any) bool {
	if r == nil {
		return false
	}
	fit := matching(all, func(a *valueSchema) bool { return a.kinds()&typeOf(v) != 0 })
	if len(fit) == 0 {
		var types valueType
		for _, a := range all {
			types |= a.kinds()
		}
		return r.add(RuleType, func() string { return "must be " + wanted(types) + ", got " + describedValue(v) })
	}
	if named := matching(fit, func(a *valueSchema) bool { return a.isNamed(v) }); len(named) > 0 {
		fit = named
	}
	if len(fit) == 1 {
		fit[0].check(v, r)
		return false
	}
	return r.add(rule, func() string {
		var b strings.Builder
		b.WriteString("must match one of " + count(len(fit), "alternative"))
		for i, a := range fit[:min(len(fit), shownAlternatives)] {
			first := &schemaReport{d: r.d, limit: 1}
			a.check(v, first)
			b.WriteString("; " + strconv.Itoa(i+1) + ": " + first.problems[0].String())
		}
		return b.String()
	})
}

func matching(all []*valueSchema, is func(*valueSchema) bool) []*valueSchema {
	var out []*valueSchema
	for _, a := range all {
		if is(a) {
			out = append(out, a)
		}
	}
	return out
}

// kinds returns the kinds of values that can be valid, according to types, enumerations and
// alternatives.
func (s *valueSchema) kinds() valueType {
	kinds := s.types
	if s.values != nil {
		var some valueType
		for _, v := range s.values {
			some |= typeOf(v)
		}
		kinds &= some
	}
	for _, list := range [][]*valueSchema{s.anyOf, s.oneOf} {
		var some valueType
		for _, a := range list {
			some |= a.kinds()
		}
		if list != nil {
			kinds &= some
		}
	}
	return kinds
}

// isNamed reports whether no member of an object with an enumeration, such as its kind, excludes
// the schema.
func (s *valueSchema) isNamed(v any) bool {
	object, _ := v.(map[string]any)
	for name, part := range s.properties {
		if member, found := object[name]; found && part.values != nil && !part.lists(member) {
			return false
		}
	}
	return true
}
