package keyword

import (
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/internal/valid"
)

// format is a format of strings.
type format struct {
	name string
	fn   string            // the function of runtime/wire that checks arguments, by calling the function in the next field
	is   func(string) bool // checks defaults and examples
}

var formats = []format{
	{"date", "FormatDate", valid.IsDate[string]},
	{"date-time", "FormatDateTime", valid.IsDateTime[string]},
	{"email", "FormatEmail", valid.IsEmail},
	{"hostname", "FormatHostname", valid.IsHostname},
	{"ipv4", "FormatIPv4", valid.IsIPv4},
	{"ipv6", "FormatIPv6", valid.IsIPv6},
	{"time", "FormatTime", valid.IsTime[string]},
	{"uri", "FormatURI", valid.ParsesAsURI},
	{"uuid", "FormatUUID", valid.IsUUID},
}

// FormatFunc returns the function of runtime/wire that checks a format, or "" if the format is
// unknown.
func FormatFunc(name string) string {
	for _, f := range formats {
		if f.name == name {
			return f.fn
		}
	}
	return ""
}

// IsFormat reports whether a text is valid in a format. Unknown formats allow every text.
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

// FormatHint returns the format to write instead of an unknown word.
func FormatHint(word string) string {
	if near := diag.Nearest(word, formatNames()); near != "" {
		return "did you mean " + near + "?"
	}
	return "the formats are " + strings.Join(formatNames(), ", ")
}
