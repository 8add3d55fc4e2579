package wire

import (
	"net/netip"
	"strings"

	"github.com/mcpgen/mcpgen/internal/valid"
)

// FormatHostname is the format hostname: RFC 1123, section 2.1, where a final dot
// is allowed.
func FormatHostname(s string) (want string, ok bool) {
	return "a host name such as www.example.com", isHostname(s)
}

// FormatIPv4 is the format ipv4: dotted-quad of RFC 2673, section 3.2, without
// leading zeros.
func FormatIPv4(s string) (want string, ok bool) {
	return "an IPv4 address such as 192.0.2.1", isIPv4(s)
}

// FormatIPv6 is the format ipv6: RFC 4291, section 2.2, without a zone.
func FormatIPv6(s string) (want string, ok bool) {
	return "an IPv6 address such as 2001:db8::1", isIPv6(s)
}

// FormatURI is the format uri: RFC 3986 with a scheme, as package net/url parses it.
func FormatURI(s string) (want string, ok bool) {
	want = "an absolute URI such as https://example.com/path"
	return want, valid.ParsesAsURI(s)
}

func isHostname(s string) bool {
	s = strings.TrimSuffix(s, ".")
	if len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if len(label) < 1 || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			if c := label[i]; c != '-' && !isAlphanumeric(c) {
				return false
			}
		}
	}
	return true
}

func isIPv4(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is4()
}

func isIPv6(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is6() && a.Zone() == ""
}
