package schema

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// cut describes the omitted parts of a value: members, and parts of members.
type cut struct {
	only  bool // only= names the remaining members
	gone  map[string]bool
	inner map[string]*cut
}

// with returns a cut that omits the parts that both cuts omit.
func (c *cut) with(other *cut) *cut {
	if c == nil || other == nil {
		return cmp.Or(c, other)
	}
	all := &cut{gone: maps.Clone(c.gone), inner: maps.Clone(c.inner)}
	maps.Copy(all.gone, other.gone)
	for name, inner := range other.inner {
		all.inner[name] = inner.with(all.inner[name])
	}
	maps.DeleteFunc(all.inner, func(name string, _ *cut) bool { return all.gone[name] })
	return all
}

// isZero reports whether a cut omits nothing.
func (c *cut) isZero() bool { return len(c.gone)+len(c.inner) == 0 }

// below returns the cut for some members.
func (c *cut) below(names []string) *cut {
	part := &cut{gone: map[string]bool{}, inner: map[string]*cut{}}
	for _, name := range names {
		if c.gone[name] {
			part.gone[name] = true
		} else if inner := c.inner[name]; inner != nil {
			part.inner[name] = inner
		}
	}
	if part.isZero() {
		return nil
	}
	return part
}

// names returns the paths of the omitted parts, in order.
func (c *cut) names() []string {
	names := sortedKeys(c.gone)
	for _, name := range sortedKeys(c.inner) {
		for _, below := range c.inner[name].names() {
			names = append(names, name+"."+below)
		}
	}
	return names
}

// partKey identifies a plan and its omitted parts.
type partKey struct {
	t     *model.Type
	names string
	only  bool
}

// isPart reports whether a directive selects members of its value.
func isPart(d *directive.Directive) bool {
	return slices.ContainsFunc(d.Args, chooses)
}

// chooses recognizes only= and omit= with names.
func chooses(a directive.Arg) bool {
	return !a.Bare && (a.Key == "only" || a.Key == "omit" && a.Value != "true" && a.Value != "false")
}

// withoutPart returns the other arguments of a directive.
func withoutPart(d *directive.Directive) []directive.Arg {
	return slices.DeleteFunc(slices.Clone(d.Args), chooses)
}

// applyPart applies only= and omit= with names.
func (r *Resolver) applyPart(inner *model.Type, i int, arg *directive.Directive, at diag.Place) bool {
	f := inner.Fields[i]
	t, ok := r.Part(f.Type, arg, Argument, at)
	f.Type = t
	return ok
}

// Part returns the plan without the members that only= and omit= of a directive omit. Equal plans
// share one copy; plans that others share are not changed. Part returns false after an error.
func (r *Resolver) Part(t *model.Type, d *directive.Directive, use Use, at diag.Place) (part *model.Type, ok bool) {
	ok = true
	for _, key := range []string{"only", "omit"} {
		arg, set := d.Get(key)
		if !set || !chooses(arg) {
			continue
		}
		var paths []memberPath
		for _, item := range arg.Names() {
			paths = append(paths, memberPath{item, strings.Split(item.Value, ".")})
		}
		c := r.cutOf(t, paths, key == "only", site{Place: at, use: use})
		if c == nil {
			ok = false
			continue
		}
		if !c.only && c.isZero() {
			continue
		}
		t = r.part(t, c, partScope{})
	}
	return t, ok
}

// memberPath is one path of only= or omit=.
type memberPath struct {
	directive.Item
	rest []string // the part that is not followed yet
}

// objects returns the structs that a value consists of, behind pointers and in lists and maps: one,
// or the variants of a union.
func objects(t *model.Type) []*model.Type {
	for seen := map[*model.Type]bool{}; t.Elem != nil && !seen[t]; t = t.Elem {
		seen[t] = true // a list may contain itself
	}
	switch {
	case t.Kind == model.Struct:
		return []*model.Type{t}
	case t.Union == nil:
		return nil
	}
	var all []*model.Type
	for _, v := range t.Union.Variants {
		all = append(all, v.Type)
	}
	return all
}

// cutOf returns the parts of t that paths omit: the named ones, or with only all others. It returns
// nil after an error.
func (r *Resolver) cutOf(t *model.Type, paths []memberPath, only bool, s site) *cut {
	members, hidden := map[string]*model.Field{}, map[string]*model.Field{}
	var names []string
	for _, o := range objects(t) {
		for _, f := range o.Hidden {
			hidden[r.origin(f)] = f
		}
		for _, f := range o.Fields {
			name := r.origin(f)
			if members[name] == nil {
				members[name] = f
				names = append(names, name)
			}
		}
	}
	named := map[string][]memberPath{}
	ok := true
	for _, p := range paths {
		switch {
		case members[p.rest[0]] != nil:
		case hidden[p.rest[0]] != nil && !only: // omitted anyway
			continue
		case hidden[p.rest[0]] != nil:
			r.hiddenMember(p, hidden[p.rest[0]], s)
			ok = false
			continue
		default:
			r.unknownMember(t, p, names, s)
			ok = false
			continue
		}
		named[p.rest[0]] = append(named[p.rest[0]], p)
	}
	c := &cut{only: only, gone: map[string]bool{}, inner: map[string]*cut{}}
	for _, name := range names {
		below := named[name]
		whole := slices.ContainsFunc(below, func(p memberPath) bool { return len(p.rest) == 1 })
		switch {
		case below == nil:
			if only {
				c.gone[name] = true
			}
		case whole:
			if !only {
				c.gone[name] = true
			}
		default:
			for i := range below {
				below[i].rest = below[i].rest[1:]
			}
			inner := r.cutOf(members[name].Type, below, only, s)
			switch {
			case inner == nil:
				ok = false
			case only || !inner.isZero():
				c.inner[name] = inner
			}
		}
	}
	if len(c.gone) == len(names) && len(names) > 0 && ok {
		s.Pos = paths[0].Pos
		r.errorf(s, "leave out the value itself", "no member would be left")
		return nil
	}
	if !ok {
		return nil
	}
	return c
}

// origin returns the name that a field had before //mcp:arg renamed it.
func (r *Resolver) origin(f *model.Field) string {
	if old, ok := r.origins[f]; ok {
		return old
	}
	return f.Name
}

func (r *Resolver) hiddenMember(p memberPath, f *model.Field, s site) {
	s.Pos = p.Pos
	if s.use == Result {
		r.errorf(s, "leave it out", "%s is writeOnly, so no result has it", p.Value)
		return
	}
	hint := "leave it out"
	if f.Unlisted == "" || f.Unlisted == model.HeaderField {
		hint += ", or publish it by a line of its own"
	}
	if f.Unlisted == "" {
		hint += ", with required or optional"
	}
	r.errorf(s, hint, "%s is %s, so it is not an argument", p.Value, leftOutAs(f))
}

func (r *Resolver) unknownMember(t *model.Type, p memberPath, names []string, s site) {
	s.Pos = p.Pos
	before := strings.TrimSuffix(p.Value, strings.Join(p.rest, "."))
	if len(names) == 0 {
		what := "the value"
		if before != "" {
			what = strings.TrimSuffix(before, ".")
		}
		r.errorf(s, "name a value with members: an object, or a list or map of objects", "%s has no members that could be left out", what)
		return
	}
	hint := "the names are " + strings.Join(names, ", ")
	if near := diag.Nearest(p.rest[0], names); near != "" {
		hint = "did you mean " + before + near + "?"
	}
	r.errorf(s, hint, "there is no member %s%s", before, p.rest[0])
}
