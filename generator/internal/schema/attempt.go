package schema

import (
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
)

// attempt runs a function that makes plans. It returns nil on success, and otherwise the first
// error: then it keeps neither the plans nor the diagnostics, except errors of packages that could
// not be read, since nothing can be concluded without these.
func (r *Resolver) attempt(use Use, make func() bool) *diag.Diagnostic {
	outer, trying, reported, mark, unread, late := r.diags, r.trying, maps.Clone(r.reported), len(r.order), len(r.ineffective), len(r.late)
	inner := new(diag.List)
	r.diags, r.trying = inner, true
	ok := make()
	r.diags, r.trying = outer, trying
	if ok {
		outer.Append(inner)
		return nil
	}
	r.forget(use, mark)
	r.reported, r.ineffective, r.late = reported, r.ineffective[:unread], r.late[:late]
	all := inner.All()
	return all[slices.IndexFunc(all, func(d *diag.Diagnostic) bool { return d.Severity == diag.Error })]
}

// forget drops all plans but the oldest ones, since newer plans may refer to a failed one.
func (r *Resolver) forget(use Use, oldest int) {
	for _, made := range r.order[oldest:] {
		r.plansOf(use, false).Delete(made)
		r.plansOf(use, true).Delete(made)
	}
	r.order = r.order[:oldest]
}
