package main

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"
)

// project is the import path that is cut from names of places.
const project = "github.com/mcpgen/mcpgen/"

// lastingFields returns the names of the package variables, and of the fields of types that outlive
// a call.
func lastingFields(loaded []*packages.Package) map[*types.Var]string {
	l := &lasting{ours: map[*types.Package]bool{}, names: map[*types.Var]string{}, seen: map[types.Type]bool{}}
	for _, p := range loaded {
		l.ours[p.Types] = true
	}
	for _, p := range loaded {
		for _, name := range p.Types.Scope().Names() {
			if v, ok := p.Types.Scope().Lookup(name).(*types.Var); ok {
				l.names[v] = placeName(p.Types, name)
				l.reach(v.Type(), l.names[v])
			}
		}
		for _, object := range p.TypesInfo.Defs { // including types in functions
			if t, ok := object.(*types.TypeName); ok && !t.IsAlias() {
				if s, ok := t.Type().Underlying().(*types.Struct); ok && shared(s) {
					l.reach(t.Type(), "")
				}
			}
		}
		for _, f := range p.Syntax {
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.StructType); ok {
					if t, ok := p.TypesInfo.TypeOf(s).(*types.Struct); ok && shared(t) {
						l.reach(t, placeName(p.Types, "struct"))
					}
				}
				return true
			})
		}
	}
	return l.names
}

func placeName(p *types.Package, name string) string {
	return strings.TrimPrefix(p.Path(), project) + "." + name
}

type lasting struct {
	ours  map[*types.Package]bool
	names map[*types.Var]string
	seen  map[types.Type]bool
}

// reach adds the fields of a type, and of all types reachable from its values. Structs without a
// name get the name of the place.
func (l *lasting) reach(t types.Type, name string) {
	t = types.Unalias(t)
	if l.seen[t] {
		return
	}
	l.seen[t] = true
	switch t := t.(type) {
	case *types.Named:
		for a := range t.TypeArgs().Types() {
			l.reach(a, name)
		}
		origin := t.Origin()
		if s, ok := origin.Underlying().(*types.Struct); ok {
			if l.ours[origin.Obj().Pkg()] {
				l.fields(s, placeName(origin.Obj().Pkg(), origin.Obj().Name()))
			}
			return
		}
		if l.ours[origin.Obj().Pkg()] {
			l.reach(origin.Underlying(), name)
		}
	case *types.Struct:
		l.fields(t, name)
	case *types.Pointer:
		l.reach(t.Elem(), name)
	case *types.Slice:
		l.reach(t.Elem(), name)
	case *types.Array:
		l.reach(t.Elem(), name)
	case *types.Chan:
		l.reach(t.Elem(), name)
	case *types.Map:
		l.reach(t.Key(), name)
		l.reach(t.Elem(), name)
	}
}

func (l *lasting) fields(s *types.Struct, name string) {
	for f := range s.Fields() {
		if l.names[f] == "" {
			l.names[f] = name + "." + f.Name()
		}
		if inner, ok := types.Unalias(f.Type()).(*types.Struct); ok {
			l.fields(inner, name+"."+f.Name())
			continue
		}
		l.reach(f.Type(), l.names[f])
	}
}

// shared reports whether a struct contains a lock or an atomic value, so that several goroutines
// use it.
func shared(s *types.Struct) bool {
	for f := range s.Fields() {
		t := types.Unalias(f.Type())
		if isNamed(t, "sync", "Mutex", "RWMutex", "Map", "Cond", "WaitGroup", "Once") || isNamed(t, "sync/atomic") {
			return true
		}
		if inner, ok := t.(*types.Struct); ok && shared(inner) {
			return true
		}
		if n, ok := t.(*types.Named); ok && f.Embedded() {
			if inner, ok := n.Underlying().(*types.Struct); ok && shared(inner) {
				return true
			}
		}
	}
	return false
}
