// Package access decides by the Host and Origin headers of an HTTP request whether it may be
// served, for every transport over HTTP. It protects a server on a user's machine from the web
// pages that the user visits: a page can send requests to any address, and by rebinding its own
// name to the server's address (DNS rebinding) it can make them look like requests of the same
// origin.
package access

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// Policy contains the configured host names of a server and the origins that may call it. The zero
// Policy trusts loopback names on loopback listeners, and nothing else. A Policy may be used by
// several goroutines.
type Policy struct {
	anyHost bool
	hosts   []host
	origins []string // lower case, without a default port

	first atomic.Pointer[trustedHost] // the first Host header that was a name of this server
}

// trustedHost is a Host header that is a name of this server. Nearly all requests to a server have
// the same one, which is parsed and compared with the names once.
type trustedHost struct {
	text     string
	loopback bool // of connections that arrived at a loopback address
	host     host
}

// longestTrusted limits the Host header that a policy remembers, in bytes: a name has at most 255.
const longestTrusted = 300

// New returns the policy with these names and origins.
//
// A host is a name or an address, with a port or, for any port, without one; "*" allows any Host.
// An origin has the form that browsers send, scheme://host or scheme://host:port. There is no "*"
// for origins, and "null" is refused: every page can send it.
func New(hosts, origins []string) (*Policy, error) {
	p := new(Policy)
	for _, text := range hosts {
		if text == "*" {
			p.anyHost = true
			continue
		}
		h, ok := configuredHost(text)
		if !ok {
			return nil, fmt.Errorf(`parse allowed host %q: want a name or an address, such as "example.com", "example.com:8080" or "*"`, text)
		}
		p.hosts = append(p.hosts, h)
	}
	for _, text := range origins {
		switch text {
		case "*":
			return nil, errors.New(`parse allowed origin "*": every page of the web would be one; list those that may call`)
		case "null":
			return nil, errors.New(`parse allowed origin "null": every page can have it, by way of a sandboxed frame; serve the page from an origin of its own`)
		}
		o, ok := parseOrigin(text)
		if !ok {
			return nil, fmt.Errorf(`parse allowed origin %q: want scheme://host or scheme://host:port, such as "https://example.com"`, text)
		}
		p.origins = append(p.origins, o.String())
	}
	return p, nil
}

// configuredHost also accepts IPv6 addresses without brackets.
func configuredHost(text string) (host, bool) {
	if a, err := netip.ParseAddr(text); err == nil && a.Is6() {
		text = "[" + text + "]"
	}
	return parseHost(text)
}

// Refusal is the response to a request that must not be served.
type Refusal struct {
	Status  int    // 403, or 400 if a header is malformed
	Message string // names the fault, and the option that allows the request
}

func refuse(status int, format string, args ...any) *Refusal {
	return &Refusal{Status: status, Message: fmt.Sprintf(format, args...)}
}

// maxHeader is the limit for the target and the header fields of a request together, in bytes.
const maxHeader = 64 << 10

// Check decides on a request that a server received; nil means that it may be served.
//
// Host: if the connection arrived at a loopback address, it must be a loopback name (localhost,
// *.localhost, 127.0.0.0/8, [::1]) or a configured one. At other and unknown addresses, and on Unix
// sockets, it is checked only if there are configured names.
//
// Origin: a request without one passes. Otherwise its Origin must be configured, or equal to a Host
// that is known to be the server's: a loopback name if the connection arrived at a loopback
// address, or a configured name. Equality with any other Host proves nothing, since a rebound page
// sends both alike.
//
// Sec-Fetch-Site: browsers send no Origin with requests for embedded content such as images, but
// they send this header, which describes the relation of the page to the server. It must be
// same-origin or none.
//
// Header fields of more than 64 KiB together are always refused: calls and connections retain them,
// and a [http.Server] may allow a megabyte.
func (p *Policy) Check(r *http.Request) *Refusal {
	size := len(r.RequestURI)
	for name, values := range r.Header {
		for _, value := range values {
			size += len(name) + len(value)
		}
	}
	if size > maxHeader {
		return refuse(http.StatusRequestHeaderFieldsTooLarge, "the header fields have more than %d bytes", maxHeader)
	}
	if more := r.Header["Host"]; len(more) > 1 || len(more) == 1 && more[0] != r.Host {
		return refuse(http.StatusBadRequest, "more than one Host header")
	}
	h, trusted, refusal := p.checkHost(r)
	if refusal != nil {
		return refusal
	}
	switch origins := r.Header["Origin"]; len(origins) {
	case 0:
		if sites := r.Header["Sec-Fetch-Site"]; sites != nil { // of browsers
			return checkSite(sites)
		}
		return nil
	case 1:
		return p.checkOrigin(r, origins[0], h, trusted)
	default:
		return refuse(http.StatusForbidden, "more than one Origin header")
	}
}

// checkSite decides on a request without an Origin (Fetch metadata request headers, section 2.3). A
// page from another port is same-site, but may belong to another server.
func checkSite(sites []string) *Refusal {
	for _, site := range sites {
		if site != "same-origin" && site != "none" {
			return refuse(http.StatusForbidden,
				"a page of another origin has caused the request (Sec-Fetch-Site: %s), and no Origin header says which: use fetch, EventSource or WebSocket, from an origin that WithAllowedOrigins or the flag -allow-origin allows", quote(site))
		}
	}
	return nil
}

// checkHost returns the Host if it was checked, and whether it is known to be a name of this
// server.
func (p *Policy) checkHost(r *http.Request) (h host, trusted bool, refusal *Refusal) {
	loopback := onLoopback(r)
	if !loopback && (p == nil || len(p.hosts) == 0) {
		return host{}, false, nil
	}
	if p != nil {
		if t := p.first.Load(); t != nil && t.text == r.Host && t.loopback == loopback {
			return t.host, true, nil
		}
	}
	h, ok := parseHost(r.Host)
	switch {
	case ok && (loopback && h.isLoopback() || p.hasHost(h)):
		if p != nil && p.first.Load() == nil && len(r.Host) <= longestTrusted {
			text := strings.Clone(r.Host) // not to keep all header fields with it
			first, _ := parseHost(text)
			p.first.Store(&trustedHost{text, loopback, first})
		}
		return h, true, nil
	case p != nil && p.anyHost:
		return h, false, nil
	case !ok:
		return h, false, refuse(http.StatusBadRequest, "malformed Host header %s", quote(r.Host))
	case loopback:
		return h, false, refuse(http.StatusForbidden,
			"host %s is not a loopback name, but the connection is a loopback one: %s", quote(r.Host), allowHost(h))
	}
	return h, false, refuse(http.StatusForbidden, "host %s is not allowed: %s", quote(r.Host), allowHost(h))
}

func (p *Policy) checkOrigin(r *http.Request, text string, h host, trusted bool) *Refusal {
	if text == "null" {
		return refuse(http.StatusForbidden,
			`origin "null" is not allowed: sandboxed pages and files send it; serve the page from an origin of its own, and allow that with WithAllowedOrigins("http://...") or by the flag -allow-origin`)
	}
	o, ok := parseOrigin(text)
	if !ok {
		return refuse(http.StatusForbidden, "malformed Origin header %s", quote(text))
	}
	if p.hasOrigin(o) {
		return nil
	}
	if !trusted {
		h, _ = parseHost(r.Host) // checkHost may not have parsed it
	}
	if same := o.is(h, r.TLS != nil); same && trusted {
		return nil
	} else if same {
		return refuse(http.StatusForbidden,
			"origin %s is equal to the Host header, which proves nothing before the name is known to be this server's: %s; or %s",
			quote(text), allowHost(h), allowOrigin(o))
	}
	return refuse(http.StatusForbidden, "origin %s is not allowed: %s", quote(text), allowOrigin(o))
}

// allowHost and allowOrigin return a hint how to allow a name, in Go and, for programs of package
// mcpcmd, by a flag.
func allowHost(h host) string {
	return fmt.Sprintf("allow it with WithAllowedHosts(%s) or by the flag -allow-host", quote(h.name))
}

func allowOrigin(o origin) string {
	return fmt.Sprintf("allow it with WithAllowedOrigins(%s) or by the flag -allow-origin", quote(o.String()))
}

// Origin returns the Origin header of a request, and whether it is one of the configured origins,
// whose pages may read the response only if CORS headers allow it.
func (p *Policy) Origin(r *http.Request) (origin string, cross bool) {
	origins := r.Header["Origin"]
	if len(origins) != 1 {
		return "", false
	}
	if p == nil || len(p.origins) == 0 {
		return origins[0], false
	}
	o, ok := parseOrigin(origins[0])
	return origins[0], ok && p.hasOrigin(o)
}

// HasOrigins reports whether any origin is configured, so that responses vary by the Origin header.
func (p *Policy) HasOrigins() bool { return p != nil && len(p.origins) > 0 }

func (p *Policy) hasHost(h host) bool {
	if p == nil {
		return false
	}
	for i := range p.hosts {
		if p.hosts[i].covers(h) {
			return true
		}
	}
	return false
}

func (p *Policy) hasOrigin(o origin) bool {
	return p != nil && len(p.origins) > 0 && slices.Contains(p.origins, o.String())
}

// onLoopback reports whether the connection of the request arrived at a loopback address.
func onLoopback(r *http.Request) bool {
	switch a := r.Context().Value(http.LocalAddrContextKey).(type) {
	case *net.TCPAddr:
		return a.IP.IsLoopback()
	case net.Addr:
		at, err := netip.ParseAddrPort(a.String())
		return err == nil && at.Addr().Unmap().IsLoopback()
	}
	return false
}

// longest limits the part of a header that a message quotes, in bytes.
const longest = 100

func quote(s string) string {
	if len(s) > longest {
		return strconv.QuoteToASCII(s[:longest] + "...")
	}
	return strconv.QuoteToASCII(s)
}
