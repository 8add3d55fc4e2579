package vet

import (
	"go/types"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// PlatformType is the rule for declarations that differ from system to system. The generator warns
// of them, too.
const PlatformType = "platform-type"

// PlatformWarnings adds the findings of [PlatformType] that the generator warns of, each once for
// all features concerned, without the findings that //mcp:ignore suppresses. The function ignored
// reports whether //mcp:ignore suppresses the rule for a declaration: for the package, or for every
// feature that needs it.
func PlatformWarnings(pkg *load.Package, m *model.Package, docs *load.Docs, diags *diag.List) (ignored func(types.Object) bool) {
	c := newChecker(pkg, m, &Options{Rules: []string{PlatformType}})
	c.docs, c.rule, c.plain = docs, PlatformType, true
	walks := c.platformWalks()
	for _, w := range walks {
		w.walk()
	}
	silent, loud := map[types.Object]bool{}, map[types.Object]bool{}
	for _, w := range walks {
		names := loud
		if c.ignores(&Finding{Rule: PlatformType, Pos: w.f.pos, set: w.f.set}) {
			names = silent
		}
		for obj := range w.names {
			names[obj] = true
		}
	}
	c.ignore()
	seen := map[any]bool{}
	for _, f := range c.found {
		if f.key == nil || seen[f.key] {
			continue
		}
		seen[f.key] = true
		d := f.Diagnostic()
		d.Severity = diag.Warning
		if f.at.IsValid() {
			d.Pos, d.Subject = f.at, ""
		}
		diags.Add(d)
	}
	all := c.ignores(&Finding{Rule: PlatformType})
	return func(obj types.Object) bool { return all || silent[obj] && !loud[obj] }
}
