package mcp

import (
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
)

// Principal is the authenticated sender of a request: a user or a program. The zero value is an
// unknown sender.
type Principal struct {
	// ID identifies one principal, always by the same text. Sessions, rate limits and request
	// states are bound to it. It is opaque to the server, and not a secret: logs contain it.
	//
	// Principals that have other fields and no ID cannot be distinguished. So tasks are refused for
	// them, and from revision 2026-07-28 on questions, whose answers come with a request state. A
	// digest of the credential can be an ID.
	ID string
	// Value is further data, such as claims. Handlers assert its type.
	Value any
	// Expires is when the authentication ends: later requests are refused, and streams and
	// connections of the principal end. The zero time means never.
	Expires time.Time
	// Access decides which features the principal may use, in addition to [WithAccess]. Nil
	// allows all. It is that of the request at hand, and not of the one that has opened the
	// session; for notifications of a session, that of its latest request.
	Access Access
}

// isKnown reports whether anything of a principal is set.
func (p *Principal) isKnown() bool {
	return p.ID != "" || p.Value != nil || p.Access != nil || !p.Expires.IsZero()
}

// sender is a [Principal] as the engine knows it.
type sender Principal

// Identity implements [engine.Principal].
func (p *sender) Identity() (id string, expires time.Time) { return p.ID, p.Expires }

// principalOf returns the principal of a caller, nil if it is unknown.
func principalOf(c *engine.Caller) *Principal {
	p, _ := c.Principal.(*sender)
	return (*Principal)(p)
}

// setPrincipal sets the principal of a caller, unless it is nil.
func setPrincipal(c *engine.Caller, p *Principal) {
	if p != nil {
		c.Principal = (*sender)(p)
	}
}

// identity returns the principal of a caller, the zero one if it is unknown.
func identity(c *engine.Caller) Principal {
	if p := principalOf(c); p != nil {
		return *p
	}
	return Principal{}
}
