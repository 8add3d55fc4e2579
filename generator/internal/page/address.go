package page

import (
	"strings"
)

// kind is the kind of an address.
type kind int

const (
	nothing  kind = iota // empty, or a fragment of the page itself
	relative             // resolved by the address of the page, or of its base
	absolute             // has an origin
	inline               // data:, blob:, about: and others without an origin
)

// address is an address as browsers read it (WHATWG URL), as far as its origin.
type address struct {
	kind               kind
	scheme, host, port string
	whole              bool // something follows the host, so that the host is complete
}

// special are the schemes with an origin, and their default ports.
var special = map[string]string{"https": "443", "http": "80", "wss": "443", "ws": "80"}

func isControl(r rune) bool { return r <= ' ' }

// parse reads an address. Browsers drop blanks around it, line breaks inside, take backslashes for
// slashes, and any number of slashes for two.
func parse(url string) address {
	url = strings.TrimFunc(url, isControl)
	url = strings.NewReplacer("\t", "", "\n", "", "\r", "", `\`, "/").Replace(url)
	if url == "" || url[0] == '#' {
		return address{kind: nothing}
	}
	scheme, rest, hasScheme := cutScheme(url)
	switch {
	case strings.HasPrefix(url, "//"):
		scheme, rest = "https", url // hosts serve their pages by HTTPS
	case !hasScheme:
		return address{kind: relative}
	case special[scheme] == "":
		return address{kind: inline, scheme: scheme}
	}
	rest = strings.TrimLeft(rest, "/")
	end := strings.IndexAny(rest, "/?#")
	a := address{kind: absolute, scheme: scheme, whole: end >= 0}
	if end >= 0 {
		rest = rest[:end]
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = rest[at+1:]
	}
	a.host = strings.ToLower(rest)
	if colon := strings.LastIndexByte(a.host, ':'); colon > strings.LastIndexByte(a.host, ']') {
		a.host, a.port = a.host[:colon], a.host[colon+1:]
	}
	if a.port == special[scheme] {
		a.port = ""
	}
	if a.host == "" {
		return address{kind: relative}
	}
	return a
}

func cutScheme(url string) (scheme, rest string, ok bool) {
	for i := range len(url) {
		switch c := url[i]; {
		case c == ':':
			return strings.ToLower(url[:i]), url[i+1:], i > 0
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && (c == '+' || c == '-' || c == '.' || '0' <= c && c <= '9'):
		default:
			return "", "", false
		}
	}
	return "", "", false
}

func (a address) origin() string {
	if a.port != "" {
		return a.scheme + "://" + a.host + ":" + a.port
	}
	return a.scheme + "://" + a.host
}

// upgrades are the schemes of addresses that an origin with another scheme allows, too (CSP 3,
// scheme-part match).
var upgrades = map[string]string{"http": "https", "ws": "wss http https", "wss": "https"}

// allows reports whether an origin of a policy allows an address (CSP 3, section 6.7.2.8).
func allows(origin string, a address) bool {
	o := parse(origin)
	if o.kind != absolute || o.scheme != a.scheme && !strings.Contains(" "+upgrades[o.scheme]+" ", " "+a.scheme+" ") {
		return false
	}
	if suffix, wildcard := strings.CutPrefix(o.host, "*."); wildcard {
		if !strings.HasSuffix(a.host, "."+suffix) {
			return false
		}
	} else if o.host != a.host {
		return false
	}
	return o.port == a.port
}

// isBare reports whether a module specifier is a name, and not a path.
func isBare(specifier string) bool {
	return !strings.HasPrefix(specifier, "/") && !strings.HasPrefix(specifier, "./") && !strings.HasPrefix(specifier, "../")
}
