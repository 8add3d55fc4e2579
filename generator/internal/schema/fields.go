package schema

import (
	"cmp"
	"go/types"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// member is a field of a struct, its own or an embedded struct's, as a candidate for a JSON name.
type member struct {
	name      string
	tagged    bool // the name comes from the tag
	index     []int
	path      []model.Selector
	steps     []*types.Var        // embedded fields on the way
	around    []reflect.StructTag // their tags
	v         *types.Var
	tag       reflect.StructTag
	omitEmpty bool
	omitZero  bool
	quoted    bool

	// Fields set from the tags of a framework: the part of a request that the member is read from.
	in       string
	unlisted string // see model.Field
}

// level is a struct whose fields are examined, and the path to it.
type level struct {
	t     types.Type
	index []int
	path  []model.Selector
	steps []*types.Var
	tags  []reflect.StructTag // tags of the steps
}

// members returns the fields that encoding/json sees in a struct, in the order in which it writes
// them. The fields of an embedded struct belong to it unless the tag names the embedded struct. Of
// several fields with one name the least deeply embedded wins, then the only one whose tag gives
// the name; otherwise all are dropped.
func members(t types.Type) []*member {
	var found []*member
	var visited, count typeutil.Map
	next := []level{{t: t}}
	for len(next) > 0 {
		current := next
		next = nil
		var nextCount typeutil.Map
		for _, l := range current {
			if visited.At(l.t) != nil {
				continue
			}
			visited.Set(l.t, true)
			repeated := times(&count, l.t) > 1
			st := l.t.Underlying().(*types.Struct)
			for i := range st.NumFields() {
				m, embedded := look(l, st, i)
				switch {
				case embedded != nil:
					n := times(&nextCount, embedded.t) + 1
					nextCount.Set(embedded.t, n)
					if n == 1 {
						next = append(next, *embedded)
					}
				case m != nil:
					found = append(found, m)
					if repeated {
						// The struct is embedded twice at this depth: a second one makes the two
						// exclude each other.
						found = append(found, m)
					}
				}
			}
		}
		count = nextCount
	}
	return dominant(found)
}

func times(count *typeutil.Map, t types.Type) int {
	n, _ := count.At(t).(int)
	return n
}

// look returns the i-th field of a struct as a member, or as an embedded struct whose fields must
// be examined, or neither.
func look(l level, st *types.Struct, i int) (*member, *level) {
	v := st.Field(i)
	tag := reflect.StructTag(st.Tag(i))
	if v.Embedded() {
		_, isStruct := pointedTo(v.Type()).Underlying().(*types.Struct)
		if !v.Exported() && !isStruct {
			return nil, nil
		}
	} else if !v.Exported() {
		return nil, nil
	}
	option := tag.Get("json")
	if option == "-" {
		return nil, nil
	}
	name, options, _ := strings.Cut(option, ",")
	if !validName(name) {
		name = ""
	}
	has := func(want string) bool { return slices.Contains(strings.Split(options, ","), want) }
	index := append(slices.Clone(l.index), i)
	target := pointedTo(v.Type())
	selector := model.Selector{Name: v.Name()}
	if _, isStruct := target.Underlying().(*types.Struct); v.Embedded() && isStruct && name == "" {
		if target != types.Unalias(v.Type()) {
			selector.Pointer = target
		}
		return nil, &level{
			t: target, index: index,
			path:  append(slices.Clone(l.path), selector),
			steps: append(slices.Clone(l.steps), v),
			tags:  append(slices.Clone(l.tags), tag),
		}
	}
	m := &member{
		name: name, tagged: name != "", index: index, v: v, tag: tag, steps: l.steps, around: l.tags,
		path:      append(slices.Clone(l.path), selector),
		omitEmpty: has("omitempty"), omitZero: has("omitzero"),
	}
	if name == "" {
		m.name = v.Name()
	}
	if b, ok := target.Underlying().(*types.Basic); ok && has("string") {
		m.quoted = b.Info()&(types.IsBoolean|types.IsInteger|types.IsFloat|types.IsString) != 0
	}
	return m, nil
}

// pointedTo returns the target of an unnamed pointer, and every other type unchanged.
func pointedTo(t types.Type) types.Type {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		return types.Unalias(p.Elem())
	}
	return t
}

// dominant keeps, for each name, the one field that it refers to, if there is one.
func dominant(found []*member) []*member {
	slices.SortStableFunc(found, func(a, b *member) int {
		byTag := 0
		if a.tagged != b.tagged {
			byTag = 1
			if a.tagged {
				byTag = -1
			}
		}
		return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(len(a.index), len(b.index)), byTag, slices.Compare(a.index, b.index))
	})
	var kept []*member
	for i := 0; i < len(found); {
		j := i + 1
		for j < len(found) && found[j].name == found[i].name {
			j++
		}
		conflict := j > i+1 && len(found[i].index) == len(found[i+1].index) && found[i].tagged == found[i+1].tagged
		if !conflict {
			kept = append(kept, found[i])
		}
		i = j
	}
	slices.SortFunc(kept, func(a, b *member) int { return slices.Compare(a.index, b.index) })
	return kept
}

// validName reports whether encoding/json accepts the name in a tag.
func validName(s string) bool {
	for _, c := range s {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return false
		}
	}
	return s != ""
}

// fillStruct makes the plan of a struct. It examines all of its fields, so that every error is
// reported.
func (r *Resolver) fillStruct(s site, plan *model.Type, t types.Type, u *types.Struct) bool {
	plan.Kind, plan.Tagged = model.Struct, r.tagging(s.use)
	if plan.Tags = int(r.Tags); r.isInput(s, t) {
		plan.Tags = -plan.Tags
	}
	r.growing[plan] = true
	defer delete(r.growing, plan)
	ok := true
	if _, named := t.(*types.Named); !named {
		ok = r.spellable(s, u)
	}
	ok = r.readableTags(s, u, map[*types.Struct]bool{}) && ok
	names := map[string]bool{}
	for i, m := range r.membersNamed(s, t, u) {
		if m.tag.Get("jsonschema") == "-" {
			continue
		}
		var f *model.Field
		if m.unlisted != "" && m.unlisted != model.HeaderField {
			// A client need not be able to send its type.
			if r.attempt(s.use, func() bool { f = r.field(s, t, m); return f != nil }) == nil {
				f.Index, f.Unlisted = i, m.unlisted
				r.add(plan, f, s.use)
			}
			continue
		}
		if names[m.name] {
			r.errorf(r.atField(s, m.v), "name one of them by json", "two fields are called %s", m.name)
			ok = false
		}
		names[m.name] = true
		if f = r.field(s, t, m); f != nil {
			f.Index, f.Unlisted = i, m.unlisted
			r.add(plan, f, s.use)
		} else {
			ok = false
		}
	}
	return ok
}

// membersNamed returns the members of a struct, with the names that frameworks give them.
func (r *Resolver) membersNamed(s site, t types.Type, u *types.Struct) []*member {
	all := members(t)
	switch {
	case r.Tags == HumaTags && s.use == Result:
		return slices.DeleteFunc(all, func(m *member) bool { return m.tag.Get("hidden") == "true" })
	case r.Tags == HumaTags:
		r.humaStruct(s, t, u)
		return r.humaNames(s, t, all)
	case s.use != Result && r.readsGin(all):
		return ginNames(all)
	}
	return all
}

// spellable refuses an unnamed struct type with unexported fields of another package, which
// generated code cannot write.
func (r *Resolver) spellable(s site, u *types.Struct) bool {
	for v := range u.Fields() {
		if !r.visible(v) {
			r.errorf(r.atField(s, v), "use a struct type with a name", "the field of an unnamed struct is not exported by its package, so generated code cannot name the type")
			return false
		}
	}
	return true
}

// field makes the plan of one field, or returns nil if it reported an error.
func (r *Resolver) field(s site, owner types.Type, m *member) *model.Field {
	for _, step := range m.steps {
		s = s.field(step.Name())
	}
	s = r.atField(s, m.v)
	if !r.reachable(s, owner, m) {
		return nil
	}
	plan := r.hiddenPlan(s, m.v.Type())
	if plan != nil && r.refuseStreamedInside(s, m.v.Type()) {
		return nil
	}
	if plan == nil {
		plan = r.resolveMember(s, m)
	}
	if plan == nil {
		return nil
	}
	f := &model.Field{
		Name: m.name, Path: m.path, Type: plan,
		OmitEmpty: m.omitEmpty, OmitZero: m.omitZero, Quoted: m.quoted,
		Pos: r.pkg.Fset.Position(m.v.Pos()),
	}
	if m.quoted && !quotable(plan) {
		r.errorf(s, "drop the option", "the option \"string\" of the json tag cannot be used on type %s", r.typeString(m.v.Type()))
		return nil
	}
	doc := strings.TrimSpace(r.docs.Of(m.v))
	f.Deprecated = isDeprecated(doc)
	f.Foreign = doc != "" && r.isForeign(m.v.Pkg())
	if !f.Foreign || !repeatsName(doc, m.v.Name(), m.name) {
		f.Description = doc
	}
	f.Required = !r.tagging(s.use) && !m.omitEmpty && !m.omitZero && !plan.IsOptional() && !throughPointer(m.path) &&
		!(plan.Kind == model.Reflect && isPointer(m.v.Type()))
	f.ReadOnly, f.WriteOnly = m.says("readOnly"), m.says("writeOnly")
	if !r.readTags(s, f, m) || !r.bothWays(s, f) {
		return nil
	}
	f.Foreign = f.Foreign && f.Description == doc // not the description from a tag
	r.warnName(s, f.Name)
	return f
}

// hiddenPlan returns the plan of a field whose type generated code cannot name, or nil for others.
// The field is left to encoding/json, which needs no name.
func (r *Resolver) hiddenPlan(s site, t types.Type) *model.Type {
	if r.converters.At(t) != nil {
		return nil
	}
	_, problem := r.unnameable(t, map[types.Type]bool{})
	if problem == "" {
		return nil
	}
	for elem := t; ; {
		switch u := elem.Underlying().(type) {
		case *types.Chan, *types.Signature:
			return nil // another error refuses it
		case *types.Basic:
			if u.Info()&types.IsComplex != 0 || u.Kind() == types.UnsafePointer {
				return nil
			}
		case *types.Pointer:
			if !endless(u) {
				elem = u.Elem()
				continue
			}
		}
		break
	}
	r.warnf(s, "use a type that can be named, or describe it in the comment of the field",
		"%s, so the field is left to encoding/json and its schema is empty", problem)
	return &model.Type{Kind: model.Reflect, Go: t}
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// isDeprecated recognises the paragraph by which Go marks deprecated symbols.
func isDeprecated(doc string) bool {
	return strings.HasPrefix(doc, "Deprecated: ") || strings.Contains(doc, "\n\nDeprecated: ")
}

// throughPointer reports whether a path leads through an embedded pointer, which may be nil.
func throughPointer(path []model.Selector) bool {
	return slices.ContainsFunc(path, func(s model.Selector) bool { return s.Pointer != nil })
}

// quotable reports whether the codecs support the option ",string" for a type.
func quotable(t *model.Type) bool {
	if t.Kind == model.Pointer {
		t = t.Elem
	}
	switch t.Kind {
	case model.Bool, model.Int, model.Uint, model.Float, model.String, model.Number:
		return true
	}
	return false
}

// reachable reports whether generated code can select the field. An unexported embedded struct of
// another package cannot be named, only its promoted fields.
func (r *Resolver) reachable(s site, owner types.Type, m *member) bool {
	hidden := func(v *types.Var) bool { return !r.visible(v) }
	if !slices.ContainsFunc(m.steps, hidden) {
		return true
	}
	for i, step := range m.steps {
		if hidden(step) && m.path[i].Pointer != nil {
			r.errorf(s, "leave the field out with `json:\"-\"`", "the field is embedded through a pointer to a type that its package does not export")
			return false
		}
	}
	obj, _, _ := types.LookupFieldOrMethod(owner, true, r.pkg.Types, m.v.Name())
	if obj != m.v {
		r.errorf(s, "use a struct of this package", "the field is embedded in a type that its package does not export, and hidden by another field")
		return false
	}
	return true
}
