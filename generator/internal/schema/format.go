package schema

import (
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
)

// formats are the formats that decoders check, and how a value given at
// generation is checked; a schema never says another one.
var formats = map[string]func(string) bool{
	"date-time": func(s string) bool { return parses(time.RFC3339, s) && len(s) > 10 && s[10] == 'T' },
	"date":      func(s string) bool { return parses(time.DateOnly, s) },
	"time":      func(s string) bool { return parses(time.RFC3339, "2006-01-02T"+s) },
	"uuid":      regexp.MustCompile(`^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$`).MatchString,
	"email":     isEmail,
	"uri":       func(s string) bool { u, err := url.Parse(s); return err == nil && u.IsAbs() },
	"ipv4":      func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is4() },
	"ipv6":      func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is6() && a.Zone() == "" },
	"hostname":  isHostname,
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

func formatHint(word string) string {
	if near := diag.Nearest(word, sortedKeys(formats)); near != "" {
		return "did you mean " + near + "?"
	}
	return "the formats are " + strings.Join(sortedKeys(formats), ", ")
}
