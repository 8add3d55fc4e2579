package limit

import "strconv"

// reader reads strict JSON: no duplicate keys at any level, valid UTF-8, no lone surrogates, at
// most 512 levels. After the first error its position is the end.
type reader struct {
	data  []byte
	pos   int
	depth int
	err   string
	tmp   []byte // for strings with escapes
}

const maxDepth = 512

func (r *reader) fail(what string) {
	if r.err == "" {
		r.err = what + " at byte " + strconv.Itoa(r.pos)
	}
	r.pos = len(r.data)
}

func (r *reader) peek() byte {
	for r.pos < len(r.data) {
		c := r.data[r.pos]
		if c > ' ' || c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c
		}
		r.pos++
	}
	return 0
}

func (r *reader) take(c byte, what string) {
	if r.peek() != c {
		r.fail("expected " + what)
		return
	}
	r.pos++
}

// open reads the brace or bracket that opens an object or array.
func (r *reader) open(brace byte, what string) bool {
	if r.peek() != brace {
		r.fail("expected " + what)
		return false
	}
	if r.depth++; r.depth > maxDepth {
		r.fail("nested too deep")
		return false
	}
	r.pos++
	return true
}

// next reports whether another member or element follows.
func (r *reader) next(first *bool, closing byte) bool {
	switch c := r.peek(); {
	case r.err != "":
		return false
	case c == closing:
		r.pos++
		r.depth--
		return false
	case *first:
		*first = false
		return true
	case c == ',':
		r.pos++
		return true
	}
	r.fail("expected a comma or the end")
	return false
}

// key reads a name and the colon.
func (r *reader) key() []byte {
	if r.peek() != '"' {
		r.fail("expected a name")
		return nil
	}
	k := r.str()
	if r.pos < len(r.data) && r.data[r.pos] == ':' {
		r.pos++
		return k
	}
	r.take(':', "a colon")
	return k
}

// null reads a null, which means that an optional member is absent.
func (r *reader) null() bool {
	if r.peek() != 'n' {
		return false
	}
	r.word("null")
	return true
}

func (r *reader) word(w string) {
	if end := r.pos + len(w); end <= len(r.data) && string(r.data[r.pos:end]) == w {
		r.pos = end
		return
	}
	r.fail("unexpected value")
}

func (r *reader) boolean() bool {
	switch r.peek() {
	case 't':
		r.word("true")
		return true
	case 'f':
		r.word("false")
	default:
		r.fail("must be a boolean")
	}
	return false
}

// skip reads a value of any kind, with the same strictness.
func (r *reader) skip() {
	switch r.peek() {
	case '"':
		r.str()
	case '{':
		r.skipObject()
	case '[':
		if !r.open('[', "an array") {
			return
		}
		for first := true; r.next(&first, ']'); {
			r.skip()
		}
	case 't':
		r.word("true")
	case 'f':
		r.word("false")
	case 'n':
		r.word("null")
	default:
		r.number()
	}
}

func (r *reader) skipObject() {
	if !r.open('{', "an object") {
		return
	}
	var keys keySet
	for first := true; r.next(&first, '}'); {
		if !keys.add(r.own(r.key())) {
			r.fail("duplicate key")
			return
		}
		r.skip()
	}
}

// keySet finds duplicate keys.
type keySet struct {
	few  [8][]byte
	n    int
	many map[string]bool
}

func (k *keySet) add(name []byte) bool {
	for i := range k.n {
		if string(k.few[i]) == string(name) {
			return false
		}
	}
	if k.n < len(k.few) {
		k.few[k.n] = name
		k.n++
		return true
	}
	if k.many[string(name)] {
		return false
	}
	if k.many == nil {
		k.many = map[string]bool{}
	}
	k.many[string(name)] = true
	return true
}

// span returns a value as text, by counting brackets; the value is read strictly later.
func (r *reader) span() []byte {
	r.peek()
	data, start, open := r.data, r.pos, 0
	for i := start; i < len(data); i++ {
		switch data[i] {
		case '"':
			for i = plainEnd(data, i+1); i < len(data) && data[i] != '"'; i = plainEnd(data, i+1) {
				if data[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			open++
		case '}', ']':
			if open--; open == 0 {
				r.pos = i + 1
				return data[start : i+1]
			}
		}
	}
	r.fail("unexpected end")
	return nil
}
