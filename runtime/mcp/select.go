package mcp

// Select returns a Registrar that registers with r the features for which keep returns true, and
// drops the others.
func Select(r Registrar, keep func(FeatureInfo) bool) Registrar {
	return registrarFunc(func(f Feature) {
		if keep(f.Info()) {
			r.Register(f)
		}
	})
}
