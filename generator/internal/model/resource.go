package model

import (
	"go/types"
	"time"
)

// Resource is a resource, or a template of resources where it has variables.
type Resource struct {
	Feature
	URI      string // or the template
	MIME     string // "" = not known
	Audience []string
	Priority string // JSON number, "" = not said
	TTL      time.Duration
	Cache    string // "public", "private" or "" = not said

	// Variables are the names of the template's variables, in its order.
	Variables   []string
	Completions []*Completion

	// Call is the function that reads it, unless Value is set.
	Call
	// Value is the variable or constant that is the resource.
	Value *Static
}

// Static is a variable or constant that is a resource.
type Static struct {
	Pkg  *types.Package // that declares it; nil for the package itself
	Name string
	Type types.Type
	Kind ValueKind
}

// ValueKind says what such a value is.
type ValueKind int

const (
	ValueText  ValueKind = iota // string
	ValueBytes                  // []byte
	ValueFiles                  // embed.FS: each file below the URI
)

// Files reports whether the resource is a set of embedded files.
func (r *Resource) Files() bool { return r.Value != nil && r.Value.Kind == ValueFiles }

// Template is what clients know a template by.
func (r *Resource) Template() string {
	if r.Files() {
		return r.URI + "{+path}"
	}
	return r.URI
}

// Symbol is the Go symbol behind the resource.
func (r *Resource) Symbol() string {
	switch {
	case r.Value == nil:
		return r.Func.Symbol
	case r.Value.Pkg != nil:
		return r.Value.Pkg.Name() + "." + r.Value.Name
	}
	return r.Value.Name
}
