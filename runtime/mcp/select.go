package mcp

// Select returns a Registrar that hands to r those features that keep wants,
// and forgets the others.
func Select(r Registrar, keep func(FeatureInfo) bool) Registrar {
	return registrarFunc(func(f Feature) {
		if keep(f.Info()) {
			r.Register(f)
		}
	})
}
