package wire

import "strconv"

// Map reads an object into a new map; an empty object becomes an empty map, not nil. A member that
// violates its schema is left zero.
func Map[M ~map[K]T, K ~string, T any](d *Decoder, v *M, f func(*Decoder, *T)) {
	before := d.problemCount()
	if !d.begin('{', "an object") {
		return
	}
	m := M{}
	t := scratchOf[T](&d.scratch)
	var zero T
	for first := true; d.next('}', first) && d.element(); first = false {
		name, start, ok := d.mapMember()
		if !ok {
			break
		}
		d.failed = false
		*t = zero
		f(d, t)
		// One look-up detects a duplicate, too: an existing key does not increase the length.
		n := len(m)
		if m[K(name)] = *t; len(m) == n && d.err == nil {
			d.duplicateMember(name, start)
		}
	}
	*t = zero
	if d.endContainer(before) {
		*v = m
	}
}

// MapInt is like Map, for keys that are integers. They must be canonical: digits without leading
// zeros, a minus sign only in front of negative ones.
func MapInt[M ~map[K]T, K Integer, T any](d *Decoder, v *M, f func(*Decoder, *T)) {
	readMap(d, v, f, func(d *Decoder, name string, k *K) bool {
		low, high := intRange[K]()
		u, ok := d.intKey(name, low, high)
		*k = K(u)
		return ok
	})
}

// MapText is like Map, for keys that have an UnmarshalText method, given as a method expression
// such as (*netip.Addr).UnmarshalText. Two names that unmarshal to equal keys are duplicates.
func MapText[M ~map[K]T, K comparable, T any](d *Decoder, v *M, unmarshal func(*K, []byte) error, f func(*Decoder, *T)) {
	readMap(d, v, f, func(d *Decoder, name string, k *K) bool {
		if err := unmarshal(k, []byte(name)); err != nil {
			d.violate(RulePropertyNames, "the name is not valid: "+reason(err))
			return false
		}
		return true
	})
}

func readMap[M ~map[K]T, K comparable, T any](d *Decoder, v *M, f func(*Decoder, *T), key func(*Decoder, string, *K) bool) {
	before := d.problemCount()
	if !d.begin('{', "an object") {
		return
	}
	m := M{}
	keys := d.keys.len() // of the names, not of the keys
	var k, noKey K
	t := scratchOf[T](&d.scratch)
	var zero T
	for first := true; d.next('}', first) && d.element(); first = false {
		name, start, ok := d.mapMember()
		if !ok {
			break
		}
		k, *t = noKey, zero
		if !key(d, name, &k) {
			if !d.keys.add(keys, []byte(name)) {
				d.duplicateMember(name, start)
				break
			}
			d.skip()
			continue
		}
		d.failed = false
		f(d, t)
		n := len(m)
		if m[k] = *t; len(m) == n && d.err == nil {
			d.duplicateMember(name, start)
		}
	}
	*t = zero
	d.keys.truncate(keys)
	if d.endContainer(before) {
		*v = m
	}
}

// mapMember reads the name of a member, which begins at start, and the colon behind it. It returns
// false at a syntax error.
func (d *Decoder) mapMember() (name string, start int, ok bool) {
	if d.peek() != '"' {
		d.unexpected("a member name in quotes")
		return "", 0, false
	}
	start = d.pos
	key, escaped := d.readString()
	name = d.keepText(key, escaped)
	return name, start, d.colon() != 0
}

// duplicateMember stops the reading at a member that mapMember has read.
func (d *Decoder) duplicateMember(name string, start int) {
	d.pos = start
	d.duplicate(name)
}

// intKey reads a key that is an integer between -low and high in canonical form, in two's
// complement.
func (d *Decoder) intKey(key string, low, high uint64) (uint64, bool) {
	digits := key
	negative := len(key) > 0 && key[0] == '-'
	if negative {
		digits = key[1:]
	}
	canonical := onlyDigits(digits) && len(digits) > 0 &&
		(digits[0] != '0' || len(key) == 1)
	if !canonical {
		d.violate(RulePropertyNames, "the name must be an integer in plain digits")
		return 0, false
	}
	u, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || negative && u > low || !negative && u > high {
		limit, word := strconv.FormatUint(high, 10), "at most "
		if negative {
			if limit, word = "0", "at least "; low > 0 {
				limit = "-" + strconv.FormatUint(low, 10)
			}
		}
		d.violate(RulePropertyNames, "the name must be "+word+limit)
		return 0, false
	}
	if negative {
		return -u, true
	}
	return u, true
}

func onlyDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
