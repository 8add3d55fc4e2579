package access

import (
	"net/netip"
	"strings"
)

// host is a parsed Host header.
type host struct {
	name string // a name or an address; an IPv6 address is in brackets
	port string // digits, or ""
}

// parseHost parses uri-host [":" port] (RFC 9110, section 7.2). A name may contain letters, digits,
// dots, hyphens and underscores only: browsers send no others. A final dot is dropped. If the text
// does not parse, the result is the zero host.
func parseHost(text string) (host, bool) {
	end := strings.IndexByte(text, ':')
	if strings.HasPrefix(text, "[") {
		if end = strings.IndexByte(text, ']') + 1; end == 0 || !isIPv6(text[1:end-1]) {
			return host{}, false
		}
	}
	if end < 0 {
		end = len(text)
	}
	h, rest := host{name: text[:end]}, text[end:]
	if text == "" || text[0] != '[' {
		h.name = strings.TrimSuffix(h.name, ".")
		if !isName(h.name) {
			return host{}, false
		}
	}
	if rest == "" {
		return h, true
	}
	if rest[0] != ':' || !isPort(rest[1:]) {
		return host{}, false
	}
	h.port = strings.TrimLeft(rest[1:], "0")
	return h, true
}

// isIPv6 reports whether text is an IPv6 address without a zone.
func isIPv6(text string) bool {
	a, err := netip.ParseAddr(text)
	return err == nil && a.Is6() && a.Zone() == ""
}

func isName(text string) bool {
	for i := range len(text) {
		c := text[i]
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && c != '.' && c != '-' && c != '_' {
			return false
		}
	}
	return text != ""
}

// isPort reports whether text is a port number other than 0, or "", which the grammar allows behind
// the colon.
func isPort(text string) bool {
	n := 0
	if text == "" {
		return true
	}
	for i := range len(text) {
		c := text[i]
		if c < '0' || c > '9' {
			return false
		}
		if n = 10*n + int(c-'0'); n > 65535 {
			return false
		}
	}
	return n > 0
}

// covers reports whether a configured host matches the requested one. A configured host without a
// port matches every port; a host with the default port also matches a request without a port.
func (h host) covers(asked host) bool {
	switch {
	case h.port == "", h.port == asked.port:
	case asked.port == "" && (h.port == "80" || h.port == "443"):
	default:
		return false
	}
	return strings.EqualFold(h.name, asked.name)
}

// isLoopback reports whether the host is a loopback host by its name. Such a name cannot resolve to
// another address (RFC 6761, section 6.3, for names below localhost).
func (h host) isLoopback() bool {
	const local = "localhost"
	name := h.name
	switch {
	case name[0] == '[':
		a, err := netip.ParseAddr(name[1 : len(name)-1])
		return err == nil && a.IsLoopback()
	case isDotted(name):
		a, err := netip.ParseAddr(name)
		return err == nil && a.IsLoopback()
	case len(name) > len(local)+1 && name[len(name)-len(local)-1] == '.':
		name = name[len(name)-len(local):]
	}
	return strings.EqualFold(name, local)
}

// isDotted reports whether a name consists of digits and dots only, as addresses do.
func isDotted(name string) bool {
	for i := range len(name) {
		if c := name[i]; (c < '0' || c > '9') && c != '.' {
			return false
		}
	}
	return true
}

// origin is a parsed Origin header (RFC 6454, section 7.1).
type origin struct {
	scheme string // in lower case
	host   host   // in lower case
}

// parseOrigin parses scheme "://" host [":" port].
func parseOrigin(text string) (origin, bool) {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok || !isScheme(scheme) {
		return origin{}, false
	}
	o := origin{scheme: strings.ToLower(scheme)}
	dot := strings.HasSuffix(rest, ".") || strings.Contains(rest, ".:")
	if o.host, ok = parseHost(rest); !ok {
		return origin{}, false
	}
	o.host.name = strings.ToLower(o.host.name)
	if dot {
		// For browsers, this origin differs from the origin without the dot.
		o.host.name += "."
	}
	if o.host.port == defaultPort(o.scheme) {
		o.host.port = ""
	}
	return o, true
}

func isScheme(text string) bool {
	for i := range len(text) {
		c := text[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '+' && c != '-' && c != '.') {
			return false
		}
	}
	return text != ""
}

func defaultPort(scheme string) string {
	switch scheme {
	case "http":
		return "80"
	case "https":
		return "443"
	}
	return ""
}

// String returns the origin as browsers write it.
func (o origin) String() string {
	s := o.scheme + "://" + o.host.name
	if o.host.port != "" {
		s += ":" + o.host.port
	}
	return s
}

// is reports whether the origin is the origin of the server with the given Host. Behind a proxy
// that terminates TLS, an https page may call a server that sees plain HTTP, but never the reverse.
func (o origin) is(h host, encrypted bool) bool {
	if o.scheme != "https" && (encrypted || o.scheme != "http") {
		return false
	}
	port := h.port
	if port == defaultPort(o.scheme) {
		port = ""
	}
	return h.name != "" && port == o.host.port && strings.EqualFold(h.name, strings.TrimSuffix(o.host.name, "."))
}
