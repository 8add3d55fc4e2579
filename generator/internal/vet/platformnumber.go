package vet

import (
	"encoding/json"
	"go/build/constraint"
	"go/types"
	"maps"
	"math/big"
	"slices"

	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/keyword"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// numbers looks for numbers in tags and directives that a 32-bit int, uint or uintptr cannot
// represent. Constants in the source are left to the compiler, which refuses them even without the
// generated file. preset names a default in messages.
func (w *platformWalk) numbers(f *model.Field, preset string) {
	if f.Type == nil || w.c.only64 {
		return
	}
	w.limits(f, f.Type, &f.Rules)
	if f.Default != nil {
		if v, err := jsontext.Decode(f.Default.JSON); err == nil {
			w.value(f, f.Type, preset, v)
		}
	}
}

// limits checks the constraints of a value.
func (w *platformWalk) limits(f *model.Field, t *model.Type, rules *model.Rules) {
	for t.Kind == model.Pointer || t.Kind == model.Flagged || t.Kind == model.Converted {
		t = t.Elem
	}
	if rules.IsZero() {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(rules.Limits)) {
		if k := keyword.Lookup(name); k != nil && k.Value == keyword.Number {
			w.number(f, t, name, rules.Limits[name])
		}
	}
	for _, text := range rules.Enum {
		w.number(f, t, "enum", text)
	}
	if t.Elem != nil {
		w.limits(f, t.Elem, rules.Elem)
	}
}

// value checks the numbers in a default or a constant.
func (w *platformWalk) value(f *model.Field, t *model.Type, preset string, v any) {
	switch t.Kind {
	case model.Pointer, model.Flagged, model.Converted:
		w.value(f, t.Elem, preset, v)
		return
	}
	switch v := v.(type) {
	case json.Number:
		w.number(f, t, preset, v.String())
	case []any:
		for _, e := range v {
			if t.Elem != nil {
				w.value(f, t.Elem, preset, e)
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if t.Elem != nil {
				w.value(f, t.Elem, preset, v[name])
			}
			for _, member := range t.Fields {
				if member.Name == name {
					w.value(f, member.Type, preset, v[name])
				}
			}
		}
	}
}

func (w *platformWalk) number(f *model.Field, t *model.Type, what, text string) {
	if t.Go == nil {
		return
	}
	low, high := new(big.Rat), new(big.Rat).SetInt64(1<<32-1)
	switch b, _ := t.Go.Underlying().(*types.Basic); {
	case b == nil:
		return
	case b.Kind() == types.Int:
		low.SetInt64(-1 << 31)
		high.SetInt64(1<<31 - 1)
	case b.Kind() != types.Uint && b.Kind() != types.Uintptr:
		return
	}
	if n, ok := jsontext.Number(text); !ok || n.Cmp(low) >= 0 && n.Cmp(high) <= 0 {
		return
	}
	w.report(f.Pos.String()+f.Name+what, f.Pos, "use a type of 64 bits, or a smaller number; or put //mcp:ignore platform-type with the reason into the doc comment",
		"%s: the %s %s is beyond the type %s where that has 32 bits, and the package does not compile there", f.Name, what, text, types.TypeString(t.Go, w.c.qualifier))
}

// systems32 are the architectures on which int has 32 bits; on systems64 it has 64.
var (
	systems32 = []string{"386", "arm", "mips", "mipsle"}
	systems64 = []string{"amd64", "arm64", "loong64", "mips64", "mips64le", "ppc64", "ppc64le", "riscv64", "s390x", "wasm"}
)

// excludes32 reports whether a build constraint excludes every system on which int has 32 bits.
func excludes32(line string) bool {
	expr, err := constraint.Parse(line)
	if err != nil {
		return false
	}
	var others []string // tags that do not name an architecture
	expr.Eval(func(tag string) bool {
		if !slices.Contains(systems32, tag) && !slices.Contains(systems64, tag) && !slices.Contains(others, tag) {
			others = append(others, tag)
		}
		return true
	})
	if len(others) > 8 {
		return false
	}
	for _, system := range systems32 {
		for set := range 1 << len(others) {
			if expr.Eval(func(tag string) bool {
				if i := slices.Index(others, tag); i >= 0 {
					return set>>i&1 == 1
				}
				return tag == system
			}) {
				return false
			}
		}
	}
	return true
}
