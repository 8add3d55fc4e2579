package prove

import "slices"

// Examples returns values for a schema as JSON on one line each: some that are valid, and some that
// are not, since one of their parts has another shape than the schema gives it. Notations that
// describe shapes alone, such as types of TypeScript, accept the former and refuse the latter.
func Examples(schema string, count int, seed uint64) (valid, misshapen []string, err error) {
	parsed, err := ParseSchema(schema)
	if err != nil {
		return nil, nil, err
	}
	compiled, err := Compile(schema)
	if err != nil {
		return nil, nil, err
	}
	r := newSource(seed, 3)
	for range 20 * count {
		n := r.begin(parsed)
		if compiled.Validate(n.Any()) != nil {
			continue
		}
		if len(valid) < count {
			valid = append(valid, n.String())
		}
		if len(misshapen) < count && r.misshape(n) && compiled.Validate(n.Any()) != nil {
			misshapen = append(misshapen, n.String())
		}
		if len(valid) == count && len(misshapen) == count {
			break
		}
	}
	return valid, misshapen, nil
}

// misshape changes the shape of a part of a value, and reports whether it found one.
func (r *source) misshape(n *Node) bool {
	var changes []func()
	n.walk("", func(_ string, at *Node) {
		s := at.Schema
		if s == nil {
			return
		}
		switch s.Type {
		case "string", "boolean", "integer", "number", "array":
			other := object(Member{Name: "noSuchMember", Value: boolean(true)})
			if len(s.Enum) > 0 && at.Kind == '"' && r.one(2) {
				other = text("no such value")
			}
			changes = append(changes, func() { at.replace(other) })
		case "object":
			if s.Closed {
				changes = append(changes, func() {
					at.Members = append(at.Members, Member{Name: "noSuchMember", Value: boolean(true)})
				})
			}
			for i, m := range at.Members {
				if s.Required[m.Name] {
					changes = append(changes, func() { at.Members = slices.Delete(at.Members, i, i+1) })
				}
			}
		}
	})
	if len(changes) == 0 {
		return false
	}
	pick(r, changes)()
	return true
}

// replace puts another value in the place of one.
func (n *Node) replace(other *Node) {
	space := n.Space
	*n = *other
	n.Space = space
}
