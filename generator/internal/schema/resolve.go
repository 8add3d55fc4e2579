package schema

import (
	"cmp"
	"go/types"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// maxDepth limits the nesting of types. Only a generic type that instantiates itself with ever
// larger arguments reaches it.
const maxDepth = 500

// resolve makes the plan of a type, in the order in which encoding/json examines it: its own form
// takes precedence over its kind.
func (r *Resolver) resolve(s site, t types.Type) *model.Type {
	if s.deep++; s.deep > maxDepth {
		r.errorf(s, "break the chain with a type that has its own JSON form", "type %.80s… is nested too deeply", r.typeString(t))
		return nil
	}
	t = types.Unalias(t)
	if c, ok := r.converters.At(t).(*converter); ok {
		return r.converted(s, t, c)
	}
	switch t := t.(type) {
	case *types.Named:
		return r.named(s, t)
	case *types.TypeParam:
		r.errorf(s, "use a concrete type", "type parameter %s has no JSON form of its own", t)
		return nil
	default:
		if _, isStruct := t.(*types.Struct); isStruct && r.refuseStreamed(s, t) { // promoted methods
			return nil
		}
		plan := &model.Type{Go: t}
		if !r.fill(s, plan, t) {
			return nil
		}
		return plan
	}
}

// named makes the plan of a declared type once. The plan is registered before it is filled, so that
// a type that contains itself finds it.
func (r *Resolver) named(s site, t *types.Named) *model.Type {
	if plan, ok := r.plansOf(s.use, r.isInput(s, t)).At(t).(*model.Type); ok {
		return plan
	}
	if r.refuseLibrary(s, t) || r.refuseMultipart(s, t) || !r.usable(s, t) {
		return nil
	}
	plan := &model.Type{Go: t, Name: plainName(t), Doc: r.typeDoc(t.Obj())}
	return r.enter(s, t, plan, func() bool { return r.fillNamed(s, plan, t) })
}

// enter registers a shared plan, and fills it. It returns nil if that fails.
func (r *Resolver) enter(s site, t types.Type, plan *model.Type, fill func() bool) *model.Type {
	mark := len(r.order)
	r.plansOf(s.use, r.isInput(s, t)).Set(t, plan)
	r.order = append(r.order, t)
	if fill() {
		return plan
	}
	r.forget(s.use, mark)
	return nil
}

func (r *Resolver) fillNamed(s site, plan *model.Type, t *types.Named) bool {
	form := r.formOf(t.Obj())
	if form.Schema != nil {
		r.fillSchema(s, plan, t, form.Schema)
		return !r.unreadable(s, plan, t) && !r.refuseStreamed(s, t) && !(plan.Kind == model.Reflect && r.refuseStreamedInside(s, t))
	}
	if hint := refused[typeKey(t)]; hint != "" {
		r.errorf(s, hint, "type %s reads a string, and writes its bytes as if they were JSON", r.typeString(t))
		return false
	}
	if value := flaggedValue(t); value != nil {
		plan.Value, plan.Flag = value.Name(), "Valid"
		return r.fillElem(s, plan, model.Flagged, value.Type())
	}
	if known := knownType(t); known != nil {
		name := plan.Name
		*plan = *known
		plan.Go, plan.Name = spelled(t), name
		return true
	}
	if r.refuseStreamed(s, t) {
		return false
	}
	if _, ok := t.Underlying().(*types.Interface); !ok {
		if m := methodsOf(t).in(s.use); m.any() {
			if !r.fillMethods(s, plan, t, m) {
				return false
			}
			ok := true
			if plan.Kind == model.Text && form.Enum != nil {
				plan.Enum, ok = r.textEnumeration(s, t, form.Enum)
			}
			return ok
		}
	}
	if !r.fill(s, plan, t) {
		return false
	}
	ok := true
	switch plan.Kind {
	case model.String, model.Int, model.Uint:
		plan.Enum, ok = r.enumeration(s, t, form.Enum)
	}
	return ok
}

// fillSchema makes the plan of a type whose schema is given. Its own methods read and write it, or
// else encoding/json does.
func (r *Resolver) fillSchema(s site, plan *model.Type, t *types.Named, form *SchemaForm) {
	plan.Kind, plan.Schema = model.Reflect, form.JSON
	switch m := methodsOf(t).in(s.use); {
	case m.marshalJSON && m.unmarshalJSON, (m.marshalJSON || m.unmarshalJSON) && !m.marshalText && !m.unmarshalText:
		plan.Kind = model.JSON
	case !m.marshalJSON && !m.unmarshalJSON && (m.marshalText || m.unmarshalText):
		plan.Kind = model.Text
	}
}

// fill sets the plan of a type by its underlying type.
func (r *Resolver) fill(s site, plan *model.Type, t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return r.fillBasic(s, plan, t, u)
	case *types.Pointer:
		if endless(u) {
			return r.refuse(s, t)
		}
		return r.fillElem(s, plan, model.Pointer, u.Elem())
	case *types.Slice:
		if b, ok := u.Elem().Underlying().(*types.Basic); ok && b.Kind() == types.Uint8 {
			// encoding/json writes base64 unless the elements have their own form, and always reads
			// it.
			elem := types.Unalias(u.Elem())
			has, _ := streamed(elem, s.use)
			if m := methodsOf(elem); !m.marshalJSON && !m.marshalText && len(has) == 0 {
				plan.Kind = model.Bytes
				return true
			}
		}
		return r.fillElem(s.element(), plan, model.Slice, u.Elem())
	case *types.Array:
		plan.Len = u.Len()
		return r.fillElem(s.element(), plan, model.Array, u.Elem())
	case *types.Map:
		return r.fillMap(s, plan, u)
	case *types.Struct:
		return r.fillStruct(s, plan, t, u)
	case *types.Interface:
		return r.fillInterface(s, plan, t, u)
	}
	return r.refuse(s, t)
}

func (r *Resolver) refuse(s site, t types.Type) bool {
	own := ""
	if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsComplex != 0 {
		own = "use two numbers"
	}
	r.errorf(s, r.remedy(s, t, own), "type %s cannot be expressed in JSON", r.typeString(t))
	return false
}

func (r *Resolver) fillElem(s site, plan *model.Type, kind model.Kind, elem types.Type) bool {
	plan.Kind = kind
	plan.Elem = r.resolve(s, elem)
	return plan.Elem != nil
}

func (r *Resolver) fillBasic(s site, plan *model.Type, t types.Type, b *types.Basic) bool {
	switch b.Kind() {
	case types.Bool:
		plan.Kind = model.Bool
	case types.String:
		plan.Kind = model.String
	case types.Int, types.Int64:
		plan.Kind, plan.Bits = model.Int, 64
	case types.Int8:
		plan.Kind, plan.Bits = model.Int, 8
	case types.Int16:
		plan.Kind, plan.Bits = model.Int, 16
	case types.Int32:
		plan.Kind, plan.Bits = model.Int, 32
	case types.Uint, types.Uint64, types.Uintptr:
		plan.Kind, plan.Bits = model.Uint, 64
	case types.Uint8:
		plan.Kind, plan.Bits = model.Uint, 8
	case types.Uint16:
		plan.Kind, plan.Bits = model.Uint, 16
	case types.Uint32:
		plan.Kind, plan.Bits = model.Uint, 32
	case types.Float32:
		plan.Kind, plan.Bits = model.Float, 32
	case types.Float64:
		plan.Kind, plan.Bits = model.Float, 64
	case types.Invalid:
		r.errorf(s, "make the package compile; go vet shows what is missing", "the type could not be resolved")
		return false
	default:
		return r.refuse(s, t)
	}
	return true
}

func (r *Resolver) fillInterface(s site, plan *model.Type, t types.Type, u *types.Interface) bool {
	if u.Empty() {
		plan.Kind = model.Any
		return true
	}
	if named, ok := t.(*types.Named); ok && sealed(t) {
		if isUnion, ok := r.fillUnion(s, plan, named); isUnion {
			return ok
		}
	}
	plan.Kind = model.Interface
	if isError(t) {
		plan.Kind = model.Error
	}
	return true
}

func isError(t types.Type) bool {
	return types.Implements(t, types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
}

// fillMap sets the plan of a map. For keys encoding/json uses text methods, whatever other forms
// their type has. It prefers them when it reads, but tries them last when it writes, so a string
// type with one would not survive a round trip.
func (r *Resolver) fillMap(s site, plan *model.Type, u *types.Map) bool {
	plan.Kind = model.Map
	key := types.Unalias(u.Key())
	named, _ := key.(*types.Named)
	if named != nil && !r.usable(s, named) {
		return false
	}
	b, basic := key.Underlying().(*types.Basic)
	m := methodsOf(key)
	reads, writes := m.unmarshalText && s.use != Result, m.marshalText && s.use != Argument
	isString := basic && b.Info()&types.IsString != 0
	isInteger := basic && b.Info()&types.IsInteger != 0
	switch {
	case isString && reads && s.use == Argument:
		plan.Key = &model.Type{Kind: model.Text, Go: key}
	case isString && reads:
		r.errorf(s, "use a key type without UnmarshalText", "map key type %s cannot be used: encoding/json writes it as it is, but reads it by UnmarshalText", r.typeString(key))
		return false
	case isString:
		plan.Key = &model.Type{Kind: model.String, Go: key}
	case s.use == Anywhere && reads != writes:
		r.errorf(s, "give it both methods", "map key type %s has only one of MarshalText and UnmarshalText", r.typeString(key))
		return false
	case reads || writes:
		plan.Key = &model.Type{Kind: model.Text, Go: key}
	case isInteger:
		plan.Key = &model.Type{Go: key}
		if !r.fillBasic(s, plan.Key, key, b) {
			return false
		}
	default:
		return r.refuseKey(s, key, m)
	}
	if named != nil {
		plan.Key.Name = plainName(named)
	}
	plan.Elem = r.resolve(s.element(), u.Elem())
	return plan.Elem != nil
}

// refuseKey reports a key type without a text form, or without one in the direction.
func (r *Resolver) refuseKey(s site, key types.Type, m methods) bool {
	missing := ""
	switch {
	case m.marshalText && s.use == Argument:
		missing = "UnmarshalText"
	case m.unmarshalText && s.use == Result:
		missing = "MarshalText"
	}
	if missing != "" {
		r.errorf(s, cmp.Or(r.methodsOn(key, "give it "+missing+" as well"), "use a string type for the keys"),
			"map key type %s has no %s, so it has no text", r.typeString(key), missing)
		return false
	}
	_, pointer := key.Underlying().(*types.Pointer)
	if types.IsInterface(key) || pointer {
		r.errorf(s, "use a type whose values are equal where their texts are", "map key type %s is not supported: two keys could have one text", r.typeString(key))
		return false
	}
	r.errorf(s, "use a string type for the keys, or one with text methods", "map key type %s cannot be expressed in JSON", r.typeString(key))
	return false
}

// endless recognises a pointer type that points to itself.
func endless(p *types.Pointer) bool {
	seen := map[types.Type]bool{}
	for t := types.Type(p); ; {
		u, ok := t.Underlying().(*types.Pointer)
		if !ok {
			return false
		}
		if seen[u] {
			return true
		}
		seen[u] = true
		t = u.Elem()
	}
}

// plainName returns the name of a type for $defs: letters, digits and _ only.
func plainName(t *types.Named) string {
	name := t.Obj().Name()
	if alias, ok := spelled(t).(*types.Alias); ok {
		name = alias.Obj().Name()
	}
	for arg := range t.TypeArgs().Types() {
		text := types.TypeString(unaliased(arg), func(*types.Package) string { return "" })
		name += "_" + strings.Trim(strings.Map(func(r rune) rune {
			if r == '_' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' {
				return r
			}
			return '_'
		}, text), "_")
	}
	return name
}

// typeDoc returns the doc comment of a type. Comments in the standard library and in other modules,
// and on types of the built-in table, explain the Go type to a programmer, not the value to a
// caller. //mcp:doc is always for clients.
func (r *Resolver) typeDoc(obj *types.TypeName) string {
	if obj.Pkg() == nil || r.isStandard(obj.Pkg().Path()) {
		return ""
	}
	if _, ok := table[typeKey(obj.Type())]; ok {
		return ""
	}
	if r.isForeign(obj.Pkg()) {
		if set := r.docs.Directives(obj); set == nil || set.Get("doc") == nil {
			return ""
		}
	}
	return r.docs.Of(obj)
}

// isForeign reports whether a package belongs to a module other than those that are read as source.
// It depends only on paths, so that vendoring and workspaces change nothing.
func (r *Resolver) isForeign(pkg *types.Package) bool {
	if pkg == nil || r.isStandard(pkg.Path()) {
		return false
	}
	for _, module := range r.modules {
		if module == "" || pkg.Path() == module || strings.HasPrefix(pkg.Path(), module+"/") {
			return false
		}
	}
	return true
}

// isStandard reports whether a path belongs to the standard library: its first element contains no
// dot, unless the module itself has such a name.
func (r *Resolver) isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	if strings.Contains(first, ".") {
		return false
	}
	for p := range r.sources {
		if own, _, _ := strings.Cut(p.Path(), "/"); own == first {
			return false
		}
	}
	return true
}

// textDurations returns the plan with every time.Duration outside of structs as text.
func (r *Resolver) textDurations(t *model.Type) *model.Type {
	switch {
	case isDuration(t.Go) && t.Kind == model.Int:
		return &model.Type{Kind: model.Duration, Go: t.Go, Name: t.Name}
	case t.Elem == nil || t.Name != "":
		return t
	}
	elem := r.textDurations(t.Elem)
	if elem == t.Elem {
		return t
	}
	changed := *t
	changed.Elem = elem
	return &changed
}

func isDuration(t types.Type) bool { return isNamed(t, "time", "Duration") }

func isNamed(t types.Type, path, name string) bool {
	if t == nil {
		return false
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == path && named.Obj().Name() == name
}
