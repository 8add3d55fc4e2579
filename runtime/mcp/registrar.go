package mcp

// Registrar takes features. A [*Server] is one, and so are what [Select] and
// [Prefix] return and adapters to other servers.
type Registrar interface {
	Register(Feature)
}

// Prefix returns a Registrar that puts the prefix and an underscore before the
// names, aliases included, and hands the feature to r.
func Prefix(r Registrar, prefix string) Registrar {
	return registrarFunc(func(f Feature) { r.Register(f.renamed(prefix)) })
}

type registrarFunc func(Feature)

func (f registrarFunc) Register(feature Feature) { f(feature) }
