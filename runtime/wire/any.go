package wire

// Any reads a value of any kind as encoding/json does into an interface: a map
// from string, a slice, a float64, a string, a boolean, or nil for null. A number
// beyond the range of float64 is a violation.
func Any(d *Decoder, v *any) {
	before := d.trouble()
	d.failed = false
	x := d.any()
	if d.err == nil && d.trouble() == before {
		*v = x
		return
	}
	d.failed = true
}

func (d *Decoder) any() any {
	switch c := d.peek(); c {
	case '"':
		start := d.pos + 1
		b, escaped := d.readString()
		if d.err != nil {
			return nil
		}
		return d.cut(b, start, escaped)
	case '{':
		return d.anyObject()
	case '[':
		return d.anyArray()
	case 't':
		return d.readWord("true")
	case 'f':
		return !d.readWord("false")
	case 'n':
		d.readWord("null")
		return nil
	default:
		if c != '-' && (c < '0' || c > '9') {
			d.unexpected("a value")
			return nil
		}
		f, _ := d.readFloat(64)
		return f
	}
}

func (d *Decoder) anyArray() any {
	if !d.enter() {
		return nil
	}
	d.push()
	s := []any{}
	for d.element() {
		s = append(s, d.any())
	}
	if d.err == nil {
		d.pop()
	}
	return s
}

func (d *Decoder) anyObject() any {
	if !d.enter() {
		return nil
	}
	d.push()
	m := map[string]any{}
	for first := true; d.mapMember(first); first = false {
		name := d.frames[len(d.frames)-1].name
		n := len(m)
		if m[name] = d.any(); len(m) == n && d.err == nil {
			d.duplicateMember()
			return nil
		}
	}
	if d.err == nil {
		d.pop()
	}
	return m
}
