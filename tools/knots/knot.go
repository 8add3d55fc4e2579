package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// knot is the largest knot of a package.
type knot struct {
	files        []string // in order; one if no two files use each other
	of           int      // files of the package
	lines, among int      // of the files, and of the package
}

// share returns the percentage of the lines.
func (k *knot) share() int { return 100 * k.lines / max(1, k.among) }

// measure finds the knot of a package.
func measure(p *packages.Package) (*knot, error) {
	uses, lines := map[string]map[string]bool{}, map[string]int{}
	k := &knot{of: len(p.Syntax)}
	nameOf := func(n interface{ Pos() token.Pos }) string { return filepath.Base(p.Fset.Position(n.Pos()).Filename) }
	for _, f := range p.Syntax {
		path := p.Fset.Position(f.Pos()).Filename
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		name := filepath.Base(path)
		uses[name], lines[name] = map[string]bool{}, strings.Count(string(text), "\n")
		k.among += lines[name]
	}
	for _, f := range p.Syntax {
		from := nameOf(f)
		ast.Inspect(f, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			if used := p.TypesInfo.Uses[id]; used != nil && used.Pkg() == p.Types && shared(used, p.Types) {
				if to := nameOf(used); to != from && uses[to] != nil {
					uses[from][to] = true
				}
			}
			return true
		})
	}
	for _, group := range groups(uses) {
		if len(group) > len(k.files) {
			k.files = group
		}
	}
	slices.Sort(k.files)
	for _, name := range k.files {
		k.lines += lines[name]
	}
	return k, nil
}

// shared reports whether other files can name an object: all but local variables.
func shared(o types.Object, p *types.Package) bool {
	v, ok := o.(*types.Var)
	return !ok || v.IsField() || v.Parent() == p.Scope()
}

// groups returns the groups of nodes that reach each other, by the algorithm of Tarjan.
func groups(edges map[string]map[string]bool) (found [][]string) {
	index, low := map[string]int{}, map[string]int{}
	var path []string // nodes whose group is not complete
	var visit func(node string)
	visit = func(node string) {
		index[node] = len(index) + 1
		low[node] = index[node]
		path = append(path, node)
		for next := range edges[node] {
			switch {
			case index[next] == 0:
				visit(next)
				low[node] = min(low[node], low[next])
			case slices.Contains(path, next):
				low[node] = min(low[node], index[next])
			}
		}
		if low[node] == index[node] {
			at := slices.Index(path, node)
			found = append(found, slices.Clone(path[at:]))
			path = path[:at]
		}
	}
	for node := range edges {
		if index[node] == 0 {
			visit(node)
		}
	}
	return found
}
