package valid

import (
	"net/netip"
	"strings"
)

// This file contains the formats of strings: the generator checks defaults and examples with them,
// and the runtime checks arguments. [ParsesAsURI] checks the format uri.

// IsDateTime reports whether a text has the format date-time: RFC 3339, section 5.6, in upper case
// and without leap seconds, because package time does not support them.
func IsDateTime[T ~string | ~[]byte](s T) bool {
	return len(s) > 10 && s[10] == 'T' && IsDate(s[:10]) && IsTime(s[11:])
}

// IsDate reports whether a text has the format date: full-date of RFC 3339, section 5.6.
func IsDate[T ~string | ~[]byte](s T) bool {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return false
	}
	century, year, month, day := twoDigits(s[0:]), twoDigits(s[2:]), twoDigits(s[5:]), twoDigits(s[8:])
	if century < 0 || year < 0 || month < 1 || month > 12 || day < 1 {
		return false
	}
	year += 100 * century
	days := 31
	switch month {
	case 4, 6, 9, 11:
		days = 30
	case 2:
		days = 28
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			days = 29
		}
	}
	return day <= days
}

// IsTime reports whether a text has the format time: full-time of RFC 3339, section 5.6, limited
// like [IsDateTime].
func IsTime[T ~string | ~[]byte](s T) bool {
	if len(s) < len("15:04:05Z") || s[2] != ':' || s[5] != ':' {
		return false
	}
	if !inRange(s[0:], 23) || !inRange(s[3:], 59) || !inRange(s[6:], 59) {
		return false
	}
	i := 8
	if s[i] == '.' {
		for i++; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
		}
		if i == 9 {
			return false
		}
	}
	zone := s[i:]
	if len(zone) == 1 {
		return zone[0] == 'Z'
	}
	return len(zone) == 6 && (zone[0] == '+' || zone[0] == '-') && zone[3] == ':' &&
		inRange(zone[1:], 23) && inRange(zone[4:], 59)
}

func inRange[T ~string | ~[]byte](s T, limit int) bool {
	n := twoDigits(s)
	return 0 <= n && n <= limit
}

// twoDigits returns the number at the beginning of s, or -1.
func twoDigits[T ~string | ~[]byte](s T) int {
	tens, ones := s[0]-'0', s[1]-'0'
	if tens > 9 || ones > 9 {
		return -1
	}
	return 10*int(tens) + int(ones)
}

// IsUUID reports whether a text has the format uuid: RFC 9562, section 4, in upper or lower case.
func IsUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return false
			}
		} else if !isHex(c) {
			return false
		}
	}
	return true
}

// IsEmail reports whether a text has the format email: Mailbox of RFC 5321, section 4.1.2, with its
// limits of 64 characters before the @ and 254 in total.
func IsEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > 64 || len(s) > 254 {
		return false
	}
	local, domain := s[:at], s[at+1:]
	if len(local) > 1 && local[0] == '"' && local[at-1] == '"' {
		if strings.ContainsAny(local[1:at-1], "\"\\") {
			return false
		}
	} else if !isDotAtom(local) {
		return false
	}
	if literal, ok := strings.CutPrefix(domain, "["); ok {
		if literal, ok = strings.CutSuffix(literal, "]"); ok {
			if v6, ok := strings.CutPrefix(literal, "IPv6:"); ok {
				return IsIPv6(v6)
			}
			return IsIPv4(literal)
		}
	}
	return IsHostname(domain)
}

// isDotAtom reports whether s is words joined by single dots.
func isDotAtom(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '.':
			if i == 0 || i == len(s)-1 || s[i-1] == '.' {
				return false
			}
		case !isAlphanumeric(c) && strings.IndexByte("!#$%&'*+-/=?^_`{|}~", c) < 0:
			return false
		}
	}
	return true
}

// IsHostname reports whether a text has the format hostname: RFC 1123, section 2.1, where a final
// dot is allowed.
func IsHostname(s string) bool {
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

// IsIPv4 reports whether a text has the format ipv4: dotted-quad of RFC 2673, section 3.2, without
// leading zeros.
func IsIPv4(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is4()
}

// IsIPv6 reports whether a text has the format ipv6: RFC 4291, section 2.2, without a zone.
func IsIPv6(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is6() && a.Zone() == ""
}
