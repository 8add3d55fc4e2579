package mcp

// Select returns a Registrar that registers with r those features for which keep reports true, and
// drops the others.
func Select(r Registrar, keep func(FeatureInfo) bool) Registrar {
	return registrarFunc(func(f Feature) {
		if keep(f.Info()) {
			r.Register(f)
		}
	})
}
