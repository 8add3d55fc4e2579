package emit

import (
	"cmp"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/keyword"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// plan returns the plan of a type.
func (b *modelBuilder) plan(t types.Type) *model.Type {
	key := types.TypeString(t, nil)
	if p := b.types[key]; p != nil {
		return p
	}
	p := &model.Type{Go: t}
	b.types[key] = p
	switch {
	case isNamed(t, "time", "Time"):
		p.Kind = model.Time
		return p
	case isNamed(t, "encoding/json", "RawMessage"):
		p.Kind = model.RawJSON
		return p
	case isNamed(t, "encoding/json", "Number"):
		p.Kind = model.Number
		return p
	case has(t, "UnmarshalJSON"):
		p.Kind = model.JSON
		return p
	case has(t, "UnmarshalText"):
		p.Kind = model.Text
		return p
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		b.basic(p, u)
	case *types.Pointer:
		p.Kind, p.Elem = model.Pointer, b.plan(u.Elem())
	case *types.Slice:
		p.Kind, p.Elem = model.Slice, b.plan(u.Elem())
		if p.Elem.Kind == model.Uint && p.Elem.Bits == 8 {
			p.Kind = model.Bytes
		}
	case *types.Array:
		p.Kind, p.Elem, p.Len = model.Array, b.plan(u.Elem()), u.Len()
	case *types.Map:
		p.Kind, p.Key, p.Elem = model.Map, b.plan(u.Key()), b.plan(u.Elem())
	case *types.Interface:
		p.Kind = model.Any
		if !u.Empty() {
			p.Kind = model.Interface
		}
	case *types.Struct:
		p.Kind = model.Struct
		p.Fields = b.fields(u, nil)
	default:
		b.t.Fatalf("no plan for %s", t)
	}
	return p
}

func has(t types.Type, method string) bool {
	if _, ok := t.Underlying().(*types.Interface); ok {
		return false
	}
	if _, ok := t.(*types.Pointer); ok {
		return false
	}
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, method)
	_, ok := obj.(*types.Func)
	return ok
}

func (b *modelBuilder) basic(p *model.Type, u *types.Basic) {
	info := u.Info()
	switch {
	case info&types.IsBoolean != 0:
		p.Kind = model.Bool
	case info&types.IsString != 0:
		p.Kind = model.String
	case info&types.IsUnsigned != 0:
		p.Kind = model.Uint
	case info&types.IsInteger != 0:
		p.Kind = model.Int
	case info&types.IsFloat != 0:
		p.Kind = model.Float
	}
	sizes := types.SizesFor("gc", "amd64")
	p.Bits = int(sizes.Sizeof(u)) * 8
	named, ok := p.Go.(*types.Named)
	if !ok || named.Obj().Pkg() == nil || !strings.HasPrefix(named.Obj().Pkg().Path(), "cases.test") {
		return
	}
	scope := named.Obj().Pkg().Scope()
	var consts []*types.Const
	for _, name := range scope.Names() {
		if c, ok := scope.Lookup(name).(*types.Const); ok && types.Identical(c.Type(), p.Go) {
			consts = append(consts, c)
		}
	}
	slices.SortFunc(consts, func(x, y *types.Const) int { return int(x.Pos() - y.Pos()) })
	if len(consts) < 2 {
		return
	}
	p.Enum = &model.Enum{}
	for _, c := range consts {
		p.Enum.Values = append(p.Enum.Values, model.EnumValue{Const: c, JSON: c.Val().ExactString()})
	}
}

func (b *modelBuilder) fields(u *types.Struct, path []model.Selector) []*model.Field {
	var out []*model.Field
	for i := range u.NumFields() {
		v, tag := u.Field(i), reflect.StructTag(u.Tag(i))
		name, options, _ := strings.Cut(tag.Get("json"), ",")
		step := model.Selector{Name: v.Name()}
		if v.Embedded() && name == "" {
			t := v.Type()
			if p, ok := t.(*types.Pointer); ok {
				step.Pointer, t = p.Elem(), p.Elem()
			}
			if inner, ok := t.Underlying().(*types.Struct); ok {
				out = append(out, b.fields(inner, append(path[:len(path):len(path)], step))...)
				continue
			}
		}
		if !v.Exported() || name == "-" {
			continue
		}
		if name == "" {
			name = v.Name()
		}
		f := &model.Field{Name: name, Type: b.plan(v.Type()), Path: append(path[:len(path):len(path)], step)}
		for o := range strings.SplitSeq(options, ",") {
			f.OmitEmpty = f.OmitEmpty || o == "omitempty"
			f.OmitZero = f.OmitZero || o == "omitzero"
			f.Quoted = f.Quoted || o == "string"
		}
		f.Required = !f.OmitEmpty && !f.OmitZero && f.Type.Kind != model.Pointer
		b.rules(f, tag.Get("t"))
		out = append(out, f)
	}
	return out
}

// rules applies the keys of a test tag to a field.
func (b *modelBuilder) rules(f *model.Field, spec string) {
	if spec == "" {
		return
	}
	for item := range strings.SplitSeq(spec, ";") {
		key, value, _ := strings.Cut(item, "=")
		r := &f.Rules
		if rest, ok := strings.CutPrefix(key, "elem."); ok {
			if r.Elem == nil {
				r.Elem = &model.Rules{}
			}
			key, r = rest, r.Elem
		}
		switch key {
		case "default":
			f.Default, f.Required = &model.Value{JSON: value}, false
		case "required":
			f.Required = true
		case "nullable":
			f.Nullable = true
		case "enum":
			r.Enum = strings.Split(value, ",")
		default:
			k := keyword.Lookup(key)
			if k == nil || !k.IsRule() {
				b.t.Fatalf("unknown key %s", key)
			}
			r.SetLimit(key, cmp.Or(value, "true"))
		}
	}
}
