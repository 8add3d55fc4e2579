package wire

// Any reads a value of any kind as encoding/json does into an interface: a map from string, a
// slice, a float64, a string, a boolean, or nil for null. A number beyond the range of float64 is a
// violation.
func Any(d *Decoder, v *any) {
	before := d.problemCount()
	d.failed = false
	x := d.any()
	if d.err == nil && d.problemCount() == before {
		*v = x
		return
	}
	d.failed = true
}

func (d *Decoder) any() any {
	switch c := d.peek(); c {
	case '"':
		b, _ := d.readString()
		if d.err != nil {
			return nil
		}
		return d.keep(b)
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
	s := []any{}
	for first := true; d.next(']', first); first = false {
		s = append(s, d.any())
	}
	d.depth--
	return s
}

func (d *Decoder) anyObject() any {
	if !d.enter() {
		return nil
	}
	m := map[string]any{}
	for first := true; d.next('}', first); first = false {
		name, start, ok := d.mapMember()
		if !ok {
			break
		}
		n := len(m)
		if m[name] = d.any(); len(m) == n && d.err == nil {
			d.duplicateMember(name, start)
			return nil
		}
	}
	d.depth--
	return m
}
