package model

import (
	"go/token"
	"go/types"
	"time"
)

// Feature contains the fields that resources and prompts share.
type Feature struct {
	Name        string
	Title       string
	Description string
	Groups      []string
	Scopes      []string // scopes that a caller needs
	Icons       []Icon
	Meta        []Meta
	Requires    []Capability
	HideErrors  bool // errors=declared
	ErrorsSaid  bool // a directive contains errors=
	Timeout     time.Duration
	Pos         token.Position
}

// Icon is a picture for user interfaces.
type Icon struct {
	Source   string // URL
	MIMEType string // "" means the type in the source's response
	Sizes    []string
	Theme    string // "light", "dark" or "" for both
}

// Meta is a member of the _meta of a feature.
type Meta struct {
	Key  string
	JSON string
}

// Capability is a capability that a client needs, named like the runtime's constant: Elicitation.
type Capability string

// Completion describes how values of an argument are completed.
type Completion struct {
	// Argument is the published name of the argument or variable.
	Argument string
	// Values are the values of an enumeration, as text; Func is nil then.
	Values []string
	// Func is the function that returns them.
	Func *Completer
}

// Completer is a function that complete= names.
type Completer struct {
	Pkg      *types.Package // package that declares it; nil for the package itself
	Name     string         // identifier
	Symbol   string         // for people
	Receiver *Receiver
	Context  bool // takes a context.Context first
	Others   bool // takes the other arguments, map[string]string, last
	Error    bool // returns an error last
	// Prefix and Result are its parameter and result types.
	Prefix types.Type
	Result types.Type
	Pos    token.Position
}

// Empty reports whether there is nothing to generate for a package.
func (p *Package) Empty() bool { return p.Server == nil && !p.HasFeatures() && len(p.Forms) == 0 }

// HasFeatures reports whether the package has a tool, a resource, a template, a prompt or a skill.
func (p *Package) HasFeatures() bool {
	return len(p.Tools)+len(p.Resources)+len(p.Templates)+len(p.Prompts)+len(p.Skills) > 0
}

// Calls returns the functions behind all features, tools first.
func (p *Package) Calls() []*Call {
	var all []*Call
	for _, t := range p.Tools {
		all = append(all, &t.Call)
	}
	for _, list := range [][]*Resource{p.Resources, p.Templates} {
		for _, r := range list {
			if r.Value == nil {
				all = append(all, &r.Call)
			}
		}
	}
	for _, t := range p.Prompts {
		all = append(all, &t.Call)
	}
	return all
}
