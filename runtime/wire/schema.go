package wire

import "sync"

// Schema describes the values of an argument of type any. It is parsed at its first use, and is
// safe for concurrent use.
type Schema struct {
	text string
	once sync.Once
	root *valueSchema
}

// NewSchema returns a schema from its JSON. The schema contains only keywords that a generator
// accepts for a value of any kind; if it is invalid, its first use panics.
func NewSchema(text string) *Schema { return &Schema{text: text} }

func (s *Schema) value() *valueSchema {
	s.once.Do(func() {
		var v any
		d := NewDecoder([]byte(s.text), Options{})
		Any(d, &v)
		if err := d.Finish(); err != nil {
			panic("wire: the schema " + s.text + " is not JSON: " + err.Error())
		}
		s.root = newValueSchema(v)
	})
	return s.root
}

// AnyBySchema is like [Any], for a value that a schema describes. Numbers are compared as float64,
// like they are stored.
func AnyBySchema(d *Decoder, v *any, s *Schema) {
	var x any
	if Any(d, &x); d.failed {
		d.kept = d.pos
		return
	}
	root := s.value()
	y := x
	ok := root.check(x, nil)
	if !ok && d.lenient {
		y = root.relax(x, d.opts.MaxDepth-d.depth, 0)
		ok = root.check(y, nil)
	}
	if ok {
		*v = y
		d.kept = d.pos // an empty string is a value, too
		return
	}
	if !root.choosesBlank() {
		d.kept = d.pos
	}
	if root.isAtomic() {
		d.expectsAtom()
	}
	r := &schemaReport{d: d, path: []byte(d.path()), limit: d.opts.MaxProblems - len(d.problems) + 1}
	root.check(x, r)
	for _, p := range r.problems {
		if d.violate(p.Rule, p.Message); d.more {
			break
		}
		d.problems[len(d.problems)-1].Path = p.Path
	}
	d.failed = true
}

// valueSchema is a schema, or a part of it. Its parts form a tree: there are no references.
// Therefore each part is compared with each value at most once per check.
type valueSchema struct {
	types  valueType
	values []any // of enum and const
	single bool  // the value is from const

	bounds     []valueBound
	multipleOf []byte

	length  countLimit
	pattern *Regexp
	format  FormatChecker

	items     *valueSchema
	itemCount countLimit
	unique    bool

	properties map[string]*valueSchema
	names      Fields // of the properties, in order
	required   []string
	closed     bool
	others     *valueSchema
	entryCount countLimit

	anyOf, oneOf []*valueSchema
}

// valueType is a set of kinds of values.
type valueType uint8

const (
	stringValue valueType = 1 << iota
	fractionValue
	integerValue
	booleanValue
	arrayValue
	objectValue
	nullValue

	allValues = 1<<iota - 1
)

// valueTypes are the types of JSON Schema, in the order of messages. A type includes later ones
// whose bits it contains.
var valueTypes = []struct {
	bits       valueType
	name, want string
}{
	{stringValue, "string", "a string"}, {fractionValue | integerValue, "number", "a number"}, {integerValue, "integer", "an integer"},
	{booleanValue, "boolean", "a boolean"}, {arrayValue, "array", "an array"}, {objectValue, "object", "an object"}, {nullValue, "null", "null"},
}

// valueBound is a minimum or maximum for numbers.
type valueBound struct {
	rule, must string
	limit      float64
	excludes   func(c int) bool // compares the number with the limit
}

// countLimit limits a length or a count.
type countLimit struct {
	least, most    int // -1 for no limit
	fewer, greater string
}

// Formats contains the formats that a schema may use, by name. It must not be changed.
var Formats = map[string]FormatChecker{
	"date": FormatDate, "date-time": FormatDateTime, "time": FormatTime, "email": FormatEmail, "hostname": FormatHostname,
	"ipv4": FormatIPv4, "ipv6": FormatIPv6, "uri": FormatURI, "uuid": FormatUUID,
}

// newValueSchema returns a schema from its members.
func newValueSchema(v any) *valueSchema {
	s := &valueSchema{
		types:      allValues,
		length:     countLimit{-1, -1, RuleMinLength, RuleMaxLength},
		itemCount:  countLimit{-1, -1, RuleMinItems, RuleMaxItems},
		entryCount: countLimit{-1, -1, RuleMinProperties, RuleMaxProperties},
	}
	for name, v := range v.(map[string]any) {
		s.set(name, v)
	}
	return s
}

// set sets one keyword.
func (s *valueSchema) set(name string, v any) {
	switch name {
	case "type":
		for _, t := range valueTypes {
			if t.name == v {
				s.types = t.bits
			}
		}
	case RuleEnum:
		s.values = v.([]any)
	case RuleConst:
		s.values, s.single = []any{v}, true
	case RuleMinimum:
		s.bound(name, "at least ", v, func(c int) bool { return c < 0 })
	case RuleExclusiveMinimum:
		s.bound(name, "greater than ", v, func(c int) bool { return c <= 0 })
	case RuleMaximum:
		s.bound(name, "at most ", v, func(c int) bool { return c > 0 })
	case RuleExclusiveMaximum:
		s.bound(name, "less than ", v, func(c int) bool { return c >= 0 })
	case RuleMultipleOf:
		s.multipleOf = AppendFloat(nil, v.(float64), 64)
	case RuleMinLength:
		s.length.least = int(v.(float64))
	case RuleMaxLength:
		s.length.most = int(v.(float64))
	case RulePattern:
		s.pattern = NewPattern(v.(string))
	case RuleFormat:
		s.format = Formats[v.(string)]
	case "items":
		s.items = newValueSchema(v)
	case RuleMinItems:
		s.itemCount.least = int(v.(float64))
	case RuleMaxItems:
		s.itemCount.most = int(v.(float64))
	case RuleUniqueItems:
		s.unique = v.(bool)
	case "properties":
		s.properties = map[string]*valueSchema{}
		for _, name := range sortedNames(v.(map[string]any)) {
			s.properties[name] = newValueSchema(v.(map[string]any)[name])
			s.names = append(s.names, Field{Name: name})
		}
	case RuleRequired:
		for _, name := range v.([]any) {
			s.required = append(s.required, name.(string))
		}
	case "additionalProperties":
		if _, ok := v.(bool); ok {
			s.closed = v == false
		} else {
			s.others = newValueSchema(v)
		}
	case RuleMinProperties:
		s.entryCount.least = int(v.(float64))
	case RuleMaxProperties:
		s.entryCount.most = int(v.(float64))
	case RuleAnyOf:
		s.anyOf = newValueSchemas(v)
	case RuleOneOf:
		s.oneOf = newValueSchemas(v)
	default:
		panic("wire: a schema has the keyword " + name)
	}
}

func (s *valueSchema) bound(rule, must string, v any, excludes func(int) bool) {
	s.bounds = append(s.bounds, valueBound{rule, must, v.(float64), excludes})
}

func newValueSchemas(v any) []*valueSchema {
	var out []*valueSchema
	for _, v := range v.([]any) {
		out = append(out, newValueSchema(v))
	}
	return out
}
