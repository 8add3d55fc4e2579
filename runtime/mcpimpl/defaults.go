package mcpimpl

import (
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Defaults are what features have where their own description does not set it: a field that is nil,
// false or 0 there gets the value from here.
type Defaults struct {
	// Errors returns the text of errors that are meant for clients.
	Errors func(error) (text string, ok bool)
	// HideErrors keeps the texts of all other errors from clients.
	HideErrors bool
	// Timeout ends the context of a call; 0 means that of [mcp.WithTimeout].
	Timeout time.Duration
}

// ApplyDefaults returns a Registrar that completes the descriptions of features and passes them to
// r. A feature is copied for that: the same one can be registered elsewhere, also at the same time.
func ApplyDefaults(r mcp.Registrar, d Defaults) mcp.Registrar { return &defaulter{r, d} }

type defaulter struct {
	next     mcp.Registrar
	defaults Defaults
}

func (r *defaulter) Register(f mcp.Feature) {
	d := &r.defaults
	r.next.Register(funcs.WithDefaults(f, d.Errors, d.HideErrors, d.Timeout))
}
