package codec

import (
	"fmt"
	"go/types"

	"github.com/mcpgen/mcpgen/generator/model"
)

// Build plans the codecs of a package. An error means that a plan contradicts
// itself, for instance by a default that its type cannot hold; the generator
// reports such things with their position before it comes to this.
func Build(p *model.Package) (*Plan, error) {
	b := &builder{
		pkg:      p,
		names:    newNames(p.Types),
		stems:    map[string]string{},
		variants: map[*model.Type]string{},
		decoders: map[string]*Decoder{},
		encoders: map[string]*Encoder{},
		enums:    map[string]*Enum{},
		patterns: map[string]*Pattern{},
		guarded:  map[string]bool{},
		plan:     &Plan{Tools: map[*model.Tool]*Tool{}},
	}
	for _, t := range p.Tools {
		b.plan.Tools[t] = &Tool{Stem: b.names.tool(Camel(t.Name))}
	}
	for _, t := range p.Tools {
		b.tool(t, b.plan.Tools[t])
		if b.err != nil {
			return nil, fmt.Errorf("plan codecs of %s: %w", t.Func.Symbol, b.err)
		}
	}
	return b.plan, nil
}

type builder struct {
	pkg      *model.Package
	plan     *Plan
	names    *names
	stems    map[string]string // by the key of the type
	variants map[*model.Type]string
	decoders map[string]*Decoder
	encoders map[string]*Encoder
	enums    map[string]*Enum
	patterns map[string]*Pattern
	guarded  map[string]bool
	err      error // the first one
}

func (b *builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
}

func (b *builder) tool(t *model.Tool, out *Tool) {
	if in := t.Input; in != nil && in.Object != nil {
		switch {
		case in.Whole:
			r := b.read(in.Object, nil, out.Stem+"Args")
			out.Whole = &r
		case len(in.Object.Fields) > 0:
			out.Args = b.object(in.Object, out.Stem, out.Stem)
		}
	}
	if t.Result.Output == nil {
		return
	}
	if t.Result.Object {
		out.Results = b.putMembers(t.Result.Output, out.Stem+"Result")
		return
	}
	// What is behind a pointer is written once it is known to be there.
	root := t.Result.Output
	for ; root.Kind == model.Pointer; root = root.Elem {
		out.Pointers++
	}
	w := b.write(root, out.Stem+"Result")
	w.Deref = out.Pointers > 0
	out.Output = &w
}

// object plans the reading of an object. place is what unnamed parts of it are
// named after.
func (b *builder) object(t *model.Type, stem, place string) *Object {
	o := &Object{Stem: b.names.table("mcpFields", stem)}
	for _, f := range t.Fields {
		at := place + fieldStem(f)
		o.Entries = append(o.Entries, Entry{Name: f.Name, Required: f.Required, Null: f.Nullable || takesNull(f.Type)})
		path := b.steps(t, f)
		m := &Member{Name: f.Name, Path: path}
		if f.Default != nil {
			o.Defaults = append(o.Defaults, &Default{Path: path, Value: b.literal(f.Type, f.Default.JSON)})
			if merges(f.Type) {
				m.Reset = f.Type.Go
			}
		}
		if f.Nullable && f.Type.Kind != model.Pointer && !takesNull(f.Type) {
			m.Null = f.Type.Go
		}
		r := b.readField(f, at)
		m.Read = &r
		o.Members = append(o.Members, m)
	}
	return o
}

// merges reports whether reading into a value that is not zero would keep parts
// of it.
func merges(t *model.Type) bool {
	switch t.Kind {
	case model.Struct, model.Array:
		return true
	}
	return false
}

func fieldStem(f *model.Field) string {
	if n := len(f.Path); n > 0 {
		if s := Camel(f.Path[n-1].Name); s != "" {
			return s
		}
	}
	return Camel(f.Name)
}

func (b *builder) readField(f *model.Field, place string) Read {
	if f.Quoted {
		return b.readQuoted(f, place)
	}
	r := b.read(f.Type, &f.Rules, place)
	if f.Type.Kind == model.Pointer && (f.Nullable || takesNull(f.Type)) {
		r.Func.Name = "Nullable"
	}
	return r
}

// readQuoted plans a field of the ",string" option, which encoding/json heeds
// for scalars and pointers to them.
func (b *builder) readQuoted(f *model.Field, place string) Read {
	t, deref := f.Type, 0
	for t.Kind == model.Pointer {
		t, deref = t.Elem, deref+1
	}
	if !quotable(t) || deref > 1 {
		b.fail("field %s: the option ,string does not apply to its type", f.Name)
		return Read{}
	}
	elem := b.elemFunc(t, nil, place)
	r := Read{Func: Func{Name: "Quoted"}, Elem: &elem, Checks: b.checks(t, &f.Rules, place), Deref: deref}
	if deref == 0 {
		return r
	}
	r.Deref = 0
	d := &Decoder{Stem: b.names.codec(place), Go: t.Go, Value: &r}
	b.plan.Decoders = append(b.plan.Decoders, d)
	name := "Ptr"
	if f.Nullable {
		name = "Nullable"
	}
	return Read{Func: Func{Name: name}, Elem: &Func{Name: d.Name(), Local: true}}
}

// steps are the selectors that lead to a field from a value of the struct t. An
// unexported embedded struct of another package cannot be named; its fields are
// promoted, so the step is left out.
func (b *builder) steps(t *model.Type, f *model.Field) []Step {
	var out []Step
	cur := t.Go
	for i, s := range f.Path {
		var next types.Type
		hidden := false
		if cur != nil {
			if u, ok := deref(cur).Underlying().(*types.Struct); ok {
				for v := range u.Fields() {
					if v.Name() == s.Name {
						next = v.Type()
						hidden = !v.Exported() && v.Pkg() != b.pkg.Types
					}
				}
			}
		}
		cur = next
		if hidden && s.Pointer == nil && i < len(f.Path)-1 {
			continue
		}
		out = append(out, Step{Name: s.Name, Pointer: s.Pointer})
	}
	if len(out) == 0 {
		out = []Step{{Name: f.Name}}
	}
	return out
}

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// read plans the reading of a value where it is used: a call of runtime/wire or
// of a function of the package, and the checks behind it.
func (b *builder) read(t *model.Type, rules *model.Rules, place string) Read {
	r := Read{Checks: b.checks(t, rules, place), Deref: depth(t)}
	switch t.Kind {
	case model.Struct:
		r.Func = b.decodeFunc(t, place)
	case model.Pointer:
		elem := b.targetFunc(t.Elem, elemOnly(rules), place)
		r.Func, r.Elem = Func{Name: "Ptr"}, &elem
	case model.Slice, model.Array, model.Map:
		var inner *model.Rules
		if rules != nil {
			inner = rules.Elem
		}
		suffix := "Item"
		if t.Kind == model.Map {
			suffix = "Value"
		}
		elem := b.elemFunc(t.Elem, inner, place+suffix)
		r.Elem = &elem
		switch t.Kind {
		case model.Slice:
			r.Func = Func{Name: "Slice"}
		case model.Array:
			r.Func, r.Array = Func{Name: "Array"}, true
		case model.Map:
			r.Func = Func{Name: mapReader(t.Key)}
			if t.Key.Kind == model.Text {
				r.Method, r.Type = "UnmarshalText", t.Key.Go
			}
		}
	default:
		r.Func = Func{Name: scalarReader(t)}
		switch {
		case t.Kind == model.Text:
			r.Method, r.Type = "UnmarshalText", t.Go
		case t.Kind == model.JSON:
			r.Method, r.Type = "UnmarshalJSON", t.Go
		case t.Kind == model.Any && !isEmptyInterface(t.Go):
			b.fail("type %s is an interface and cannot be read", t.Go)
		case t.Kind == model.Any && !isAny(t.Go):
			r.AsAny = true
		}
		if e := b.enum(t, rules, place); e != nil {
			r.Enum = e
			r.Func.Name = enumReader(t)
		}
	}
	if r.Func.Name == "" {
		b.fail("type %s cannot be read", t.Go)
	}
	return r
}

// elemOnly keeps the rules for elements, which the function for a pointer's
// target must check itself.
func elemOnly(rules *model.Rules) *model.Rules {
	if rules == nil || rules.Elem.IsZero() && len(rules.Enum) == 0 {
		return nil
	}
	return &model.Rules{Elem: rules.Elem, Enum: rules.Enum}
}

// depth counts the pointers around a value.
func depth(t *model.Type) int {
	n := 0
	for ; t.Kind == model.Pointer; t = t.Elem {
		n++
	}
	return n
}

// elemFunc is a function that reads a value elsewhere: as an element, behind a
// pointer. Constrained values have one of their own for each place.
func (b *builder) elemFunc(t *model.Type, rules *model.Rules, place string) Func {
	if !rules.IsZero() {
		d := &Decoder{Stem: b.names.codec(place), Go: t.Go}
		b.plan.Decoders = append(b.plan.Decoders, d)
		r := b.read(t, rules, d.Stem)
		d.Value = nullable(t, r)
		return Func{Name: d.Name(), Local: true}
	}
	if name := scalarReader(t); name != "" && t.Enum == nil && isPlain(t) {
		return Func{Name: name}
	}
	return b.decodeFunc(t, place)
}

// decodeFunc is the function of the package that reads a type, made once.
func (b *builder) decodeFunc(t *model.Type, place string) Func {
	key := b.key(t)
	d, ok := b.decoders[key]
	if !ok {
		d = &Decoder{Stem: b.stem(t, key, place), Go: t.Go}
		b.decoders[key] = d
		b.plan.Decoders = append(b.plan.Decoders, d)
		if t.Kind == model.Struct {
			b.guard(t.Go)
			d.Object = b.object(t, d.Stem, d.Stem)
		} else {
			d.Value = nullable(t, b.read(t, nil, d.Stem))
		}
	}
	return Func{Name: d.Name(), Local: true}
}

// nullable makes an element that is a pointer take null. A field that is one
// takes it only where the field says so.
func nullable(t *model.Type, r Read) *Read {
	if t.Kind == model.Pointer {
		r.Func.Name = "Nullable"
	}
	return &r
}

// targetFunc is a function that reads what a pointer points to. Behind a pointer
// to a pointer there is no null either.
func (b *builder) targetFunc(t *model.Type, rules *model.Rules, place string) Func {
	if t.Kind != model.Pointer || takesNull(t) {
		return b.elemFunc(t, rules, place)
	}
	d := &Decoder{Stem: b.names.codec(place), Go: t.Go}
	b.plan.Decoders = append(b.plan.Decoders, d)
	r := b.read(t, rules, d.Stem)
	d.Value = &r
	return Func{Name: d.Name(), Local: true}
}

// write plans the writing of a value where it is used.
func (b *builder) write(t *model.Type, place string) Write {
	w := Write{}
	switch t.Kind {
	case model.Struct:
		w.Func = b.encodeFunc(t, place)
	case model.Pointer:
		elem := b.putFunc(t.Elem, place)
		w.Func, w.Elem, w.Value = Func{Name: "PutPtr"}, &elem, true
	case model.Slice, model.Array:
		elem := b.putFunc(t.Elem, place+"Item")
		w.Func, w.Elem, w.Value, w.Array = Func{Name: "PutSlice"}, &elem, true, t.Kind == model.Array
	case model.Map:
		elem := b.putFunc(t.Elem, place+"Value")
		w.Func, w.Elem, w.Value = Func{Name: mapWriter(t.Key)}, &elem, true
		if t.Key.Kind == model.Text {
			w.Method, w.Type = "MarshalText", t.Key.Go
		}
	default:
		w.Func = Func{Name: scalarWriter(t)}
		switch {
		case t.Kind == model.Text:
			w.Method, w.Type = "MarshalText", t.Go
		case t.Kind == model.JSON:
			w.Method, w.Type = "MarshalJSON", t.Go
		case t.Kind == model.Any && !isEmptyInterface(t.Go):
			w.Func.Name = "PutReflect"
		case t.Kind == model.Any && !isAny(t.Go):
			w.AsAny = true
		}
	}
	if w.Func.Name == "" {
		b.fail("type %s cannot be written", t.Go)
	}
	return w
}

// putFunc is a function that writes a value elsewhere.
func (b *builder) putFunc(t *model.Type, place string) Func {
	if name := scalarWriter(t); name != "" && isPlain(t) {
		return Func{Name: name}
	}
	return b.encodeFunc(t, place)
}

// encodeFunc is the function of the package that writes a type, made once.
func (b *builder) encodeFunc(t *model.Type, place string) Func {
	key := b.writeKey(t)
	e, ok := b.encoders[key]
	if !ok {
		e = &Encoder{Stem: b.stem(t, key, place), Go: t.Go}
		b.encoders[key] = e
		b.plan.Encoders = append(b.plan.Encoders, e)
		if t.Kind == model.Struct {
			b.guard(t.Go)
			e.Members = b.putMembers(t, e.Stem)
		} else {
			w := b.write(t, e.Stem)
			e.Value = &w
		}
	}
	return Func{Name: e.Name(), Local: true}
}

func (b *builder) putMembers(t *model.Type, place string) []*PutMember {
	var out []*PutMember
	for _, f := range t.Fields {
		m := &PutMember{Name: f.Name, Path: b.steps(t, f), When: conditions(f, b.pkg.Types)}
		if f.Quoted {
			m.Write = b.writeQuoted(f, place+fieldStem(f))
		} else {
			w := b.write(f.Type, place+fieldStem(f))
			if f.Type.Kind == model.Pointer && len(m.When) > 0 && f.Type.Elem.Kind != model.Pointer {
				w = b.writeSet(f.Type.Elem, place+fieldStem(f))
			}
			m.Write = &w
		}
		out = append(out, m)
	}
	return out
}

// writeSet writes what a pointer that is known to be set points to.
func (b *builder) writeSet(t *model.Type, place string) Write {
	w := b.write(t, place)
	w.Deref = true
	return w
}

func (b *builder) writeQuoted(f *model.Field, place string) *Write {
	t := f.Type
	isPtr := t.Kind == model.Pointer
	if isPtr {
		t = t.Elem
	}
	elem := b.putFunc(t, place)
	w := &Write{Func: Func{Name: "PutQuoted"}, Elem: &elem}
	switch {
	case isPtr && !f.Nullable:
		w.Deref = true
	case isPtr:
		e := &Encoder{Stem: b.names.codec(place), Go: t.Go, Value: w}
		b.plan.Encoders = append(b.plan.Encoders, e)
		return &Write{Func: Func{Name: "PutPtr"}, Elem: &Func{Name: e.Name(), Local: true}, Value: true}
	}
	return w
}

// stem names a type, the same for reading and writing.
func (b *builder) stem(t *model.Type, key, place string) string {
	if s, ok := b.stems[key]; ok {
		return s
	}
	s := ""
	switch {
	case t.Variant != "":
		s = b.names.codec(Camel(t.Variant)+typeStem(t.Go), place)
	default:
		s = b.names.forType(t.Go, place)
	}
	b.stems[key] = s
	return s
}

// guard notes a struct whose shape the generated file asserts: one of this
// module, since what another module adds to a struct in a later version must not
// break the build.
func (b *builder) guard(t types.Type) {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return
	}
	id := types.TypeString(named, nil)
	if b.guarded[id] {
		return
	}
	b.guarded[id] = true
	u, ok := named.Underlying().(*types.Struct)
	if !ok || !b.inModule(named.Obj().Pkg()) || u.NumFields() == 0 || !nameable(u, b.pkg.Types, map[types.Type]bool{}) {
		return
	}
	b.plan.Guards = append(b.plan.Guards, named)
}

func (b *builder) inModule(p *types.Package) bool {
	if p == b.pkg.Types || p.Path() == b.pkg.Path {
		return true
	}
	m := b.pkg.Module
	return m != "" && (p.Path() == m || len(p.Path()) > len(m) && p.Path()[:len(m)+1] == m+"/")
}

// nameable reports whether a package can spell the type.
func nameable(t types.Type, from *types.Package, seen map[types.Type]bool) bool {
	if seen[t] {
		return true
	}
	seen[t] = true
	visible := func(o types.Object) bool {
		return o.Pkg() == nil || o.Exported() || o.Pkg() == from
	}
	list := func(l *types.TypeList) bool {
		for a := range l.Types() {
			if !nameable(a, from, seen) {
				return false
			}
		}
		return true
	}
	switch t := t.(type) {
	case *types.Named:
		return visible(t.Obj()) && list(t.TypeArgs())
	case *types.Alias:
		return visible(t.Obj()) && list(t.TypeArgs())
	case *types.Struct:
		for f := range t.Fields() {
			if !visible(f) || !nameable(f.Type(), from, seen) {
				return false
			}
		}
	case *types.Map:
		return nameable(t.Key(), from, seen) && nameable(t.Elem(), from, seen)
	case *types.Signature:
		for v := range t.Params().Variables() {
			if !nameable(v.Type(), from, seen) {
				return false
			}
		}
		for v := range t.Results().Variables() {
			if !nameable(v.Type(), from, seen) {
				return false
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if !visible(m) || !nameable(m.Type(), from, seen) {
				return false
			}
		}
	case interface{ Elem() types.Type }:
		return nameable(t.Elem(), from, seen)
	}
	return true
}
