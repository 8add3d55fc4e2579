package mcp

import (
	"fmt"
	"math"
	"net/netip"
	"net/url"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/uripattern"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file checks values of authors by the text of the specification, if its schemas allow any
// text. An invalid value is not sent: in a description of a feature it is a panic at registration,
// in a result or a question an error for that call, which the server logs.

// checkURI returns an error for an invalid URI. It may be longer than URIs of clients.
func checkURI(what, uri string) error {
	if uri == "" {
		return fmt.Errorf("%s has no URI: set an absolute one, such as file:///name", what)
	}
	if !uripattern.IsURI(uri) {
		return fmt.Errorf("%s has the URI %q, which is not an absolute URI (RFC 3986): it begins with a scheme and a colon, and what a URI cannot have is percent-encoded", what, uri)
	}
	if _, ok := wire.FormatURI(uri); !ok {
		return fmt.Errorf("%s has the URI %q, whose authority cannot be read (RFC 3986)", what, uri)
	}
	return nil
}

// checkMIMEType returns an error for an invalid MIME type. The empty one means no type.
func checkMIMEType(what, s string) error {
	if s == "" || validMIMEType(s) {
		return nil
	}
	return fmt.Errorf("%s has the MIME type %q: it must be a type and a subtype, such as image/png", what, s)
}

// validMIMEType reports whether s is a type and a subtype, with parameters or
// without (RFC 2045, 5.1).
func validMIMEType(s string) bool {
	kind, parameters, more := strings.Cut(s, ";")
	kind = strings.TrimRight(kind, " ")
	if kind, subtype, ok := strings.Cut(kind, "/"); !ok || !isToken(kind) || !isToken(subtype) {
		return false
	}
	return !more || validParameters(parameters)
}

// validParameters reports whether s is the parameters of a media type: attributes, each once,
// with a token or a quoted string, between semicolons. Package mime would be linked into every
// client.
func validParameters(s string) bool {
	seen := map[string]bool{}
	for {
		if s = strings.TrimLeft(s, " \t"); s == "" {
			return true // a semicolon may be the last
		}
		name, rest, ok := strings.Cut(s, "=")
		name = strings.ToLower(strings.TrimRight(name, " \t"))
		if !ok || !isToken(name) || seen[name] {
			return false
		}
		seen[name] = true
		if s, ok = cutValue(strings.TrimLeft(rest, " \t")); !ok {
			return false
		}
		if s = strings.TrimLeft(s, " \t"); s == "" {
			return true
		}
		if s, ok = strings.CutPrefix(s, ";"); !ok {
			return false
		}
	}
}

// cutValue returns what follows the value of a parameter.
func cutValue(s string) (rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, "; \t")
		if end < 0 {
			end = len(s)
		}
		return s[end:], isToken(s[:end])
	}
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return s[i+1:], true
		case c == '\\' && i+1 < len(s):
			i++
		case c == '\r', c == '\n':
			return "", false
		}
	}
	return "", false
}

// isToken reports whether s is a token (RFC 2045, 5.1).
func isToken(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`()<>@,;:\"/[]?=`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

// check returns an error for a role that a message cannot have.
func (r Role) check() error {
	if r == RoleUser || r == RoleAssistant {
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
	if p := a.Priority; p != nil && !(*p >= 0 && *p <= 1) {
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
		if err := icon.check(); err != nil {
			return err
		}
	}
	return nil
}

func (i *Icon) check() error {
	if err := checkURI("an icon", i.Source); err != nil {
		return err
	}
	switch scheme, _, _ := strings.Cut(i.Source, ":"); strings.ToLower(scheme) {
	case "https", "http", "data":
	default:
		return fmt.Errorf("an icon has the source %q: it must be an https: or data: URI", i.Source)
	}
	if err := checkMIMEType("an icon", i.MIMEType); err != nil {
		return err
	}
	for _, size := range i.Sizes {
		if !isIconSize(size) {
			return fmt.Errorf(`an icon has the size %q: it must be width and height in pixels, such as "48x48", or "any"`, size)
		}
	}
	switch i.Theme {
	case "", "light", "dark":
		return nil
	}
	return fmt.Errorf("an icon has the theme %q: it must be light or dark", i.Theme)
}

func isIconSize(s string) bool {
	width, height, ok := strings.Cut(s, "x")
	return s == "any" || ok && isDigits(width) && isDigits(height)
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// checkPublished panics if the description of a feature is not valid.
func checkPublished(s *Server, kind FeatureKind, name string, mimeType string, scopes []string, a *Annotations, icons []Icon, m Meta) {
	for _, err := range []error{
		checkMIMEType("the description", mimeType), checkScopes(scopes), a.check(), checkIcons(icons), m.check(s.extensions.settings),
	} {
		if err != nil {
			panic(fmt.Sprintf("mcp: %s %q: %v", kind, name, err))
		}
	}
}

// checkScopes returns an error for a text that is not a scope (RFC 6749, section 3.3).
func checkScopes(scopes []string) error {
	for _, scope := range scopes {
		if scope == "" || strings.ContainsFunc(scope, func(r rune) bool { return r < '!' || r == '"' || r == '\\' || r > '~' }) {
			return fmt.Errorf(`scope %q must consist of ASCII characters without blanks, quotes and backslashes`, scope)
		}
	}
	return nil
}

// check returns an error for an invalid description of a resource that a function has listed. It
// does not check the URI.
func (i *ResourceInfo) check(s *Server) error {
	if err := checkMIMEType("the description", i.MIMEType); err != nil {
		return err
	}
	if err := i.Annotations.check(); err != nil {
		return err
	}
	if err := checkIcons(i.Icons); err != nil {
		return err
	}
	return i.Meta.check(s.extensions.settings)
}

// check returns an error for an invalid identity of a server.
func (i *ServerInfo) check() error {
	if i.Website != "" {
		if err := checkURI("the website", i.Website); err != nil {
			return err
		}
	}
	return checkIcons(i.Icons)
}

// checkFraction returns an error for a number that is not from 0 to 1. Nil is valid.
func checkFraction(what string, v *float64) error {
	if v == nil || *v >= 0 && *v <= 1 {
		return nil
	}
	return fmt.Errorf("%s is %v: it must be from 0 to 1", what, *v)
}

// checkNumber returns an error for a number that JSON does not have. Nil is valid.
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
