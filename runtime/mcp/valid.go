package mcp

import (
	"encoding/json"
	"fmt"
	"math"
	"net/netip"
	"net/url"
	"strings"

	"github.com/mcpgen/mcpgen/internal/valid"
)

// This file checks values of authors against the rules of the specification that its schemas do not
// contain. An invalid value is not sent: in a description of a feature it is a panic at
// registration, in a result or a question an error for that call, which the server logs.

// checkURI returns an error for an invalid URI. The limit for URIs of clients does not apply.
func checkURI(what, uri string) error { return valid.URI(what, uri).Err() }

// checkMIMEType returns an error for an invalid MIME type. "" is valid.
func checkMIMEType(what, s string) error { return valid.MediaType(what, s).Err() }

// check returns an error for a role that a message cannot have.
func (r Role) check() error {
	if valid.IsRole(string(r)) {
		return nil
	}
	return fmt.Errorf("the role %q is neither user nor assistant", string(r))
}

// check returns an error for invalid annotations, which may be nil.
func (a *Annotations) check() error {
	if a == nil {
		return nil
	}
	for _, role := range a.Audience {
		if err := role.check(); err != nil {
			return fmt.Errorf("the audience of annotations: %w", err)
		}
	}
	if p := a.Priority; p != nil && !valid.IsFraction(*p) {
		return fmt.Errorf("the priority of annotations is %v: it must be from 0 to 1", *p)
	}
	if t := a.LastModified; !t.IsZero() && (t.Year() < 0 || t.Year() > 9999) {
		return fmt.Errorf("the year of LastModified in annotations is %d: it must have four digits (RFC 3339)", t.Year())
	}
	return nil
}

// checkIcons returns an error for invalid icons.
func checkIcons(icons []Icon) error {
	for _, icon := range icons {
		if fault := (*valid.Icon)(&icon).Fault(); fault != nil {
			return fault
		}
	}
	return nil
}

// checkPublished panics if the description of a feature is not valid.
func checkPublished(declared map[string]json.RawMessage, kind FeatureKind, name string, mimeType string, scopes []string, a *Annotations, icons []Icon, m Meta) {
	for _, err := range []error{
		checkMIMEType("the description", mimeType), checkScopes(scopes), a.check(), checkIcons(icons), m.check(declared),
	} {
		if err != nil {
			panic(fmt.Sprintf("mcp: %s %q: %v", kind, name, err))
		}
	}
}

// checkScopes returns an error for a text that is not a scope (RFC 6749, section 3.3).
func checkScopes(scopes []string) error {
	for _, scope := range scopes {
		if !valid.IsScope(scope) {
			return fmt.Errorf(`scope %q must consist of ASCII characters without blanks, quotes and backslashes`, scope)
		}
	}
	return nil
}

// check returns an error for an invalid identity of a server.
func (i *ServerInfo) check() error {
	if i.Website != "" {
		if fault := valid.Website(i.Website); fault != nil {
			return fault
		}
	}
	return checkIcons(i.Icons)
}

// checkFraction returns an error for a number that is not from 0 to 1. Nil is valid.
func checkFraction(what string, v *float64) error {
	if v == nil || valid.IsFraction(*v) {
		return nil
	}
	return fmt.Errorf("%s is %v: it must be from 0 to 1", what, *v)
}

// checkNumber returns an error for a number that JSON cannot represent. Nil is valid.
func checkNumber(what string, v *float64) error {
	if v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0)) {
		return fmt.Errorf("%s is %v: it must be a finite number", what, *v)
	}
	return nil
}

// checkLink returns an error for a URL that users must not be asked to open. Without TLS, only the
// user's own machine is allowed, for development.
func checkLink(link string) error {
	if err := checkURI("the link", link); err != nil {
		return err
	}
	u, err := url.Parse(link)
	switch {
	case err != nil:
		return fmt.Errorf("the link cannot be read: %w", err)
	case u.Scheme != "https" && u.Scheme != "http":
		return fmt.Errorf("the link has the scheme %s: only https may be opened", u.Scheme)
	case u.Hostname() == "":
		return fmt.Errorf("the link %q has no host", link)
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return fmt.Errorf("the link leads to %s without TLS: use https", u.Host)
	}
	return nil
}

// isLoopback reports whether a host is the machine itself.
func isLoopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}
