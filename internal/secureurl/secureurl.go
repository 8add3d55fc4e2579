// Package secureurl checks the URLs of authorization servers and of servers that need tokens.
package secureurl

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
)

// Check parses a URL to which credentials are sent, or which clients compare as text: https, or
// http to this machine, without user and fragment. The error is a predicate of the URL, and does
// not quote it.
func Check(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("is not a URL")
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("must begin with https://")
	case u.Hostname() == "":
		return nil, errors.New("has no host")
	case u.User != nil, u.Fragment != "", strings.Contains(text, "#"):
		return nil, errors.New("must not have a user or a fragment")
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"<>\\^`{|}", r) }):
		return nil, errors.New("has characters that a URL cannot have: write them as %XX")
	case u.Scheme == "http" && !IsThisMachine(u.Hostname()):
		return nil, errors.New("must begin with https://, since it is not of this machine")
	}
	return u, nil
}

// IsThisMachine reports whether the host name or address of a URL refers to this machine, whatever
// the name resolves to (RFC 6761, section 6.3).
func IsThisMachine(host string) bool {
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Unmap().IsLoopback()
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}
