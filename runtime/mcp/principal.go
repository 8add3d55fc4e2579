package mcp

import (
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
)

// Principal is the authenticated sender of a request: a user or a program. The zero value is an
// unknown sender.
type Principal struct {
	// ID identifies one principal, and is the same in all of its requests. Sessions, rate limits
	// and request states are bound to it. It is opaque to the server, and not a secret: logs
	// contain it.
	//
	// Principals with other fields but without an ID cannot be distinguished. So the server refuses
	// tasks for them, and from revision 2026-07-28 on also questions, whose answers come with a
	// request state. A digest of the credential can be an ID.
	ID string
	// Value is further data, such as claims. Handlers assert its type.
	Value any
	// Expires is the time when the authentication expires: later requests are refused, and streams
	// and connections of the principal are closed. The zero time means never.
	Expires time.Time
	// Access decides which features the principal may use, in addition to [WithAccess]. Nil allows
	// all. Each request uses the Access of its own principal, not of the principal that has opened
	// the session; notifications of a session use the Access of its latest request.
	Access Access
}

// isKnown reports whether any field of a principal is set.
func (p *Principal) isKnown() bool {
	return p.ID != "" || p.Value != nil || p.Access != nil || !p.Expires.IsZero()
}

// sender implements [engine.Principal] for a [Principal].
type sender Principal

// Identity implements [engine.Principal].
func (p *sender) Identity() (id string, expires time.Time) { return p.ID, p.Expires }

// principalOf returns the principal of a caller, or nil if it is unknown.
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

// identity returns the principal of a caller, or the zero Principal if it is unknown.
func identity(c *engine.Caller) Principal {
	if p := principalOf(c); p != nil {
		return *p
	}
	return Principal{}
}
