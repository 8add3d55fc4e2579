package model

import "slices"

// NeedsMore reports whether the function has other parameters than the context.
func (p *Provider) NeedsMore() bool { return len(p.Params) > 1 }

// Provided is the call of a provider for one feature.
type Provided struct {
	Provider *Provider
	Params   []*Param // in order
}

// Passed reports whether a receiver is a parameter of RegisterMCP.
func (r *Receiver) Passed() bool { return r != nil && r.Provider == nil && !r.Args }

// Params returns the parameters of the function and of its providers, in the order of their
// arguments. A receiver that is made of arguments comes first.
func (c *Call) Params() []*Param {
	all := slices.Clone(c.Func.Params)
	if c.Recv != nil {
		all = slices.Insert(all, 0, c.Recv)
	}
	for _, p := range c.Provided {
		all = append(all, p.Params...)
	}
	return all
}

// Providers returns the providers that the function itself needs, in the order of their first use,
// without those that only other providers need.
func (c *Call) Providers() []*Provider {
	var all []*Provider
	add := func(p *Provider) {
		if p != nil && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	for _, p := range c.Func.Params {
		add(p.Provider)
	}
	for _, f := range c.Fills {
		add(f.Provider)
	}
	if r := c.Func.Receiver; r != nil {
		add(r.Provider)
	}
	return all
}

// NeededBy returns the provider that needs an argument, with its parameter, or nil for arguments of
// the function itself.
func (c *Call) NeededBy(f *Field) (*Provider, *Param) {
	for _, p := range c.Provided {
		for _, q := range p.Params {
			if q.Source == FromArgument && !q.Shared && len(f.Path) > 0 && q.Field.Path[0].Name == f.Path[0].Name {
				return p.Provider, q
			}
		}
	}
	return nil, nil
}

// ProvidedBy returns the call of a provider, or nil if it needs the context alone.
func (c *Call) ProvidedBy(p *Provider) *Provided {
	for _, call := range c.Provided {
		if call.Provider == p {
			return call
		}
	}
	return nil
}
