package reference

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/jsontree"
)

// exampleCall returns the params of a valid call, as JSON, or "" if it finds none: a schema that
// was written by hand can require anything.
func exampleCall(name string, input *jsontree.Value) string {
	arguments := &jsontree.Value{Kind: jsontree.Object}
	if input != nil {
		made, ok := example(schema{input, input}, 0, 0)
		if !ok || made.Kind != jsontree.Object {
			return ""
		}
		arguments = made
	}
	call := &jsontree.Value{Kind: jsontree.Object, Members: []jsontree.Member{
		{Name: "name", Value: &jsontree.Value{Kind: jsontree.Text, Text: name}}, {Name: "arguments", Value: arguments},
	}}
	return indented(call)
}

// hard are keywords that example does not evaluate.
var hard = []string{"not", "if", "dependentSchemas", "dependentRequired", "contains", "unevaluatedProperties", "unevaluatedItems", "minProperties", "$dynamicRef", "prefixItems"}

// example makes a value that is valid under a schema. Values with another variant differ, if the
// schema allows that. It returns false if it cannot make one.
func example(s schema, variant, depth int) (v *jsontree.Value, ok bool) {
	list, ref := s.resolved()
	if depth > 2*maxDepth || ref != "" && s.root.Target(ref) == nil {
		return nil, false
	}
	for _, part := range list {
		if slices.ContainsFunc(hard, func(k string) bool { return part.Get(k) != nil }) {
			return nil, false
		}
	}
	if len(list) > 1 && slices.ContainsFunc(list[0].Members, isConstraint) {
		return nil, false // the value would have to satisfy both
	}
	if chosen := s.chosen(variant); chosen != nil {
		return chosen, true
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		if some := s.get(keyword); some != nil {
			return s.alternative(keyword, some.Items, variant, depth)
		}
	}
	typ := s.get("type")
	names := []string{"string"}
	if typ.Is(jsontree.Text) {
		names = []string{typ.Text}
	} else if typ != nil {
		names = nil
		for _, item := range typ.Items {
			names = append(names, item.Text)
		}
		slices.SortStableFunc(names, func(a, b string) int { return boolean(a == "null") - boolean(b == "null") })
	}
	for _, name := range names {
		if v, ok := s.ofType(name, variant, depth); ok {
			return v, true
		}
	}
	return nil, false
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// isConstraint reports whether a keyword limits values.
func isConstraint(m jsontree.Member) bool {
	return !slices.Contains([]string{"$ref", "title", "description", "default", "examples", "deprecated", "$defs", "$schema", "$id"}, m.Name)
}

// chosen returns a value that the schema names, or nil. The generator has checked examples and
// defaults.
func (s schema) chosen(variant int) *jsontree.Value {
	for _, keyword := range []string{"examples", "enum"} {
		if list := s.get(keyword); list != nil && len(list.Items) > variant {
			return list.Items[variant]
		}
	}
	for _, keyword := range []string{"const", "default"} {
		if v := s.get(keyword); v != nil && variant == 0 {
			return v
		}
	}
	return nil
}

// alternative makes a value for one of several schemas. Only annotations are allowed beside them,
// since it does not combine constraints.
func (s schema) alternative(keyword string, items []*jsontree.Value, variant, depth int) (*jsontree.Value, bool) {
	list, _ := s.resolved()
	for _, part := range list {
		for _, m := range part.Members {
			if m.Name != keyword && m.Name != "type" && m.Name != "discriminator" && isConstraint(m) {
				return nil, false
			}
		}
	}
	if keyword == "allOf" && len(items) > 1 {
		return nil, false
	}
	isNull := func(item *jsontree.Value) bool {
		return s.in(item).get("type") != nil && s.in(item).get("type").Text == "null"
	}
	items = slices.Clone(items)
	slices.SortStableFunc(items, func(a, b *jsontree.Value) int { return boolean(isNull(a)) - boolean(isNull(b)) })
	for _, item := range items {
		if v, ok := example(s.in(item), variant, depth+1); ok {
			return v, true
		}
	}
	return nil, false
}

func (s schema) ofType(name string, variant, depth int) (*jsontree.Value, bool) {
	switch name {
	case "boolean":
		if variant > 0 {
			return jsontree.False, variant == 1
		}
		return jsontree.True, true
	case "null":
		return &jsontree.Value{Kind: jsontree.Null, Text: "null"}, variant == 0
	case "integer", "number":
		return s.number(variant)
	case "string":
		return s.text(variant)
	case "array":
		return s.array(variant, depth)
	case "object":
		return s.object(variant, depth)
	}
	return nil, false
}

// number returns a valid number, 1 or near 1 if possible.
func (s schema) number(variant int) (*jsontree.Value, bool) {
	bound := func(name string) *big.Rat {
		if v := s.get(name); v != nil {
			if r, ok := new(big.Rat).SetString(v.Text); ok {
				return r
			}
		}
		return nil
	}
	least, most, step := bound("minimum"), bound("maximum"), bound("multipleOf")
	above, below := bound("exclusiveMinimum"), bound("exclusiveMaximum")
	if step == nil || step.Sign() <= 0 {
		step = big.NewRat(1, 1)
	}
	fits := func(n *big.Rat) bool {
		return (least == nil || n.Cmp(least) >= 0) && (most == nil || n.Cmp(most) <= 0) &&
			(above == nil || n.Cmp(above) > 0) && (below == nil || n.Cmp(below) < 0)
	}
	// Multiples of the step, starting at the bound and beginning with the one nearest to 1.
	starts := []*big.Rat{big.NewRat(1, 1), big.NewRat(0, 1), least, above, most, below}
	for _, start := range starts {
		if start == nil {
			continue
		}
		quotient := new(big.Rat).Quo(start, step)
		whole := new(big.Int).Div(quotient.Num(), quotient.Denom())
		if !quotient.IsInt() {
			whole.Add(whole, big.NewInt(1)) // rounds up
		}
		for _, off := range []int64{0, 1, -1} {
			times := new(big.Int).Add(whole, big.NewInt(off+int64(variant)))
			if n := new(big.Rat).Mul(new(big.Rat).SetInt(times), step); fits(n) {
				return &jsontree.Value{Kind: jsontree.Number, Text: decimal(n)}, true
			}
		}
	}
	// A range without an integer.
	low, high := firstRat(least, above), firstRat(most, below)
	if low != nil && high != nil {
		least = new(big.Rat).Quo(new(big.Rat).Add(low, high), big.NewRat(2, 1))
	}
	for _, n := range []*big.Rat{least, most} {
		if t := s.get("type"); n != nil && fits(n) && variant == 0 && s.get("multipleOf") == nil && t != nil && t.Text == "number" {
			return &jsontree.Value{Kind: jsontree.Number, Text: decimal(n)}, true
		}
	}
	return nil, false
}

func firstRat(list ...*big.Rat) *big.Rat {
	for _, n := range list {
		if n != nil {
			return n
		}
	}
	return nil
}

// decimal writes a number whose denominator has no prime factors other than 2 and 5.
func decimal(n *big.Rat) string {
	if n.IsInt() {
		return n.Num().String()
	}
	digits, exact := n.FloatPrec()
	if !exact {
		digits = 20
	}
	return n.FloatString(digits)
}

func (s schema) array(variant, depth int) (*jsontree.Value, bool) {
	count := 1
	if v := s.get("maxItems"); v != nil && v.Text == "0" {
		count = 0
	}
	if v := s.get("minItems"); v != nil {
		if _, err := fmt.Sscan(v.Text, &count); err != nil || count > 100 {
			return nil, false
		}
		if maximum := s.get("maxItems"); maximum == nil || maximum.Text != "0" {
			count = max(count, 1)
		}
	}
	items := s.get("items")
	list := &jsontree.Value{Kind: jsontree.Array}
	unique := s.get("uniqueItems") != nil
	for i := range count {
		at := s.in(items)
		if !items.Is(jsontree.Object) {
			at = s.in(&jsontree.Value{Kind: jsontree.Object})
		}
		v, ok := example(at, variant+i*boolean(unique), depth+1)
		if !ok {
			return list, s.get("minItems") == nil && variant == 0
		}
		list.Items = append(list.Items, v)
	}
	return list, true
}

// object returns an object with the required members, and those with an example; a map is empty.
func (s schema) object(variant, depth int) (*jsontree.Value, bool) {
	o := &jsontree.Value{Kind: jsontree.Object}
	needed := map[string]bool{}
	if list := s.get("required"); list != nil {
		for _, item := range list.Items {
			needed[item.Text] = true
		}
	}
	properties := s.get("properties")
	if properties != nil && (s.get("patternProperties") != nil || s.get("propertyNames") != nil) {
		return nil, false // the names would have to match
	}
	if properties != nil {
		for _, p := range properties.Members {
			member := s.in(p.Value)
			if !needed[p.Name] && member.get("examples") == nil {
				continue
			}
			v, ok := example(member, variant, depth+1)
			if !ok && needed[p.Name] {
				return nil, false
			}
			if ok {
				o.Members = append(o.Members, jsontree.Member{Name: p.Name, Value: v})
			}
		}
	}
	for name := range needed {
		if o.Get(name) == nil {
			return nil, false
		}
	}
	return o, true
}

// formats contains a text for each format that the generator writes, where %d is the variant.
var formats = map[string]string{
	"date-time": "2026-01-31T12:00:%02dZ", "date": "2026-01-%02d", "time": "12:00:%02dZ", "duration": "PT%dS",
	"email": "ada%d@example.com", "idn-email": "ada%d@example.com", "hostname": "host%d.example.com", "idn-hostname": "host%d.example.com",
	"uri": "https://example.com/%d", "uri-reference": "/%d", "iri": "https://example.com/%d", "iri-reference": "/%d",
	"ipv4": "192.0.2.%d", "ipv6": "2001:db8::%d", "uuid": "123e4567-e89b-12d3-a456-4266141740%02d",
	"regex": "a{%d}", "json-pointer": "/%d", "byte": "dGV4dA==", "uri-template": "https://example.com/{a%d}",
}

// text returns a text in the format, a text that matches the pattern, or the word text.
func (s schema) text(variant int) (*jsontree.Value, bool) {
	least, most := 0, 1<<20
	for name, to := range map[string]*int{"minLength": &least, "maxLength": &most} {
		if v := s.get(name); v != nil {
			if _, err := fmt.Sscan(v.Text, to); err != nil {
				return nil, false
			}
		}
	}
	var made string
	format, pattern, encoding := s.get("format"), s.get("pattern"), s.get("contentEncoding")
	switch {
	case pattern != nil:
		var ok bool
		if made, ok = matching(pattern.Text, least, most); !ok || variant > 0 || format != nil {
			return nil, false
		}
	case encoding != nil:
		made = "dGV4dA=="
		if encoding.Text != "base64" || variant > 0 {
			return nil, false
		}
	case format != nil:
		form, ok := formats[format.Text]
		if !ok {
			form = "text"
		}
		if made = form; strings.Contains(form, "%") {
			made = fmt.Sprintf(form, variant+1)
		} else if variant > 0 {
			return nil, false
		}
	default:
		made = "text"
		if variant > 0 {
			made = fmt.Sprint(made, variant)
		}
		if n := utf8.RuneCountInString(made); n < least && least < 1000 {
			made += strings.Repeat("x", least-n)
		}
		if len(made) > most && variant == 0 {
			made = made[:most]
		}
	}
	n := utf8.RuneCountInString(made)
	return &jsontree.Value{Kind: jsontree.Text, Text: made}, n >= least && n <= most
}
