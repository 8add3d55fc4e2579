package directive

import (
	"go/token"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Get returns the argument with the key. The group's argument applies if the directive itself lacks
// the key.
func (d *Directive) Get(key string) (Arg, bool) {
	if a, ok := named(d.Args, key); ok {
		return a, true
	}
	return named(d.Group, key)
}

func named(args []Arg, key string) (Arg, bool) {
	for _, a := range args {
		if !a.Bare && a.Key == key {
			return a, true
		}
	}
	return Arg{}, false
}

// Layers returns the directive with its group's arguments only, or nil without a group, and the
// directive with its own arguments only.
func (d *Directive) Layers() (group, own *Directive) {
	if d.Group == nil {
		return nil, d
	}
	outer, inner := *d, *d
	outer.Args, outer.Group, inner.Group = d.Group, nil, nil
	return &outer, &inner
}

// Has reports whether the key is given.
func (d *Directive) Has(key string) bool {
	_, ok := d.Get(key)
	return ok
}

// Flag returns the value of a flag and reports whether the flag is given.
func (d *Directive) Flag(key string) (value, set bool) {
	a, set := d.Get(key)
	return a.Value == "true", set
}

// String returns the value of a key as text.
func (d *Directive) String(key string) (value string, set bool) {
	a, set := d.Get(key)
	return a.Value, set
}

// Duration returns the value of a key of kind duration.
func (d *Directive) Duration(key string) (value time.Duration, set bool) {
	a, set := d.Get(key)
	value, _ = time.ParseDuration(a.Value)
	return value, set
}

// Size returns the value of a key of kind size, in bytes.
func (d *Directive) Size(key string) (value int64, set bool) {
	a, set := d.Get(key)
	value, _ = parseSize(a.Value)
	return value, set
}

// Int returns the value of a key of kind integer, which is never negative.
func (d *Directive) Int(key string) (value int, set bool) {
	a, set := d.Get(key)
	value, _ = strconv.Atoi(a.Value)
	return value, set
}

// List returns the items of a key of kind list or names.
func (d *Directive) List(key string) (items []string, set bool) {
	a, set := d.Get(key)
	if !set {
		return nil, false
	}
	split := a.Items
	if k := d.key(key); k != nil && (k.Kind == KindNames || k.Kind == KindFlagOrNames) {
		split = a.Names
	}
	for _, item := range split() {
		items = append(items, item.Value)
	}
	return items, true
}

func (d *Directive) key(name string) *Key {
	if s := Lookup(d.Word); s != nil {
		return s.Key(name)
	}
	return nil
}

// Words returns the positional arguments that are not quoted: NAME of arg, the URI of resource, the
// packages of from.
func (d *Directive) Words() []Arg {
	return d.bare(false)
}

// Name returns the first positional word, or "".
func (d *Directive) Name() string {
	if w := d.Words(); len(w) > 0 {
		return w[0].Value
	}
	return ""
}

// Description returns the positional quoted string of //mcp:arg.
func (d *Directive) Description() (value Arg, set bool) {
	if q := d.bare(true); len(q) > 0 {
		return q[0], true
	}
	return Arg{}, false
}

func (d *Directive) bare(quoted bool) []Arg {
	var all []Arg
	for _, a := range d.Args {
		if a.Bare && a.Quoted == quoted {
			all = append(all, a)
		}
	}
	return all
}

// At returns the source position of the byte at an offset of Value, past escapes and quotes, for
// diagnostics about a part of it.
func (a Arg) At(offset int) token.Position {
	pos := a.ValuePos
	return shift(pos, sourceOffset(a.raw, offset))
}

// sourceOffset maps an offset in an unquoted value to the offset in its source text.
func sourceOffset(raw string, offset int) int {
	if raw == "" {
		return 0
	}
	switch raw[0] {
	case '`':
		return min(1+offset, len(raw))
	case '"':
		in, out := 1, 0
		for out < offset && in < len(raw)-1 {
			r, multibyte, tail, err := strconv.UnquoteChar(raw[in:], '"')
			if err != nil {
				break
			}
			in = len(raw) - len(tail)
			if r < utf8.RuneSelf || !multibyte {
				out++
			} else {
				out += utf8.RuneLen(r)
			}
		}
		return in
	}
	return min(offset, len(raw))
}

// Item is one element of a list value.
type Item struct {
	Value  string
	Pos    token.Position
	Quoted bool
}

// Items splits a value at its commas. Commas between quotes do not count, so enum="a, b",c consists
// of the items "a, b" and "c"; a value that is one quoted string is one item. White space around
// unquoted items is dropped.
func (a Arg) Items() []Item {
	raw := a.raw
	if raw == "" {
		raw = a.Value
	}
	var items []Item
	for start := 0; start <= len(raw); {
		end := start
		for end < len(raw) && raw[end] != ',' {
			if n := literalLen(raw[end:]); n > 0 {
				end += n
			} else {
				end++
			}
		}
		text := raw[start:end]
		lead := len(text) - len(strings.TrimLeft(text, " \t"))
		item := Item{Value: strings.TrimSpace(text), Pos: a.rawPos(start + lead)}
		if s, ok := unquote(item.Value); ok {
			item.Value, item.Quoted = s, true
		}
		items = append(items, item)
		start = end + 1
	}
	return items
}

// Names splits a value at commas and white space, quoted or not, as scopes and groups are written:
// group=a,b and scopes="read write".
func (a Arg) Names() []Item {
	var items []Item
	separator := func(c byte) bool { return c == ',' || c == ' ' || c == '\t' }
	for i := 0; i < len(a.Value); {
		if separator(a.Value[i]) {
			i++
			continue
		}
		start := i
		for i < len(a.Value) && !separator(a.Value[i]) {
			i++
		}
		items = append(items, Item{Value: a.Value[start:i], Pos: a.At(start), Quoted: a.Quoted})
	}
	return items
}

func (a Arg) rawPos(offset int) token.Position {
	return shift(a.ValuePos, offset)
}
