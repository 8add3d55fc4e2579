package model

import (
	"go/types"
	"time"
)

// Resource is a resource or, if it has variables, a resource template.
type Resource struct {
	Feature
	URI      string // URI of the resource or URI template
	MIME     string // "" if unknown
	Audience []string
	Priority string // JSON number, or "" if not given
	TTL      time.Duration
	Cache    string // "public", "private", or "" if not given

	// UI is set for a page, whose URI begins with ui://.
	UI *PageUI

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
	Pkg  *types.Package // package that declares it; nil for the package itself
	Name string
	Type types.Type
	Kind ValueKind
}

// ValueKind is the kind of such a value.
type ValueKind int

const (
	ValueText  ValueKind = iota // string
	ValueBytes                  // []byte
	ValueFiles                  // embed.FS: each file below the URI
)

// Files reports whether the resource is a set of embedded files.
func (r *Resource) Files() bool { return r.Value != nil && r.Value.Kind == ValueFiles }

// Template returns the URI template that clients know a template by.
func (r *Resource) Template() string {
	if r.Files() {
		return r.URI + "{+path}"
	}
	return r.URI
}

// Symbol returns the Go symbol behind the resource.
func (r *Resource) Symbol() string {
	switch {
	case r.Value == nil:
		return r.Func.Symbol
	case r.Value.Pkg != nil:
		return r.Value.Pkg.Name() + "." + r.Value.Name
	}
	return r.Value.Name
}
