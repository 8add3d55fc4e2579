package valid

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// MaxURI limits the length of a URI in a request, in bytes.
const MaxURI = 8 << 10

// IsURI reports whether s has the syntax of a URI with a scheme (RFC 3986).
func IsURI(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || rest == "" || !isScheme(scheme) {
		return false
	}
	for i := 0; i < len(rest); i++ {
		c := rest[i]
		switch {
		case c == '%':
			if len(rest) < i+3 || !isHex(rest[i+1]) || !isHex(rest[i+2]) {
				return false
			}
		case c <= ' ', c >= 0x7f, strings.IndexByte("\"<>\\^`{|}", c) >= 0:
			return false
		}
	}
	return true
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

func isScheme(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && (i == 0 || !isDigit(c) && strings.IndexByte("+-.", c) < 0) {
			return false
		}
	}
	return s != ""
}

// ParsesAsURI reports whether package net/url parses s as a URI with a scheme. It also checks that
// text in brackets is an IPv6 address, and that no other host contains a colon.
func ParsesAsURI(s string) bool {
	u, err := url.Parse(s)
	if err != nil || !u.IsAbs() {
		return false
	}
	host := u.Hostname()
	if !strings.Contains(host, ":") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return strings.Contains(u.Host, "[") && strings.Contains(u.Host, "]") && err == nil && a.Is6() && a.Zone() == ""
}

// URI returns the fault of a URI of any length, or nil. what describes its owner in the message,
// such as "an icon".
func URI(what, uri string) *Fault {
	switch {
	case uri == "":
		return &Fault{what + " has no URI", "set an absolute one, such as file:///name"}
	case !IsURI(uri):
		return &Fault{
			fmt.Sprintf("%s has the URI %q, which is not an absolute URI (RFC 3986)", what, uri),
			"it begins with a scheme and a colon, and what a URI cannot have is percent-encoded",
		}
	case !ParsesAsURI(uri):
		return &Fault{
			fmt.Sprintf("%s has the URI %q, whose authority cannot be read (RFC 3986)", what, uri),
			"after // comes a host, an IPv6 address in brackets, and a port in digits",
		}
	}
	return nil
}

// IsResourceURI reports whether s is a URI with a scheme, and short enough for a request.
func IsResourceURI(s string) bool { return len(s) <= MaxURI && IsURI(s) }

// ResourceURI returns the fault of the URI of a resource, or nil. what describes its owner in the
// message.
func ResourceURI(what, uri string) *Fault {
	if len(uri) > MaxURI {
		return tooLong(what, uri)
	}
	return URI(what, uri)
}

func tooLong(what, uri string) *Fault {
	return &Fault{fmt.Sprintf("%s has a URI of %d bytes", what, len(uri)), fmt.Sprintf("URIs in requests have at most %d", MaxURI)}
}

// FilesPrefix returns the fault of the URI that is the prefix of files' URIs, or nil.
func FilesPrefix(what, prefix string) *Fault {
	if ResourceURI(what, prefix+"x") != nil || !strings.HasSuffix(prefix, "/") {
		return &Fault{fmt.Sprintf("%s have the prefix %q", what, prefix), "it must be the begin of a URI, with a slash at its end"}
	}
	return nil
}

// Template returns the fault of a parsed URI template, or nil: its URIs must begin with a scheme
// that contains no variable.
func Template(what string, t interface {
	Prefix() string
	String() string
}) *Fault {
	switch prefix := t.Prefix(); {
	case len(prefix) >= MaxURI:
		return tooLong(what, prefix)
	case !IsURI(prefix + "x"):
		return &Fault{fmt.Sprintf("%s has the URI template %q, which has no scheme", what, t), "begin it with a scheme of your own, such as books://"}
	}
	return nil
}

// Website returns the fault of the URL of a server's web page, or nil.
func Website(website string) *Fault {
	if fault := URI("the website", website); fault != nil {
		return fault
	}
	if !isWeb(website) {
		return &Fault{fmt.Sprintf("%q is not the URL of a page", website), "write an https: URL"}
	}
	return nil
}

// isWeb reports whether a valid URI refers to a web page.
func isWeb(uri string) bool {
	u, err := url.Parse(uri)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != ""
}
