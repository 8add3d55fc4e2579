package schema

import (
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// partScope is the context of a copy. Parts that are omitted from a value are also omitted from
// values of its type inside it: the manager of a user has no password either.
type partScope struct {
	cuts   []scopedCut                 // cuts of the values around it, the innermost last
	copies map[*model.Type]*model.Type // copies of types that contain one of those
}

// scopedCut describes the omitted parts of a type's values. plan is the copy of from without them,
// or nil if it does not exist yet, as for embedded structs.
type scopedCut struct {
	goType     types.Type
	cut        *cut
	from, plan *model.Type
}

// cutFor returns the cut in scope for the values of a plan's type, or nil.
func (in *partScope) cutFor(t *model.Type) *scopedCut {
	if t.Go == nil || t.Kind != model.Struct && t.Kind != model.Union {
		return nil
	}
	for i := range slices.Backward(in.cuts) {
		if types.Identical(in.cuts[i].goType, t.Go) {
			return &in.cuts[i]
		}
	}
	return nil
}

// planOf returns the enclosing copy of a plan without the same members, or nil.
func (in *partScope) planOf(t *model.Type, c *cut) *model.Type {
	for _, s := range in.cuts {
		if s.from == t && slices.Equal(s.cut.names(), c.names()) {
			return s.plan
		}
	}
	return nil
}

// part copies a plan without the omitted parts; a nil cut omits nothing.
func (r *Resolver) part(t *model.Type, c *cut, in partScope) *model.Type {
	around := in.cutFor(t)
	switch {
	case around == nil:
	case c == nil:
		c = around.cut
	case !c.only:
		c = c.with(around.cut)
	}
	inside := reaches(t, &in, map[*model.Type]bool{})
	switch {
	case around != nil && in.planOf(t, c) != nil:
		return in.planOf(t, c)
	case c != nil && inside:
		return r.copyPart(t, c, in)
	case c != nil:
		key := partKey{t, strings.Join(c.names(), ","), c.only}
		if r.parts[key] == nil {
			r.parts[key] = r.copyPart(t, c, partScope{})
		}
		return r.parts[key]
	case !inside:
		return t
	case in.copies[t] != nil:
		return in.copies[t]
	}
	return r.copyPart(t, nil, in)
}

func (r *Resolver) copyPart(t *model.Type, c *cut, in partScope) *model.Type {
	p := *t
	object := t.Kind == model.Struct || t.Kind == model.Union
	if object {
		p.Part, p.Variant = true, partName(c)
	}
	switch {
	case c == nil:
		in.copies[t] = &p
	case object:
		in = partScope{slices.Clone(in.cuts), map[*model.Type]*model.Type{}}
		if !c.only {
			in.cuts = append(in.cuts, r.cutsInside(t, c)...)
		}
		if t.Go != nil {
			in.cuts = append(in.cuts, scopedCut{t.Go, c, t, &p})
		}
	}
	if t.Elem != nil {
		p.Elem = r.part(t.Elem, c, in)
	}
	p.Fields = nil
	for _, f := range t.Fields {
		var inner *cut
		if c != nil {
			if c.gone[r.origin(f)] {
				continue
			}
			inner = c.inner[r.origin(f)]
		}
		f = r.copyField(f)
		f.Type = r.part(f.Type, inner, in)
		p.Fields = append(p.Fields, f)
	}
	if t.Union != nil {
		union := *t.Union
		union.Variants = nil
		for _, v := range t.Union.Variants {
			variant := *v
			variant.Type = r.copyPart(v.Type, c, in)
			union.Variants = append(union.Variants, &variant)
		}
		p.Union = &union
	}
	return &p
}

// cutsInside returns the effect of a struct's cut on the structs that are embedded in it, or of a
// union's on its variants.
func (r *Resolver) cutsInside(t *model.Type, c *cut) []scopedCut {
	var all []scopedCut
	add := func(goType types.Type, names []string) {
		if below := c.below(names); below != nil {
			all = append(all, scopedCut{goType: goType, cut: below})
		}
	}
	if t.Union != nil {
		for _, v := range t.Union.Variants {
			for _, o := range objects(v.Type) {
				var names []string
				for _, f := range o.Fields {
					names = append(names, r.origin(f))
				}
				add(o.Go, names)
			}
		}
		return all
	}
	var embedded []types.Type
	names := map[types.Type][]string{}
	for _, f := range t.Fields {
		around := t.Go
		for _, step := range f.Path[:len(f.Path)-1] {
			if around = embeddedIn(around, step.Name); around == nil {
				break
			}
			if names[around] == nil {
				embedded = append(embedded, around)
			}
			names[around] = append(names[around], r.origin(f))
		}
	}
	for _, e := range embedded {
		add(e, names[e])
	}
	return all
}

// embeddedIn returns the type of a field of a struct, or its pointer's target, or nil.
func embeddedIn(t types.Type, name string) types.Type {
	if t == nil {
		return nil
	}
	s, _ := t.Underlying().(*types.Struct)
	if s == nil {
		return nil
	}
	for v := range s.Fields() {
		if v.Name() == name {
			return pointedTo(v.Type())
		}
	}
	return nil
}

// partName returns the Variant of a plan without some members.
func partName(c *cut) string {
	const longest = 40
	name := "Part"
	if c != nil {
		if full := "Without_" + strings.Join(c.names(), "_"); len(full) <= longest {
			name = plainText(full)
		}
	}
	return name
}

// plainText replaces all characters except letters, digits and _.
func plainText(s string) string {
	return strings.Map(func(c rune) rune {
		if c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' {
			return c
		}
		return '_'
	}, s)
}

// reaches reports whether a plan is or contains a type from which a scope omits parts.
func reaches(t *model.Type, in *partScope, seen map[*model.Type]bool) bool {
	switch {
	case len(in.cuts) == 0 || t == nil || seen[t]:
		return false
	case in.cutFor(t) != nil:
		return true
	}
	seen[t] = true
	if reaches(t.Elem, in, seen) {
		return true
	}
	for _, f := range t.Fields {
		if reaches(f.Type, in, seen) {
			return true
		}
	}
	if t.Union != nil {
		for _, v := range t.Union.Variants {
			if reaches(v.Type, in, seen) {
				return true
			}
		}
	}
	return false
}
