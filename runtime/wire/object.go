package wire

import (
	"math/bits"
	"strings"
)

// Fields describes the members of an object, in the order in which they are expected; any other
// order is valid, and a little slower. It must not be changed, and can be shared.
type Fields []Field

// Field describes one member of an object.
type Field struct {
	Must string // the name of a member that is required, without escapes
	Name string // the name of any other member
	// Null passes a null to the code that reads the member. Without it, a null counts as absent if
	// the member is optional; if the member is required, the code gets the null and usually refuses
	// it.
	Null bool
	// ReadOnly refuses a member that only results contain. Lenient mode skips it. Such fields come
	// after the others, and the loop does not get them.
	ReadOnly bool
	// Aliases are former names, which are read like the name. An object that contains two names of
	// one field is a violation.
	Aliases []string
}

func (f *Field) name() string {
	if f.Must != "" {
		return f.Must
	}
	return f.Name
}

func (f *Field) required() bool { return f.Must != "" }

// ReadOnlyMessage is the message of the violation by a field that is ReadOnly.
const ReadOnlyMessage = "read-only: only results have it, so leave it out"

// Object reads the members of one object. Its loop is
//
//	for o := d.Object(fields); o.Next(); {
//		switch o.Name() { ... }
//	}
//
// Objects belong to their decoder and are used again: an Object is not cleared at its end, so it
// must not refer to the data.
type Object struct {
	d        *Decoder // nil after the end
	name     string   // of the current member
	fields   Fields
	seen     uint64   // fields that came, among the first 64
	seenMore []uint64 // fields that came, among the others
	expected int      // next field, if members come in the order of the table
	value    int      // start of the member's value, -1 before the first
	optional bool     // the member may be missing
	problems int      // violations before the value
	keys     int      // where the names of this object begin in Decoder.keys
	isOpen   bool     // Next returns unknown members too
	stray    int      // index of the violation by the only unknown member, plus one; -1 for several
	meant    int      // index of the field that this member probably meant, plus one
}

// noObject is the object of a value that is none. It never changes.
var noObject Object

// Object begins an object with these members and no others. Next detects unknown, missing and
// duplicate names. A value that is not an object is a violation, and Next returns false at once.
func (d *Decoder) Object(fields Fields) *Object {
	// Generated code calls it in each function that reads an object: it is too large to be inlined
	// there, unlike a function that calls another one.
	if !d.begin('{', "an object") {
		return &noObject
	}
	o := d.nextObject()
	o.d, o.fields, o.isOpen = d, fields, false
	o.seen, o.expected, o.value, o.optional = 0, 0, -1, false
	o.stray, o.meant = 0, 0
	o.keys = d.keys.len()
	if len(fields) > 64 {
		o.seenMore = make([]uint64, (len(fields)-1)/64)
	}
	return o
}

// OpenObject is like Object, but Next also returns unknown members. It skips those that the code
// does not read.
func (d *Decoder) OpenObject(fields Fields) *Object {
	o := d.Object(fields)
	if o != &noObject {
		o.isOpen = true
	}
	return o
}

// begin reads the brace or bracket that opens an object or an array. It returns false for any other
// value.
func (d *Decoder) begin(brace byte, want string) bool {
	d.failed = false
	c := d.peek()
	if c != brace {
		if c != '"' || !d.lenient || !d.enterQuotedJSON(brace) {
			d.mismatch(want)
			d.kept = d.pos
			return false
		}
	}
	return d.enter()
}

// Name returns the name of the current member.
func (o *Object) Name() string { return o.name }

// Pick returns one of several pointers, for the current member, so that members that are read alike
// share the code. The bits of among are the rows of these members in the table, in the order of the
// pointers; the current member is one of them.
func Pick[T any](o *Object, among uint64, pointers ...*T) *T {
	before := uint64(1)<<((o.expected-1)&63) - 1
	return pointers[bits.OnesCount64(among&before)]
}

// Next advances to the next member and reports whether one exists. The code in the loop reads its
// value, or leaves it to Next to skip.
func (o *Object) Next() bool {
	d := o.d
	if d == nil {
		return false
	}
	if d.pos >= d.checkAt {
		d.check()
	}
	if d.lenient {
		d.acceptBlank(o)
	}
	for {
		if o.value == d.pos {
			d.skip()
		}
		if field := d.quickMember(o); field != nil {
			c := d.peek()
			if c == 0 {
				d.unexpected("a value")
				return false
			}
			if o.take(field, c) {
				return true
			}
		} else if found, ok := o.slowNext(); found || !ok {
			return found
		}
	}
}

// quickMember reads the comma, the name and the colon of a member if there is no white space
// between them, the name is plain ASCII and one of the first 64 of the table, and it is not a
// duplicate. Otherwise it returns nil and reads nothing. Members in the order of the table need no
// search.
func (d *Decoder) quickMember(o *Object) *Field {
	data, i := d.data, d.pos
	if o.value >= 0 {
		if i >= len(data) || data[i] != ',' {
			return nil
		}
		i++
	}
	if i >= len(data) || data[i] != '"' {
		return nil
	}
	start := i + 1
	end := plainEnd(data, start)
	if end+1 >= len(data) || data[end] != '"' || data[end+1] != ':' {
		return nil
	}
	for j := o.expected; j < len(o.fields); j++ {
		field := &o.fields[j]
		if string(data[start:end]) == field.name() {
			if j >= 64 || o.seen&(1<<j) != 0 {
				return nil
			}
			o.seen |= 1 << j
			o.expected = j + 1
			d.pos = end + 2
			return field
		}
	}
	return nil
}

// take begins a known member whose value begins with c. It returns false for a null that counts as
// absent, and for a read-only member.
func (o *Object) take(field *Field, c byte) bool {
	d := o.d
	o.value, o.optional, o.problems = d.pos, !field.required(), len(d.problems)
	d.kept = 0
	if field.ReadOnly {
		if !d.lenient && !d.opts.SkipUnknown {
			d.violate(RuleUnknown, ReadOnlyMessage)
		}
		o.optional = false
		return false
	}
	if c == 'n' && !field.Null && !field.required() {
		d.readWord("null")
		return false
	}
	o.name = field.name()
	d.failed = false
	return true
}

// slowNext advances to the next member of any form. It reports whether the code in the loop reads
// that member; ok is false at the end and at a syntax error.
func (o *Object) slowNext() (found, ok bool) {
	d := o.d
	c := d.peek()
	switch {
	case c == '}':
		o.end()
		return false, false
	case o.value < 0:
	case c == ',':
		d.pos++
		c = d.peek()
	default:
		d.unexpected("a comma or a closing brace")
		return false, false
	}
	if c != '"' {
		d.unexpected("a member name in quotes")
		return false, false
	}
	return o.member()
}

// end closes an object and records the missing members.
func (o *Object) end() {
	d := o.d
	d.pos++
	if n := len(o.fields); n > 64 || o.seen != 1<<n-1 {
		missing, last := 0, 0
		for i := range o.fields {
			if field := &o.fields[i]; field.required() && !o.has(i) {
				missing, last = missing+1, i
				d.violateMember(field.name(), RuleRequired, "required, but missing")
			}
		}
		if missing == 1 && o.stray > 0 && (o.meant == 0 || o.has(o.meant-1)) {
			p := &d.problems[o.stray-1]
			p.Message = pairedName(p.Message, o.fields[last].name())
		}
	}
	d.keys.truncate(o.keys)
	d.open--
	d.leave()
	d.failed = false
	o.d = nil
	if o.isOpen {
		o.name = "" // perhaps a long one of the client
	}
}

// member reads a name, whose opening quote has been seen, and the colon, with the results of
// slowNext.
func (o *Object) member() (found, ok bool) {
	d := o.d
	start := d.pos
	key, escaped := d.readString()
	i := o.find(key)
	if i < 0 {
		if escaped {
			key = append([]byte(nil), key...)
		}
		if !d.keepName(o.keys, start, key) {
			return false, false
		}
		if i = o.findAlias(key); i < 0 {
			return o.unknown(key)
		}
	}
	if o.has(i) {
		if d.hasAlias(o, i) {
			return o.twice(&o.fields[i])
		}
		d.pos = start
		d.duplicate(string(key))
		return false, false
	}
	c := d.colon()
	if c == 0 {
		return false, false
	}
	o.mark(i)
	o.expected = i + 1
	return o.take(&o.fields[i], c), d.err == nil
}

// unknown handles an unknown member.
func (o *Object) unknown(key []byte) (found, ok bool) {
	d := o.d
	if d.colon() == 0 {
		return false, false
	}
	o.value, o.optional = d.pos, false
	if o.isOpen {
		o.name = string(key)
		d.failed = false
		return true, true
	}
	if !d.opts.SkipUnknown {
		message, meant := d.unknownMember(string(key), o.fields)
		before := len(d.problems)
		d.violate(RuleUnknown, message)
		if o.meant = meant + 1; o.stray != 0 || len(d.problems) == before {
			o.stray = -1
		} else {
			o.stray = len(d.problems)
		}
	}
	d.skip()
	return false, d.err == nil
}

// colon reads the colon after a name and returns the first byte of the value, 0 at a syntax error.
func (d *Decoder) colon() byte {
	if d.peek() != ':' {
		d.unexpected("a colon")
		return 0
	}
	d.pos++
	c := d.peek()
	if c == 0 {
		d.unexpected("a value")
	}
	return c
}

// duplicate stops the reading at a name that the object already contains.
func (d *Decoder) duplicate(key string) {
	if d.err == nil {
		d.syntaxError("duplicate key " + quote(key))
		d.err.Duplicate = true
	}
}

// find returns the index of a field, or -1.
func (o *Object) find(key []byte) int {
	for i := range o.fields {
		if o.fields[i].name() == string(key) {
			return i
		}
	}
	return -1
}

func (o *Object) has(i int) bool {
	if i < 64 {
		return o.seen&(1<<i) != 0
	}
	return o.seenMore[i/64-1]&(1<<(i%64)) != 0
}

func (o *Object) mark(i int) {
	if i < 64 {
		o.seen |= 1 << i
	} else {
		o.seenMore[i/64-1] |= 1 << (i % 64)
	}
}

// unknownMember returns the message for an unknown name, and the index of the field that was
// probably meant, or -1.
func (d *Decoder) unknownMember(name string, fields Fields) (message string, meant int) {
	for len(fields) > 0 && fields[len(fields)-1].ReadOnly {
		fields = fields[:len(fields)-1]
	}
	if d.depth == 1 {
		return d.unknownName("argument", name, fields)
	}
	return d.unknownName("field", name, fields)
}

// pairedName is the message for the only unknown name of an object, which probably meant the only
// missing member.
func pairedName(message, missing string) string {
	what, _, _ := strings.Cut(message, ";")
	what, _, _ = strings.Cut(what, ".")
	_, known, _ := strings.Cut(message, " Known: ")
	return what + "; did you mean " + quote(missing) + ", which is missing? Known: " + known
}
