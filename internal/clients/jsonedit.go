package clients

import (
	"bytes"
	"errors"
	"slices"
)

// jsonFormat is JSON with comments and trailing commas: an object with the entries as members of
// one of its members.
type jsonFormat struct{}

// object returns the member that holds the object of the entries, or nil if it is missing.
func (t *jsonText) object(text []byte, container string) (holder *member, err error) {
	if t.root == nil {
		return nil, nil
	}
	if t.root.kind != '{' {
		return nil, syntaxError(text, t.root.start, "the file has another value than an object")
	}
	holder, err = t.root.find(text, container)
	if holder != nil && holder.value.kind != '{' {
		return nil, syntaxError(text, holder.value.start, "%q is another value than an object", container)
	}
	return holder, err
}

// openJSON parses a text, and returns the member that holds the object of the entries.
func openJSON(text []byte, container string) (t *jsonText, holder *member, err error) {
	if t, err = parseJSON(text); err != nil {
		return nil, nil, err
	}
	holder, err = t.object(text, container)
	return t, holder, err
}

func (jsonFormat) entries(text []byte, container string) ([]Found, error) {
	_, holder, err := openJSON(text, container)
	if err != nil || holder == nil {
		return nil, err
	}
	var list []Found
	seen := map[string]bool{}
	for i := range holder.value.members {
		m := &holder.value.members[i]
		if seen[m.name] {
			return nil, twice(text, m)
		}
		seen[m.name] = true
		list = append(list, Found{m.name, m.value.plain(text), string(text[m.key:m.value.end])})
	}
	return list, nil
}

func (jsonFormat) emptiness(text []byte, container string) (Before, error) {
	t, holder, err := openJSON(text, container)
	if err != nil {
		return Before{}, err
	}
	b := Before{NoContainer: holder == nil}
	if t.root == nil || len(t.root.members) == 0 {
		b.File = new(string(text))
	}
	if holder != nil && len(holder.value.members) == 0 {
		b.Container = new(string(text[holder.value.start:holder.value.end]))
	}
	return b, nil
}

// indentation returns the white space before an offset, and whether the line contains nothing else
// before it.
func indentation(text []byte, at int) (indent string, ownLine bool) {
	start := at
	for start > 0 && (text[start-1] == ' ' || text[start-1] == '\t') {
		start--
	}
	return string(text[start:at]), start == 0 || text[start-1] == '\n' || text[start-1] == '\r'
}

// lineEnd returns the line end of the first line.
func lineEnd(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

func (t *jsonText) layout(text []byte) *layout {
	l := &layout{lineEnd: lineEnd(text), unit: "  ", colon: ": "}
	if t.root == nil || len(t.root.members) == 0 {
		return l
	}
	first := &t.root.members[0]
	indent, own := indentation(text, first.key)
	l.compact = !own
	if own && indent != "" {
		l.unit = indent
	}
	if colon := bytes.IndexByte(text[first.key+2:first.value.start], ':'); l.compact && first.key+2+colon+1 == first.value.start {
		l.colon = ":"
	}
	return l
}

// splice replaces a part of a text.
type splice struct {
	start, end int
	by         string
}

// apply applies changes in the order of the text. A change does not begin before the end of the one
// before it.
func apply(text []byte, changes ...splice) []byte {
	var all bytes.Buffer
	end := 0
	for _, c := range changes {
		all.Write(text[end:c.start])
		all.WriteString(c.by)
		end = c.end
	}
	all.Write(text[end:])
	return all.Bytes()
}

func (f jsonFormat) set(text []byte, container, name string, value Fields) ([]byte, error) {
	t, holder, err := openJSON(text, container)
	if err != nil {
		return nil, err
	}
	l := t.layout(text)
	var result []byte
	switch {
	case t.root == nil:
		start := 0
		if bytes.HasPrefix(text, byteOrderMark) {
			start = len(byteOrderMark)
		}
		end, _ := triviaEnd(text, start, len(text))
		before := string(text[:end])
		if len(t.comments) > 0 {
			before += l.lineEnd
		}
		result = []byte(before + l.jsonValue(Fields{{container, Fields{{name, value}}}}, "") + l.lineEnd)
	case holder == nil:
		result = insert(text, t.root, l, "", container, Fields{{name, value}})
	default:
		old, err := holder.value.find(text, name)
		if err != nil {
			return nil, err
		}
		indent, _ := indentation(text, holder.key)
		if old == nil {
			result = insert(text, &holder.value, l, indent, name, value)
			break
		}
		inner := *l
		indent, own := indentation(text, old.key)
		inner.compact = inner.compact || !own
		result = apply(text, splice{old.value.start, old.value.end, inner.jsonValue(value, indent)})
	}
	return result, f.check(text, result, container, name, value)
}

// insert adds a member to the end of an object. The line of the object begins with indent.
func insert(text []byte, object *node, l *layout, indent, name string, value Fields) []byte {
	if len(object.members) == 0 {
		end, _ := triviaEnd(text, object.start+1, object.end-1)
		inner := string(text[object.start+1 : end])
		if l.compact && inner == "" {
			return apply(text, splice{object.start + 1, object.end - 1, jsonString(name) + l.colon + l.jsonValue(value, "")})
		}
		return apply(text, splice{
			object.start + 1, object.end - 1,
			inner + l.lineEnd + indent + l.unit + jsonString(name) + l.colon + l.jsonValue(value, indent+l.unit) + l.lineEnd + indent,
		})
	}
	last := &object.members[len(object.members)-1]
	own := *l
	indent, lines := indentation(text, last.key)
	own.compact = own.compact || !lines
	var changes []splice
	at, behind := last.comma+1, ","
	if last.comma < 0 {
		at, behind = last.value.end, ""
		changes = append(changes, splice{at, at, ","})
	}
	before := own.colon[1:]
	if lines {
		at, before = lineRest(text, at), l.lineEnd+indent
	}
	added := before + jsonString(name) + own.colon + own.jsonValue(value, indent) + behind
	if len(changes) > 0 && changes[0].start == at {
		changes[0].by += added
	} else {
		changes = append(changes, splice{at, at, added})
	}
	return apply(text, changes...)
}

// lineRest returns the end of the comments that follow in the same line.
func lineRest(text []byte, at int) int {
	for i := at; i < len(text); {
		switch {
		case text[i] == ' ' || text[i] == '\t':
			i++
		case text[i] == '/':
			if i = commentEnd(text, i); i < 0 {
				return at
			}
			at = i
		default:
			return at
		}
	}
	return at
}

func (f jsonFormat) remove(text []byte, container, name string, before Before) ([]byte, error) {
	_, holder, err := openJSON(text, container)
	if err != nil {
		return nil, err
	}
	if holder == nil {
		return nil, errMissing
	}
	entry, err := holder.value.find(text, name)
	if err != nil {
		return nil, err
	}
	if entry == nil {
		return nil, errMissing
	}
	result := without(text, &holder.value, entry)
	if err := f.check(text, result, container, name, nil); err != nil {
		return nil, err
	}
	return f.restore(result, container, before), nil
}

// restore restores the form before the first entry, if nothing else remains.
func (f jsonFormat) restore(text []byte, container string, before Before) []byte {
	t, holder, err := openJSON(text, container)
	if err != nil || holder == nil || len(holder.value.members) > 0 {
		return text
	}
	inside := text[holder.value.start:holder.value.end]
	switch {
	case before.NoContainer && len(bytes.TrimSpace(inside[1:len(inside)-1])) == 0:
		text = without(text, t.root, holder)
	case before.Container != nil && sameComments(inside, []byte(*before.Container)):
		text = apply(text, splice{holder.value.start, holder.value.end, *before.Container})
	}
	now, err := parseJSON(text)
	if err == nil && before.File != nil && (before.NoContainer && len(now.root.members) == 0) && sameComments(text, []byte(*before.File)) {
		return []byte(*before.File)
	}
	return text
}

// sameComments reports whether two texts without other content contain the same comments.
func sameComments(a, b []byte) bool {
	x, err := parseJSON(a)
	y, err2 := parseJSON(b)
	return err == nil && err2 == nil && slices.Equal(x.comments, y.comments)
}

// without removes a member of an object, with the white space before it.
func without(text []byte, object *node, m *member) []byte {
	i := slices.IndexFunc(object.members, func(other member) bool { return other.key == m.key })
	start := object.start + 1
	if i > 0 {
		start = object.members[i-1].comma + 1
	}
	start, open := triviaEnd(text, start, m.key)
	end := m.value.end
	if m.comma >= 0 {
		end = m.comma + 1
	}
	// A line comment needs a line end after it.
	next := end
	for text[next] == ' ' || text[next] == '\t' {
		next++
	}
	if open && text[next] != '\n' && text[next] != '\r' {
		start = m.key
	}
	switch inside := text[m.value.end:end]; {
	case i > 0 && i == len(object.members)-1 && m.comma < 0:
		comma := object.members[i-1].comma
		return apply(text, splice{comma, comma + 1, ""}, splice{start, end, ""})
	case m.comma >= 0 && len(bytes.TrimSpace(inside)) > 1:
		// A comment between a value and its comma is not part of the white space.
		return apply(text, splice{start, m.value.end, ""}, splice{m.comma, m.comma + 1, ""})
	}
	return apply(text, splice{start, end, ""})
}

// triviaEnd returns the end of the last comment in a part that consists of white space and
// comments, and whether it is a line comment. Without a comment it returns the start of the part.
func triviaEnd(text []byte, start, end int) (last int, line bool) {
	last = start
	for i := start; i < end; {
		if text[i] != '/' {
			i++
			continue
		}
		line = text[i+1] == '/'
		i = commentEnd(text, i)
		last = i
	}
	return last, line
}

// errDamage is returned if a change would affect other parts: a bug of this package.
var errDamage = errors.New("the file has a form that cannot be changed safely")

// check compares a text with its changed form: only the entry may differ.
func (f jsonFormat) check(before, after []byte, container, name string, value Fields) error {
	b, old, err := openJSON(before, container)
	if err != nil {
		return err
	}
	a, err := parseJSON(after)
	if err != nil || a.root == nil || a.root.kind != '{' {
		return errDamage
	}
	if !sameOthers(before, b.root, after, a.root, container) {
		return errDamage
	}
	now, err := a.object(after, container)
	if err != nil || now == nil {
		return errDamage
	}
	kept := &node{}
	if old != nil {
		kept = &old.value
	}
	if !sameOthers(before, kept, after, &now.value, name) {
		return errDamage
	}
	m, err := now.value.find(after, name)
	if err != nil || (m != nil) != (value != nil) || m != nil && !equal(m.value.plain(after), plain(value)) {
		return errDamage
	}
	return nil
}

// sameOthers reports whether two objects have the same members, as written, except for the ones
// with a name. An object that is nil has none.
func sameOthers(before []byte, old *node, after []byte, now *node, name string) bool {
	for x, y := -1, -1; ; {
		if x, y = old.other(x+1, name), now.other(y+1, name); x < 0 || y < 0 {
			return x == y
		}
		a, b := &old.members[x], &now.members[y]
		if a.name != b.name || !bytes.Equal(before[a.value.start:a.value.end], after[b.value.start:b.value.end]) {
			return false
		}
	}
}

// other returns the index of the first member from i on that has another name, or -1.
func (n *node) other(i int, name string) int {
	for ; n != nil && i < len(n.members); i++ {
		if n.members[i].name != name {
			return i
		}
	}
	return -1
}
