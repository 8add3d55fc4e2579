package mcp

// Registrar registers features. [*Server] implements it; [Select], [Prefix] and [Override] return
// one that passes features on.
type Registrar interface {
	Register(Feature)
}

// Prefix returns a Registrar that registers features with r under names that begin with the prefix
// and an underscore, including aliases.
func Prefix(r Registrar, prefix string) Registrar {
	return registrarFunc(func(f Feature) { r.Register(f.renamed(prefix)) })
}

type registrarFunc func(Feature)

func (f registrarFunc) Register(feature Feature) { f(feature) }
