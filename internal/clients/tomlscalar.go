package clients

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// str reads a string of any of the four kinds.
func (p *tomlParser) str() (string, error) {
	start, quote := p.at, p.text[p.at]
	triple := bytes.Repeat([]byte{quote}, 3)
	multi := bytes.HasPrefix(p.text[p.at:], triple)
	p.at++
	if multi {
		p.at += 2
		p.lineEnd()
	}
	var b bytes.Buffer
	for p.at < len(p.text) {
		c := p.text[p.at]
		switch {
		case c == quote && !multi:
			p.at++
			return b.String(), nil
		case c == quote && bytes.HasPrefix(p.text[p.at:], triple):
			// Up to two quotes may precede the three.
			for range 2 {
				if bytes.HasPrefix(p.text[p.at+1:], triple) {
					b.WriteByte(quote)
					p.at++
				}
			}
			p.at += 3
			return b.String(), nil
		case c == '\\' && quote == '"':
			if err := p.escape(&b, multi); err != nil {
				return "", err
			}
		case multi && p.lineEnd():
			b.WriteByte('\n')
		case c < ' ' && c != '\t' || c == 0x7f:
			return "", p.wrong("a string has a control character, or does not end")
		default:
			b.WriteByte(c)
			p.at++
		}
	}
	p.at = start
	return "", p.wrong("a string does not end")
}

func (p *tomlParser) escape(b *bytes.Buffer, multi bool) error {
	rest := p.text[p.at+1:]
	if len(rest) == 0 {
		return p.wrong("a string does not end")
	}
	if i := strings.IndexByte(`btnfr"\`, rest[0]); i >= 0 {
		b.WriteByte("\b\t\n\f\r\"\\"[i])
		p.at += 2
		return nil
	}
	if digits := map[byte]int{'u': 4, 'U': 8}[rest[0]]; digits > 0 && len(rest) > digits {
		r, err := strconv.ParseUint(string(rest[1:1+digits]), 16, 32)
		if err == nil && utf8.ValidRune(rune(r)) && r <= utf8.MaxRune {
			b.WriteRune(rune(r))
			p.at += 2 + digits
			return nil
		}
	}
	if multi {
		// A backslash at the end of a line joins it with the next text.
		at := p.at
		p.at++
		p.blanks()
		if p.lineEnd() {
			for p.blanks(); p.lineEnd(); p.blanks() {
			}
			return nil
		}
		p.at = at
	}
	return p.wrong("a string has an unknown escape")
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isDate reports whether a token has the form of a date.
func isDate(token string) bool { return matches(token, "0000-00-00") }

// matches reports whether a text has a form in which 0 stands for any digit.
func matches(text, form string) bool {
	if len(text) != len(form) {
		return false
	}
	for i := range len(form) {
		if form[i] == '0' && !isDigit(text[i]) || form[i] != '0' && text[i] != form[i] {
			return false
		}
	}
	return true
}

// isScalar reports whether a token is a boolean, a number, a date or a time.
func isScalar(token string) bool {
	if token == "true" || token == "false" || isNumber(token) || isDate(token) || isTime(token) {
		return true
	}
	if len(token) < 19 || !isDate(token[:10]) || !slices.Contains([]byte("Tt "), token[10]) {
		return false
	}
	clock := token[11:]
	if rest, ok := strings.CutSuffix(strings.ToUpper(clock), "Z"); ok {
		return isTime(rest)
	}
	if n := len(clock) - 6; n > 0 && (matches(clock[n:], "+00:00") || matches(clock[n:], "-00:00")) {
		clock = clock[:n]
	}
	return isTime(clock)
}

func isTime(token string) bool {
	seconds, fraction, ok := strings.Cut(token, ".")
	return matches(seconds, "00:00:00") && (!ok || fraction != "" && strings.Trim(fraction, "0123456789") == "")
}

func isNumber(token string) bool {
	unsigned := strings.TrimLeft(token, "+-")
	if len(token)-len(unsigned) > 1 {
		return false
	}
	if unsigned == "inf" || unsigned == "nan" {
		return true
	}
	for prefix, digits := range map[string]string{"0x": "0123456789abcdefABCDEF", "0o": "01234567", "0b": "01"} {
		if rest, ok := strings.CutPrefix(token, prefix); ok {
			return areDigits(rest, digits)
		}
	}
	const decimal = "0123456789"
	mantissa, exponent, hasExponent := strings.Cut(strings.ToLower(unsigned), "e")
	whole, fraction, hasFraction := strings.Cut(mantissa, ".")
	return areDigits(whole, decimal) && (whole == "0" || whole[0] != '0') &&
		(!hasFraction || areDigits(fraction, decimal)) &&
		(!hasExponent || areDigits(strings.TrimPrefix(strings.TrimPrefix(exponent, "+"), "-"), decimal) && !strings.HasPrefix(exponent, "+-"))
}

// areDigits reports whether a text consists of digits, with single underscores between them.
func areDigits(text, digits string) bool {
	for part := range strings.SplitSeq(text, "_") {
		if part == "" || strings.Trim(part, digits) != "" {
			return false
		}
	}
	return true
}
