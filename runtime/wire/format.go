package wire

import "github.com/mcpgen/mcpgen/internal/valid"

// FormatChecker checks a format of JSON Schema. It returns a description of the format, and reports
// whether s has it.
//
// A format is given as a function, not by its name, so that a program links only the code of the
// formats it uses.
type FormatChecker func(s string) (want string, ok bool)

// Format checks that a string has a format.
func Format[T ~string](d *Decoder, v T, check FormatChecker) {
	if d.failed {
		return
	}
	if want, ok := check(string(v)); !ok {
		d.violate(RuleFormat, "must be "+want+", got "+quote(string(v)))
	}
}

// wantDateTime describes the format that Time expects, too.
const wantDateTime = "a date and time such as 2006-01-02T15:04:05Z"

// FormatDateTime checks the format date-time: RFC 3339, section 5.6, in upper case and without leap
// seconds, because Go's time has none.
func FormatDateTime(s string) (want string, ok bool) { return wantDateTime, valid.IsDateTime(s) }

// FormatDate checks the format date: full-date of RFC 3339, section 5.6.
func FormatDate(s string) (want string, ok bool) {
	return "a date such as 2006-01-02", valid.IsDate(s)
}

// FormatTime checks the format time: full-time of RFC 3339, section 5.6, in upper case and without
// leap seconds.
func FormatTime(s string) (want string, ok bool) {
	return "a time of day with its offset such as 15:04:05Z", valid.IsTime(s)
}

// FormatUUID checks the format uuid: RFC 9562, section 4, in upper or lower case.
func FormatUUID(s string) (want string, ok bool) {
	return "a UUID such as f81d4fae-7dec-11d0-a765-00a0c91e6bf6", valid.IsUUID(s)
}

// FormatEmail checks the format email: Mailbox of RFC 5321, section 4.1.2, with its limits of 64
// characters before the @ and 254 altogether.
func FormatEmail(s string) (want string, ok bool) {
	return "an email address such as ada@example.com", valid.IsEmail(s)
}

// FormatHostname checks the format hostname: RFC 1123, section 2.1, where a final dot is allowed.
func FormatHostname(s string) (want string, ok bool) {
	return "a host name such as www.example.com", valid.IsHostname(s)
}

// FormatIPv4 checks the format ipv4: dotted-quad of RFC 2673, section 3.2, without leading zeros.
func FormatIPv4(s string) (want string, ok bool) {
	return "an IPv4 address such as 192.0.2.1", valid.IsIPv4(s)
}

// FormatIPv6 checks the format ipv6: RFC 4291, section 2.2, without a zone.
func FormatIPv6(s string) (want string, ok bool) {
	return "an IPv6 address such as 2001:db8::1", valid.IsIPv6(s)
}

// FormatURI checks the format uri: RFC 3986 with a scheme, as package net/url parses it.
func FormatURI(s string) (want string, ok bool) {
	want = "an absolute URI such as https://example.com/path"
	return want, valid.ParsesAsURI(s)
}
