package schema

import (
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
)

// attempt runs a function that makes plans. It returns nil where that is done, and the first error
// where it is not: then neither the plans nor anything that was reported are kept. Only what could
// not be read remains an error, since nothing can be concluded without it.
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

// forget drops all plans but the oldest: what was made after those may refer to a plan that has
// failed.
func (r *Resolver) forget(use Use, oldest int) {
	for _, made := range r.order[oldest:] {
		r.plansOf(use, false).Delete(made)
		r.plansOf(use, true).Delete(made)
	}
	r.order = r.order[:oldest]
}
