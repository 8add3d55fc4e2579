package wire

import "github.com/mcpgen/mcpgen/internal/valid"

// FormatChecker checks one of the formats of JSON Schema. It returns a description of the format,
// and whether s has it.
//
// A format is given as a function, not by its name, so that a program links only the code of those
// it uses.
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

// wantDateTime is also the format that Time expects.
const wantDateTime = "a date and time such as 2006-01-02T15:04:05Z"

// FormatDateTime is the format date-time: RFC 3339, section 5.6, in upper case and without leap
// seconds, because Go's time has none.
func FormatDateTime(s string) (want string, ok bool) { return wantDateTime, valid.IsDateTime(s) }

// FormatDate is the format date: full-date of RFC 3339, section 5.6.
func FormatDate(s string) (want string, ok bool) {
	return "a date such as 2006-01-02", valid.IsDate(s)
}

// FormatTime is the format time: full-time of RFC 3339, section 5.6, limited like FormatDateTime.
func FormatTime(s string) (want string, ok bool) {
	return "a time of day with its offset such as 15:04:05Z", valid.IsTime(s)
}

// FormatUUID is the format uuid: RFC 9562, section 4, in upper or lower case.
func FormatUUID(s string) (want string, ok bool) {
	return "a UUID such as f81d4fae-7dec-11d0-a765-00a0c91e6bf6", valid.IsUUID(s)
}

// FormatEmail is the format email: Mailbox of RFC 5321, section 4.1.2, with its limits of 64
// characters in front of the @ and 254 altogether.
func FormatEmail(s string) (want string, ok bool) {
	return "an email address such as ada@example.com", valid.IsEmail(s)
}

// FormatHostname is the format hostname: RFC 1123, section 2.1, where a final dot is allowed.
func FormatHostname(s string) (want string, ok bool) {
	return "a host name such as www.example.com", valid.IsHostname(s)
}

// FormatIPv4 is the format ipv4: dotted-quad of RFC 2673, section 3.2, without leading zeros.
func FormatIPv4(s string) (want string, ok bool) {
	return "an IPv4 address such as 192.0.2.1", valid.IsIPv4(s)
}

// FormatIPv6 is the format ipv6: RFC 4291, section 2.2, without a zone.
func FormatIPv6(s string) (want string, ok bool) {
	return "an IPv6 address such as 2001:db8::1", valid.IsIPv6(s)
}

// FormatURI is the format uri: RFC 3986 with a scheme, as package net/url parses it.
func FormatURI(s string) (want string, ok bool) {
	want = "an absolute URI such as https://example.com/path"
	return want, valid.ParsesAsURI(s)
}
