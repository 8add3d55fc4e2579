package schema

import (
	"go/types"
	"strings"

	"github.com/mcpgen/mcpgen/generator/model"
)

// maxDepth bounds how deep types may be nested. Only a generic type that
// instantiates itself with ever larger arguments gets there.
const maxDepth = 500

// resolve makes the plan of a type, in the order in which encoding/json looks
// at it: what the type itself says about its form comes before its kind.
func (r *Resolver) resolve(s site, t types.Type) *model.Type {
	if s.deep++; s.deep > maxDepth {
		r.errorf(s, "break the chain with a type that has its own JSON form", "type %.80s… is nested too deeply", r.typeString(t))
		return nil
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return r.named(s, t)
	case *types.TypeParam:
		r.errorf(s, "use a concrete type", "type parameter %s has no JSON form of its own", t)
		return nil
	default:
		plan := &model.Type{Go: t}
		if !r.fill(s, plan, t) {
			return nil
		}
		return plan
	}
}

// named makes the plan of a declared type once. It is entered before it is
// filled, so that a type that contains itself finds it.
func (r *Resolver) named(s site, t *types.Named) *model.Type {
	if plan, ok := r.plans.At(t).(*model.Type); ok {
		return plan
	}
	if !r.usable(s, t) {
		return nil
	}
	plan := &model.Type{Go: t, Name: plainName(t), Doc: r.typeDoc(t.Obj())}
	mark := len(r.order)
	r.plans.Set(t, plan)
	r.order = append(r.order, t)
	if r.fillNamed(s, plan, t) {
		return plan
	}
	// Whatever was made on the way may refer to the plan that failed.
	for _, made := range r.order[mark:] {
		r.plans.Delete(made)
	}
	r.order = r.order[:mark]
	return nil
}

func (r *Resolver) fillNamed(s site, plan *model.Type, t *types.Named) bool {
	if known, refusal := knownType(t); known != nil {
		doc, name := plan.Doc, plan.Name
		*plan = *known
		plan.Go, plan.Doc, plan.Name = t, doc, name
		return true
	} else if refusal != "" {
		r.errorf(s, refusal, "type %s cannot be used yet", r.typeString(t))
		return false
	}
	if _, ok := t.Underlying().(*types.Interface); !ok {
		if m := methodsOf(t); m.any() {
			return r.fillMethods(s, plan, t, m)
		}
	}
	if !r.fill(s, plan, t) {
		return false
	}
	switch plan.Kind {
	case model.String, model.Int, model.Uint:
		plan.Enum = r.enumeration(t)
	}
	return true
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
		if isByte(u.Elem()) {
			plan.Kind = model.Bytes
			return true
		}
		if b, ok := u.Elem().Underlying().(*types.Basic); ok && b.Kind() == types.Uint8 && !methodsOf(types.Unalias(u.Elem())).any() {
			r.errorf(s, "use []byte", "type %s cannot be used yet: encoding/json has it as base64", r.typeString(t))
			return false
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
	hint := "leave it out of the signature, or give the type a //mcp:schema"
	switch {
	case s.far.IsValid():
		hint = "use a struct of this package without the field, or give the type a //mcp:schema"
	case s.path != "":
		hint = "leave the field out with `json:\"-\"`, or give the type a //mcp:schema"
	}
	r.errorf(s, hint, "type %s cannot be expressed in JSON", r.typeString(t))
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
	switch {
	case types.Identical(t, types.Universe.Lookup("error").Type()):
		r.errorf(s, "use a string", "type error cannot be used yet inside of a value")
	case s.at.Use == Argument:
		r.errorf(s, "use a concrete type", "type %s is an interface, and JSON does not say which type to make", r.typeString(t))
	default:
		r.errorf(s, "use a concrete type, or any", "type %s cannot be used yet: it is an interface with methods", r.typeString(t))
	}
	return false
}

// fillMap sets the plan of a map. encoding/json asks the key type for its text
// form first when it reads, and last when it writes, so a string type with one
// would not come back as it went.
func (r *Resolver) fillMap(s site, plan *model.Type, u *types.Map) bool {
	plan.Kind = model.Map
	key := types.Unalias(u.Key())
	named, _ := key.(*types.Named)
	if named != nil && !r.usable(s, named) {
		return false
	}
	b, basic := key.Underlying().(*types.Basic)
	m := methodsOf(key)
	isString := basic && b.Info()&types.IsString != 0
	isInteger := basic && b.Info()&types.IsInteger != 0
	switch {
	case isString && m.unmarshalText:
		r.errorf(s, "use a key type without UnmarshalText", "map key type %s cannot be used: encoding/json writes it as it is, but reads it by UnmarshalText", r.typeString(key))
		return false
	case isString:
		plan.Key = &model.Type{Kind: model.String, Go: key}
	case m.marshalText && m.unmarshalText:
		plan.Key = &model.Type{Kind: model.Text, Go: key}
	case m.marshalText || m.unmarshalText:
		r.errorf(s, "give it both methods", "map key type %s has only one of MarshalText and UnmarshalText", r.typeString(key))
		return false
	case isInteger:
		plan.Key = &model.Type{Go: key}
		if !r.fillBasic(s, plan.Key, key, b) {
			return false
		}
	default:
		r.errorf(s, "use a string type for the keys", "map key type %s cannot be expressed in JSON", r.typeString(key))
		return false
	}
	if named != nil {
		plan.Key.Name = plainName(named)
	}
	plan.Elem = r.resolve(s.element(), u.Elem())
	return plan.Elem != nil
}

// usable reports whether generated code can name the type.
func (r *Resolver) usable(s site, t *types.Named) bool {
	obj := t.Obj()
	pkg := obj.Pkg()
	if pkg == nil {
		return true // error, comparable
	}
	for arg := range t.TypeArgs().Types() {
		if n, ok := types.Unalias(arg).(*types.Named); ok && !r.usable(s, n) {
			return false
		}
	}
	switch {
	case obj.Parent() != nil && obj.Parent() != pkg.Scope():
		r.errorf(s, "declare the type outside of the function", "type %s is declared inside of a function, so generated code cannot name it", r.typeString(t))
		return false
	case pkg == r.pkg.Types:
		return true
	case !obj.Exported():
		r.errorf(s, "use a type of this package, or an exported one", "type %s is not exported by its package, so generated code cannot name it", r.typeString(t))
		return false
	case !importable(r.pkg.Types.Path(), pkg.Path()):
		r.errorf(s, "use a type of this package, or one that can be imported", "type %s is in an internal package that this package cannot import", r.typeString(t))
		return false
	}
	return true
}

// importable applies the rule of the go command for internal packages: only
// those below the parent of "internal" may import them.
func importable(from, path string) bool {
	i := strings.LastIndex("/"+path+"/", "/internal/")
	if i < 0 {
		return true
	}
	root := strings.TrimSuffix(path[:i], "/")
	return root != "" && (from == root || strings.HasPrefix(from, root+"/"))
}

// endless recognises a pointer type that only ever points to itself.
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

// isByte reports whether t is byte itself, or an alias of it.
func isByte(t types.Type) bool {
	b, ok := types.Unalias(t).(*types.Basic)
	return ok && b.Kind() == types.Uint8
}

// plainName is the name of a type for $defs: letters, digits and _ only.
func plainName(t *types.Named) string {
	name := t.Obj().Name()
	for arg := range t.TypeArgs().Types() {
		text := types.TypeString(types.Unalias(arg), func(*types.Package) string { return "" })
		name += "_" + strings.Trim(strings.Map(func(r rune) rune {
			if r == '_' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' {
				return r
			}
			return '_'
		}, text), "_")
	}
	return name
}

// typeDoc is the doc comment of a type. Those of the standard library explain
// the Go type to a programmer, not the value to a caller.
func (r *Resolver) typeDoc(obj *types.TypeName) string {
	if obj.Pkg() == nil || r.isStandard(obj.Pkg().Path()) {
		return ""
	}
	return r.docs.Of(obj)
}

// isStandard reports whether the path is one of the standard library: those
// have no dot in the first element, unless the module itself is named so.
func (r *Resolver) isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	own, _, _ := strings.Cut(r.pkg.Types.Path(), "/")
	return !strings.Contains(first, ".") && first != own
}

// textDurations is the plan with every time.Duration that is not in a struct as
// text.
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
