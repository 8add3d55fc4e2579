package mcpimpl

import (
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Defaults contains values for features whose own description does not set them: a field that is
// nil, false or 0 there gets its value from here.
type Defaults struct {
	// Errors returns the message of errors that are meant for clients.
	Errors func(error) (text string, ok bool)
	// HideErrors hides the messages of all other errors from clients.
	HideErrors bool
	// Timeout cancels the context of a call; 0 means the timeout of [mcp.WithTimeout].
	Timeout time.Duration
}

// ApplyDefaults returns a Registrar that completes the descriptions of features and passes them to
// r. It copies the features: they can be registered elsewhere, too, even concurrently.
func ApplyDefaults(r mcp.Registrar, d Defaults) mcp.Registrar { return &defaulter{r, d} }

type defaulter struct {
	next     mcp.Registrar
	defaults Defaults
}

func (r *defaulter) Register(f mcp.Feature) {
	d := &r.defaults
	r.next.Register(funcs.WithDefaults(f, d.Errors, d.HideErrors, d.Timeout))
}
