package wire

import "strings"

// FormatChecker checks one of the formats of JSON Schema. It returns a description of
// the format, and whether s has it.
//
// A format is given as a function, not by its name, so that a program links only the
// code of those it uses.
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

// FormatDateTime is the format date-time: RFC 3339, section 5.6, in upper case
// and without leap seconds, because Go's time has none.
func FormatDateTime(s string) (want string, ok bool) { return wantDateTime, isDateTime(s) }

// FormatDate is the format date: full-date of RFC 3339, section 5.6.
func FormatDate(s string) (want string, ok bool) {
	return "a date such as 2006-01-02", isDate(s)
}

// FormatTime is the format time: full-time of RFC 3339, section 5.6, limited like
// FormatDateTime.
func FormatTime(s string) (want string, ok bool) {
	return "a time of day with its offset such as 15:04:05Z", isTime(s)
}

func isDateTime[T ~string | ~[]byte](s T) bool {
	return len(s) > 10 && s[10] == 'T' && isDate(s[:10]) && isTime(s[11:])
}

func isDate[T ~string | ~[]byte](s T) bool {
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

func isTime[T ~string | ~[]byte](s T) bool {
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

// twoDigits returns the number that s begins with, -1 where it does not.
func twoDigits[T ~string | ~[]byte](s T) int {
	tens, ones := s[0]-'0', s[1]-'0'
	if tens > 9 || ones > 9 {
		return -1
	}
	return 10*int(tens) + int(ones)
}

// FormatUUID is the format uuid: RFC 9562, section 4, in upper or lower case.
func FormatUUID(s string) (want string, ok bool) {
	want = "a UUID such as f81d4fae-7dec-11d0-a765-00a0c91e6bf6"
	if len(s) != 36 {
		return want, false
	}
	for i := range len(s) {
		c := s[i]
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return want, false
			}
		} else if !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f') {
			return want, false
		}
	}
	return want, true
}

// FormatEmail is the format email: Mailbox of RFC 5321, section 4.1.2, with its
// limits of 64 characters in front of the @ and 254 altogether.
func FormatEmail(s string) (want string, ok bool) {
	want = "an email address such as ada@example.com"
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > 64 || len(s) > 254 {
		return want, false
	}
	local, domain := s[:at], s[at+1:]
	if len(local) > 1 && local[0] == '"' && local[at-1] == '"' {
		if strings.ContainsAny(local[1:at-1], `"\`) {
			return want, false
		}
	} else if !isDotAtom(local) {
		return want, false
	}
	if literal, ok := strings.CutPrefix(domain, "["); ok {
		if literal, ok = strings.CutSuffix(literal, "]"); ok {
			if v6, ok := strings.CutPrefix(literal, "IPv6:"); ok {
				return want, isIPv6(v6)
			}
			return want, isIPv4(literal)
		}
	}
	return want, isHostname(domain)
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

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
