package wire

import (
	"strconv"
	"strings"
)

// Fields describes the members of an object, in the order in which they are
// expected; another order is as right, and a little slower. It is never changed
// and can be shared.
type Fields []Field

// Field describes one member of an object.
type Field struct {
	Name     string
	Required bool
	// Null hands a null to the code that reads the member. Otherwise a null
	// counts as absent where the member is not required, and where it is, it
	// is up to that code, which mostly refuses it.
	Null bool
}

// Object is an object that is being read. Its loop is
//
//	for o := d.Object(fields); o.Next(); {
//		switch o.Name() { ... }
//	}
type Object struct {
	d     *Decoder
	level int
}

// Object begins to read an object that has these members and no others. Names
// that are unknown, missing or duplicate are found by Next. Where the value is
// not an object, that is a violation, and Next is false at once.
func (d *Decoder) Object(f Fields) Object { return d.object(f, false) }

// OpenObject is like Object, but members that are not among the fields come up
// as well. What the code does not read of them is skipped.
func (d *Decoder) OpenObject(f Fields) Object { return d.object(f, true) }

func (d *Decoder) object(fields Fields, open bool) Object {
	f := d.begin('{', "an object")
	if f == nil {
		return Object{}
	}
	f.fields, f.isOpen = fields, open
	if len(fields) > 64 {
		f.seenMore = make([]uint64, (len(fields)-1)/64)
	}
	return Object{d, len(d.frames) - 1}
}

// begin reads the brace or bracket that opens an object or an array, and opens
// a level of the path. It returns nil where something else comes.
func (d *Decoder) begin(brace byte, want string) *frame {
	d.failed = false
	var outer *input
	c := d.peek()
	if c == '"' && d.opts.Lenient {
		if outer = d.enterText(brace); outer != nil {
			c = brace
		}
	}
	if c != brace {
		d.mismatch(want)
		return nil
	}
	if !d.enter() {
		return nil
	}
	f := d.push()
	f.outer = outer
	return f
}

// Name returns the name of the member that Next has found.
func (o *Object) Name() string { return o.d.frames[o.level].name }

// Next moves on to the next member and reports whether there is one. The code in
// the loop reads its value; what it leaves is skipped.
func (o *Object) Next() bool {
	d := o.d
	if d == nil || d.err != nil {
		return false
	}
	f := &d.frames[o.level]
	for {
		if f.isBegun && f.value == d.pos {
			d.skip()
		}
		c := d.peek()
		switch {
		case c == '}' && d.err == nil:
			o.end(f)
			return false
		case !f.isBegun:
		case c == ',':
			d.pos++
			c = d.peek()
		default:
			d.unexpected("a comma or a closing brace")
			return false
		}
		if c != '"' {
			d.unexpected("a member name in quotes")
			return false
		}
		f.isBegun = true
		found, ok := d.member(f)
		if !ok {
			return false
		}
		if found {
			d.failed = false
			return true
		}
	}
}

// end closes an object and notes what is missing.
func (o *Object) end(f *frame) {
	d := o.d
	d.pos++
	for i := range f.fields {
		if field := &f.fields[i]; field.Required && !f.has(i) {
			f.name, f.isNamed = field.Name, true
			d.violate(RuleRequired, "required, but missing")
		}
	}
	d.pop()
	d.failed = false
	o.d = nil
}

// member reads a name and the colon behind it. It reports whether the member is
// one to be read by the code in the loop, and false for ok at a syntax error.
func (d *Decoder) member(f *frame) (found, ok bool) {
	start := d.pos
	key, escaped := d.readString()
	if d.err != nil {
		return false, false
	}
	i := f.find(key)
	if i < 0 {
		if escaped {
			key = append([]byte(nil), key...)
		}
		if !d.keys.add(f.keys, key) {
			d.pos = start
			d.duplicate(string(key))
			return false, false
		}
		return d.unknown(f, key)
	}
	if f.has(i) {
		d.pos = start
		d.duplicate(string(key))
		return false, false
	}
	f.mark(i)
	f.expected = i + 1
	f.name, f.isNamed = f.fields[i].Name, true
	c := d.colon()
	f.value = d.pos
	if c == 'n' && !f.fields[i].Null && !f.fields[i].Required {
		return false, d.readWord("null")
	}
	return c != 0, c != 0
}

// unknown deals with a member that is not among the fields.
func (d *Decoder) unknown(f *frame, key []byte) (found, ok bool) {
	f.name, f.isNamed = "", true
	if f.isOpen || len(d.problems) < d.opts.MaxProblems {
		f.name = string(key)
	}
	if d.colon() == 0 {
		return false, false
	}
	f.value = d.pos
	if f.isOpen {
		return true, true
	}
	if len(d.problems) < d.opts.MaxProblems {
		d.violate(RuleUnknown, unknownMember(f.name, f.fields, len(d.frames) == 1))
	} else {
		d.violate(RuleUnknown, "")
	}
	d.skip()
	return false, d.err == nil
}

// colon reads the colon behind a name and returns the first byte of the value,
// 0 at a syntax error.
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

// duplicate stops the reading at a name that came before in the same object.
func (d *Decoder) duplicate(key string) {
	f := &d.frames[len(d.frames)-1]
	f.isNamed = false
	d.syntaxError("duplicate key " + quote(key))
}

// find returns the index of a field, -1 for none.
func (f *frame) find(key []byte) int {
	if i := f.expected; i < len(f.fields) && f.fields[i].Name == string(key) {
		return i
	}
	for i := range f.fields {
		if f.fields[i].Name == string(key) {
			return i
		}
	}
	return -1
}

func (f *frame) has(i int) bool {
	if i < 64 {
		return f.seen&(1<<i) != 0
	}
	return f.seenMore[i/64-1]&(1<<(i%64)) != 0
}

func (f *frame) mark(i int) {
	if i < 64 {
		f.seen |= 1 << i
	} else {
		f.seenMore[i/64-1] |= 1 << (i % 64)
	}
}

// unknownMember words the violation of a name that is not among the fields.
func unknownMember(name string, fields Fields, isRoot bool) string {
	thing := "field"
	if isRoot {
		thing = "argument"
	}
	var b strings.Builder
	b.WriteString("unknown " + thing + "; ")
	if len(fields) == 0 {
		b.WriteString("there are no " + thing + "s")
		return b.String()
	}
	nearest := nearest(name, len(fields), func(i int) string { return fields[i].Name })
	if nearest >= 0 {
		b.WriteString("did you mean " + quote(fields[nearest].Name) + "? ")
	}
	b.WriteString("Known: ")
	for i := range fields {
		if i > 0 {
			b.WriteString(", ")
		}
		if i == shownNames {
			b.WriteString("and " + strconv.Itoa(len(fields)-i) + " more")
			break
		}
		b.WriteString(fields[i].Name)
	}
	return b.String()
}
