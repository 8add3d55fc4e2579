package clients

import (
	"bytes"
	"maps"
	"slices"
)

// tomlFormat is TOML: each entry is a table [container.name], with tables below it.
type tomlFormat struct{}

// holder returns the table of the entries, or nil. The table must have a form that further tables
// can extend, and each entry a form that can be replaced.
func (p *tomlParser) holder(container string) (*tomlNode, error) {
	n := p.root.children[container]
	if n == nil {
		return nil, nil
	}
	switch {
	case n.origin == array:
		return nil, syntaxError(p.text, n.at, "%s is an array", container)
	case n.origin == value:
		return nil, syntaxError(p.text, n.at, "%s is not a table with a header of its own", container)
	case n.origin == dotted:
		return nil, syntaxError(p.text, n.at, "%s is written with dotted keys", container)
	}
	return n, nil
}

// entry checks the form of an entry. It returns nil if the entry does not exist.
func (p *tomlParser) entry(holder *tomlNode, container, name string) (*tomlNode, error) {
	if holder == nil {
		return nil, nil
	}
	n := holder.children[name]
	if n == nil {
		return nil, nil
	}
	switch n.origin {
	case value:
		return nil, syntaxError(p.text, n.at, "%s.%s is not a table with a header of its own", container, name)
	case dotted:
		return nil, syntaxError(p.text, n.at, "%s.%s is written with dotted keys", container, name)
	case array:
		return nil, syntaxError(p.text, n.at, "%s.%s is an array", container, name)
	}
	return n, nil
}

func (tomlFormat) entries(text []byte, container string) ([]Found, error) {
	p, err := parseTOML(text)
	if err != nil {
		return nil, err
	}
	n := p.root.children[container]
	if n == nil || n.origin == value || n.origin == array {
		_, err := p.holder(container)
		return nil, err
	}
	texts := map[string][]byte{}
	for _, t := range p.tables {
		if len(t.path) > 1 && t.path[0] == container {
			texts[t.path[1]] = append(texts[t.path[1]], text[t.start:t.end]...)
		}
	}
	var list []Found
	for _, name := range slices.Sorted(maps.Keys(n.children)) {
		list = append(list, Found{name, n.children[name].plain(), string(bytes.TrimRight(texts[name], "\r\n"))})
	}
	return list, nil
}

// of returns the tables of an entry.
func (p *tomlParser) of(container, name string) []table {
	var list []table
	for _, t := range p.tables {
		if len(t.path) > 1 && t.path[0] == container && t.path[1] == name {
			list = append(list, t)
		}
	}
	return list
}

func (tomlFormat) emptiness(text []byte, container string) (Before, error) {
	p, err := parseTOML(text)
	if err != nil {
		return Before{}, err
	}
	_, err = p.holder(container)
	return Before{}, err
}

// openTOML parses a text, and returns the tables of an entry; exists reports whether there is one.
func openTOML(text []byte, container, name string) (tables []table, exists bool, err error) {
	p, err := parseTOML(text)
	if err != nil {
		return nil, false, err
	}
	holder, err := p.holder(container)
	if err != nil {
		return nil, false, err
	}
	entry, err := p.entry(holder, container, name)
	return p.of(container, name), entry != nil, err
}

func (f tomlFormat) set(text []byte, container, name string, fields Fields) ([]byte, error) {
	tables, exists, err := openTOML(text, container, name)
	if err != nil {
		return nil, err
	}
	end := lineEnd(text)
	added := fields.TOML(container, name, end)
	var result []byte
	switch {
	case exists:
		var changes []splice
		for i, t := range tables {
			c := splice{t.start, t.end, ""}
			if i == 0 {
				c.by = added
				if bytes.HasSuffix(text[:t.end], []byte("\n")) {
					c.by += end
				}
			} else {
				c.start = blankBefore(text, t.start)
			}
			changes = append(changes, c)
		}
		result = apply(text, changes...)
	case len(bytes.TrimPrefix(text, byteOrderMark)) == 0:
		result = append(bytes.Clone(text), added+end...)
	case bytes.HasSuffix(text, []byte("\n")):
		result = append(bytes.Clone(text), end+added+end...)
	default:
		// No line end follows either, so that removing the entry restores the same bytes.
		result = append(bytes.Clone(text), end+end+added...)
	}
	return result, f.check(text, result, container, name, fields)
}

// blankBefore returns the start of the empty line before an offset, or the offset.
func blankBefore(text []byte, at int) int {
	for _, end := range []string{"\r\n", "\n"} {
		if before, ok := bytes.CutSuffix(text[:at], []byte(end)); ok {
			if len(bytes.TrimPrefix(before, byteOrderMark)) == 0 || bytes.HasSuffix(before, []byte("\n")) {
				return len(before)
			}
			return at
		}
	}
	return at
}

func (f tomlFormat) remove(text []byte, container, name string, _ Before) ([]byte, error) {
	tables, exists, err := openTOML(text, container, name)
	if err != nil {
		return nil, err
	}
	if !exists {
		return nil, errMissing
	}
	var changes []splice
	for _, t := range tables {
		start := blankBefore(text, t.start)
		if n := len(changes); n > 0 && changes[n-1].end >= start {
			changes[n-1].end = t.end
		} else {
			changes = append(changes, splice{start, t.end, ""})
		}
	}
	if last := &changes[len(changes)-1]; last.end == len(text) && !bytes.HasSuffix(text, []byte("\n")) {
		// The preceding line end is removed too, since the entry has none.
		last.start = len(bytes.TrimSuffix(bytes.TrimSuffix(text[:last.start], []byte("\n")), []byte("\r")))
	}
	result := apply(text, changes...)
	return result, f.check(text, result, container, name, nil)
}

// check compares a text with its changed form: only the entry may differ.
func (tomlFormat) check(before, after []byte, container, name string, fields Fields) error {
	b, err := parseTOML(before)
	if err != nil {
		return err
	}
	a, err := parseTOML(after)
	if err != nil {
		return errDamage
	}
	want, got := b.root.plain().(map[string]any), a.root.plain().(map[string]any)
	for _, m := range []map[string]any{want, got} {
		if m[container] == nil {
			m[container] = map[string]any{}
		}
	}
	entries, ok := want[container].(map[string]any)
	if !ok {
		return errDamage
	}
	delete(entries, name)
	if fields != nil {
		entries[name] = plain(fields)
	}
	if !equal(want, got) {
		return errDamage
	}
	return nil
}
