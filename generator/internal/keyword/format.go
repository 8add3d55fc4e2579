package keyword

import (
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
)

// format is a format of strings.
type format struct {
	name string
	fn   string            // the function of runtime/wire that checks arguments
	is   func(string) bool // checks defaults and examples
}

var formats = []format{
	{"date", "FormatDate", func(s string) bool { return parses(time.DateOnly, s) }},
	{"date-time", "FormatDateTime", func(s string) bool { return parses(time.RFC3339, s) && len(s) > 10 && s[10] == 'T' }},
	{"email", "FormatEmail", isEmail},
	{"hostname", "FormatHostname", isHostname},
	{"ipv4", "FormatIPv4", func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is4() }},
	{"ipv6", "FormatIPv6", func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is6() && a.Zone() == "" }},
	{"time", "FormatTime", func(s string) bool { return parses(time.RFC3339, "2006-01-02T"+s) }},
	{"uri", "FormatURI", func(s string) bool { u, err := url.Parse(s); return err == nil && u.IsAbs() }},
	{"uuid", "FormatUUID", regexp.MustCompile(`^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$`).MatchString},
}

// FormatFunc returns the function of runtime/wire that checks a format, "" if the format
// is unknown.
func FormatFunc(name string) string {
	for _, f := range formats {
		if f.name == name {
			return f.fn
		}
	}
	return ""
}

// IsFormat reports whether a text has a format. Every text has an unknown one.
func IsFormat(name, text string) bool {
	for _, f := range formats {
		if f.name == name {
			return f.is(text)
		}
	}
	return true
}

func formatNames() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

func parses(layout, s string) bool {
	_, err := time.Parse(layout, s)
	return err == nil
}

// isEmail accepts an address without a display name.
func isEmail(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Name == "" && a.Address == s
}

var hostLabel = regexp.MustCompile(`^[0-9A-Za-z]([0-9A-Za-z-]{0,61}[0-9A-Za-z])?$`)

// isHostname follows RFC 1123, section 2.1.
func isHostname(s string) bool {
	s = strings.TrimSuffix(s, ".")
	for label := range strings.SplitSeq(s, ".") {
		if !hostLabel.MatchString(label) {
			return false
		}
	}
	return len(s) <= 253
}

// FormatHint returns which format to write instead of an unknown word.
func FormatHint(word string) string {
	if near := diag.Nearest(word, formatNames()); near != "" {
		return "did you mean " + near + "?"
	}
	return "the formats are " + strings.Join(formatNames(), ", ")
}
