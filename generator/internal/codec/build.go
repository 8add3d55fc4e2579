package codec

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// Build plans the codecs of a package. It returns an error if a plan contradicts itself, for
// instance by a default that its type cannot hold; the generator reports such problems with their
// position before it calls Build.
func Build(p *model.Package) (*Plan, error) {
	b := &builder{
		pkg:       p,
		names:     newNames(p.Types),
		stems:     map[string]string{},
		readers:   map[string]string{},
		variants:  map[*model.Type]string{},
		decoders:  map[string]*Decoder{},
		encoders:  map[string]*Encoder{},
		enums:     map[string]*Enum{},
		patterns:  map[string]*Pattern{},
		schemas:   map[string]*Schema{},
		guarded:   map[string]bool{},
		constants: map[*model.Field]*Literal{},
		plan:      &Plan{Tools: map[*model.Tool]*Tool{}, Calls: map[*model.Call]*Tool{}},
	}
	for _, t := range p.Tools {
		b.plan.Tools[t] = &Tool{Stem: b.names.tool(Camel(t.Name))}
	}
	for _, t := range p.Tools {
		b.subject = "tool " + t.Name
		b.tool(&t.Call, b.plan.Tools[t])
		if b.err != nil {
			return nil, fmt.Errorf("plan codecs of %s: %w", t.Func.Symbol, b.err)
		}
	}
	if err := b.features(p); err != nil {
		return nil, err
	}
	markCircular(b.plan.Encoders)
	return b.plan, nil
}

// builder makes the plan of one package. Its maps ensure that each function and table is planned
// once: a second one with the same identifier would not compile.
type builder struct {
	pkg       *model.Package
	plan      *Plan
	names     *names
	stems     map[string]string // by the key of the type
	readers   map[string]string // keys of the types with a decoder, by their stems
	variants  map[*model.Type]string
	decoders  map[string]*Decoder
	encoders  map[string]*Encoder
	enums     map[string]*Enum
	patterns  map[string]*Pattern
	schemas   map[string]*Schema
	guarded   map[string]bool
	constants map[*model.Field]*Literal // see fixed
	subject   string                    // the feature that is planned, for error messages
	err       error                     // the first error
}

func (b *builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
}

func (b *builder) tool(t *model.Call, out *Tool) {
	for _, p := range t.Params() {
		if p.Shared {
			if out.Shared == nil {
				out.Shared = map[*model.Param][]Step{}
			}
			out.Shared[p] = b.steps(t.Input.Object, p.Field)
		}
		if p.Source == model.FromFixed {
			if out.Fixed == nil {
				out.Fixed = map[*model.Param]*Literal{}
			}
			out.Fixed[p] = b.fixed(nil, p.Fixed, out.Stem+Camel(p.Name))
		}
	}
	for _, f := range t.Fills {
		out.Fills = append(out.Fills, b.fill(t, f))
	}
	if in := t.Input; in != nil && in.Object != nil {
		switch {
		case in.Whole:
			r := b.read(in.Object, nil, out.Stem+"Args")
			out.Whole = &r
		case len(in.Object.Fields)+len(in.Object.Fixed) > 0, slices.ContainsFunc(t.Params(), isArgument):
			out.Args = b.object(in.Object, out.Stem, out.Stem)
		}
	}
	if t.Result.Output == nil {
		return
	}
	if s := t.Result.Short; s != nil {
		b.short(s, out)
		if s.Cursor != nil {
			out.Short.Cursor = b.steps(t.Input.Object, s.Cursor)
		}
		return
	}
	if t.Result.Object {
		if t.Result.ByReflection {
			for _, f := range t.Result.Output.Fields {
				out.Results = append(out.Results, &PutMember{
					Name: f.Name, Path: b.steps(t.Result.Output, f), When: conditions(f, b.pkg.Types), Write: &Write{Go: f.Type.Go, Func: Reflected},
				})
			}
			return
		}
		out.Results = b.putMembers(t.Result.Output, out.Stem+"Result")
		return
	}
	// The target of a pointer is written once the pointer is known not to be nil.
	root := t.Result.Output
	for ; root.Kind == model.Pointer; root = root.Elem {
		out.Pointers++
	}
	var w Write
	if t.Result.ByReflection {
		w = Write{Go: root.Go, Func: Reflected}
	} else {
		w = b.write(root, out.Stem+"Result")
	}
	w.Deref = out.Pointers > 0
	out.Output = &w
	out.NullInside = root.NullInside()
	switch root.Kind {
	case model.Union:
		out.Missing = MissingNil
	case model.Flagged:
		out.Missing = MissingFlag
	}
}

// Reflected writes a value of any type, with reflection.
var Reflected = Func{Name: "PutReflect"}

// isArgument reports whether arguments are read into a variable for the parameter, even if no
// client can send any part of it.
func isArgument(p *model.Param) bool { return p.Source == model.FromArgument }

// object plans the reading of an object. Unnamed parts of it are named after place.
func (b *builder) object(t *model.Type, stem, place string) *Object {
	o := &Object{Stem: b.names.table("mcpFields", stem)}
	for _, f := range t.Fields {
		at := place + fieldStem(f)
		entry := Entry{Name: f.Name, Required: f.Required, Null: f.Nullable || takesNull(f.Type) && allowsNull(f)}
		for _, alias := range f.Aliases {
			entry.Aliases = append(entry.Aliases, alias.Name)
		}
		o.Entries = append(o.Entries, entry)
		made, path := o.way(b, t, f)
		m := &Member{Name: f.Name, Made: made, Path: path}
		if f.Default != nil {
			o.Defaults = append(o.Defaults, &Default{Made: made, Path: path, Value: b.preset(t, f, at)})
			if merges(f.Type) {
				m.Reset = f.Type.Go
			}
		}
		if f.Nullable && !f.Type.IsOptional() && !takesNull(f.Type) {
			m.Null = f.Type.Go
		}
		r := b.readField(f, at)
		if t.Go == nil && len(f.Path) == 1 && f.Required && f.Type.Kind == model.Pointer && !f.Nullable {
			// The function does not expect nil: the type decides how null is read.
			r = b.read(f.Type, &f.Rules, at)
		}
		m.Read = &r
		o.Members = append(o.Members, m)
	}
	for _, f := range t.Hidden {
		if f.Unlisted != "" {
			continue // unknown, like any other name
		}
		o.Entries = append(o.Entries, Entry{Name: f.Name, ReadOnly: true})
	}
	o.Defaults = append(o.Defaults, b.fixedFields(o, t, nil, place)...)
	return o
}

// merges reports whether reading into a value that is not zero would keep parts of it.
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

// steps returns the selectors that lead from a value of the struct t to a field. An unexported
// embedded struct of another package cannot be named; its fields are promoted, so the step is left
// out.
func (b *builder) steps(t *model.Type, f *model.Field) []Step {
	var out []Step
	cur := t.Go
	for i, s := range f.Path {
		var next types.Type
		hidden := false
		if s.Inlined != nil {
			b.guard(s.Inlined)
			cur, next = nil, s.Inlined
		}
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

func (b *builder) fill(c *model.Call, f *model.Fill) *Fill {
	out := &Fill{Provider: f.Provider}
	t := c.Input.Object
	for i, field := range f.Chain {
		step := FillStep{Path: b.steps(t, field)}
		// An inlined parameter is not a pointer in the struct of arguments.
		inlined := t.Go == nil && slices.ContainsFunc(c.Params(), func(p *model.Param) bool { return p.Inlined && p.Field.Path[0].Name == field.Path[0].Name })
		if t = field.Type; t.Kind == model.Pointer {
			step.Pointer = i < len(f.Chain)-1 && !inlined
			t = t.Elem
		}
		out.Fields = append(out.Fields, step)
	}
	return out
}

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// readStem names a type for reading. The name depends on the fields that are required.
func (b *builder) readStem(t *model.Type, key, place string) string {
	s := b.stem(t, strings.ReplaceAll(key, taggedMark, ""), place)
	if b.readers[s] != "" {
		if strings.Contains(key, taggedMark) {
			s = b.names.codec(s + "Tagged")
		} else {
			s = b.names.codec(s + "Auto")
		}
	}
	b.readers[s] = key
	return s
}

// stem names a type, the same for reading and writing.
func (b *builder) stem(t *model.Type, key, place string) string {
	if s, ok := b.stems[key]; ok {
		return s
	}
	var s string
	switch {
	case t.Part:
		s = b.names.forPart(t.Go, Camel(t.Variant), place)
	case t.Variant != "":
		s = b.names.codec(Camel(t.Variant)+typeStem(t.Go), place)
	default:
		s = b.names.forType(t.Go, place)
	}
	b.stems[key] = s
	return s
}
