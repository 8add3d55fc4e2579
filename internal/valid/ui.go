package valid

import (
	"fmt"
	"net/netip"
	"strings"
)

// UIMIMEType is the MIME type of the pages that hosts show (MCP Apps, UI resource format).
const UIMIMEType = "text/html;profile=mcp-app"

// UIScheme begins the URI of every page that hosts show.
const UIScheme = "ui://"

// IsUI reports whether a URI, or a URI template, is the address of a page that hosts show.
func IsUI(uri string) bool { return strings.HasPrefix(uri, UIScheme) }

// UIPermissions are the permissions that a page may ask for, in the specification's order.
var UIPermissions = []string{"camera", "microphone", "geolocation", "clipboardWrite"}

// IsUIPermission reports whether a page may ask for a permission.
func IsUIPermission(name string) bool {
	for _, p := range UIPermissions {
		if p == name {
			return true
		}
	}
	return false
}

// Origin returns the fault of an origin in the policy of a page, or nil: a scheme, a host and
// perhaps a port, and nothing else. Hosts copy it into a Content-Security-Policy. A host that
// begins with *. matches all subdomains. sockets allows ws: and wss: too.
func Origin(origin string, sockets bool) *Fault {
	fault := func(problem string) *Fault {
		hint := "write a scheme and a host, such as https://api.example.com or https://*.example.com"
		if sockets {
			hint += ", or wss://live.example.com"
		}
		return &Fault{fmt.Sprintf("%q is not an origin: %s", origin, problem), hint}
	}
	scheme, rest, ok := strings.Cut(origin, "://")
	switch {
	case !ok:
		return fault("it has no scheme")
	case scheme == "https", scheme == "http":
	case scheme != "wss" && scheme != "ws":
		return fault("its scheme is not https:")
	case !sockets:
		return &Fault{fmt.Sprintf("%q is the origin of a WebSocket, from which nothing is loaded", origin), "write it in connect="}
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		f := fault("it has a path")
		if rest[i:] == "/" {
			f.Hint = "leave the slash at its end out"
		}
		return f
	}
	host, port, hasPort := cutPort(rest)
	switch {
	case hasPort && !isPort(port):
		return fault("its port is not a number from 1 to 65535")
	case strings.HasPrefix(host, "["):
		a, err := netip.ParseAddr(strings.TrimSuffix(host[1:], "]"))
		if err != nil || !a.Is6() || a.Zone() != "" || !strings.HasSuffix(host, "]") {
			return fault("its host is not an IPv6 address")
		}
	case strings.HasPrefix(host, "*."):
		host = host[2:]
		fallthrough
	default:
		if !IsHostname(host) {
			return fault("its host is not the name of a host")
		}
	}
	return nil
}

// cutPort cuts host:port at the colon of the port.
func cutPort(s string) (host, port string, found bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 || i < strings.LastIndexByte(s, ']') {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

func isPort(s string) bool {
	n := 0
	for i := range len(s) {
		if !isDigit(s[i]) || len(s) > 5 {
			return false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n > 0 && n < 1<<16
}
