// Package httpaddr parses the address on which a program listens. The command and the programs that
// it builds use the same rules.
package httpaddr

import (
	"net"
	"net/url"
	"strconv"
	"strings"
)

// loopback is the default host: other machines cannot connect.
const loopback = "127.0.0.1"

// Error reports why a text is not an address.
type Error struct {
	Text string
	// Problem is a predicate of the text: "has no port".
	Problem string
	// Hint explains how to correct it.
	Hint string
}

// Error returns the problem and the hint.
func (e *Error) Error() string {
	return "address " + strconv.Quote(e.Text) + " " + e.Problem + ": " + e.Hint
}

const forms = "write a port or host:port, such as 8080 or 127.0.0.1:8080"

// Parse returns the address in the form of [net.Listen]. The text is a port, ":port" or
// "host:port", where the port is a number and 0 stands for any free one. The default host is
// [loopback]. The host is not resolved.
func Parse(text string) (string, error) {
	host, port, err := split(text)
	if err != nil {
		return "", err
	}
	if strings.Trim(port, "0123456789") != "" || port == "" {
		return "", &Error{text, "has a port that is not a number", forms}
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return "", &Error{text, "has a port out of range", "ports end at 65535, and 0 stands for any that is free"}
	}
	switch {
	case host == "":
		host = loopback
	case host == "*":
		return "", &Error{text, "has no host", "0.0.0.0 stands for all addresses of this machine"}
	case strings.Contains(host, ":") && net.ParseIP(beforeZone(host)) == nil,
		strings.ContainsFunc(host, odd):
		return "", &Error{text, "has an invalid host", forms}
	}
	return net.JoinHostPort(host, strconv.FormatUint(number, 10)), nil
}

// split splits a text into host and port.
func split(text string) (host, port string, err error) {
	switch {
	case text == "":
		return "", "", &Error{text, "is empty", forms}
	case strings.Contains(text, "://"):
		hint := forms
		if u, err := url.Parse(text); err == nil && u.Port() != "" {
			hint = "write " + u.Host
		}
		return "", "", &Error{text, "is a URL", hint}
	case strings.ContainsAny(text, `/\`), text == ".", text == "..":
		return "", "", &Error{text, "looks like a path", forms}
	case strings.Trim(text, "0123456789") == "":
		return "", text, nil
	}
	host, port, err = net.SplitHostPort(text)
	if err == nil {
		return host, port, nil
	}
	bare := text
	if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
		bare = text[1 : len(text)-1]
	}
	if net.ParseIP(beforeZone(bare)) != nil || !strings.Contains(text, ":") {
		return "", "", &Error{text, "has no port", "write " + net.JoinHostPort(bare, "8080")}
	}
	return "", "", &Error{text, "cannot be read", forms + "; an IPv6 address is in brackets, [::1]:8080"}
}

// beforeZone removes the zone of an IPv6 address.
func beforeZone(host string) string {
	host, _, _ = strings.Cut(host, "%")
	return host
}

// odd reports whether a rune cannot be part of a host name or an address. The resolver checks the
// rest of a name.
func odd(r rune) bool {
	return !strings.ContainsRune(".-_:%", r) &&
		(r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r < 0x80
}
