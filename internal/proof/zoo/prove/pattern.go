package prove

import (
	"regexp/syntax"
	"strings"
	"unicode"
)

// matching returns a text that a regular expression matches.
func (r *source) matching(pattern string) string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		panic(err)
	}
	var b strings.Builder
	r.expand(&b, re)
	return b.String()
}

func (r *source) expand(b *strings.Builder, re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		for _, c := range re.Rune {
			if re.Flags&syntax.FoldCase != 0 && r.one(2) {
				c = unicode.SimpleFold(c)
			}
			b.WriteRune(c)
		}
	case syntax.OpCharClass:
		i := 2 * r.IntN(len(re.Rune)/2)
		low, high := re.Rune[i], re.Rune[i+1]
		if c := low + rune(r.IntN(int(min(high-low, 500))+1)); c < 0xd800 || c > 0xdfff {
			b.WriteRune(c)
		} else {
			b.WriteRune(low)
		}
	case syntax.OpAnyCharNotNL, syntax.OpAnyChar:
		b.WriteString(pick(r, []string{"a", "0", " ", "é", "🎉", "."}))
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			r.expand(b, sub)
		}
	case syntax.OpAlternate:
		r.expand(b, pick(r, re.Sub))
	case syntax.OpStar:
		r.repeat(b, re.Sub[0], 0, 4)
	case syntax.OpPlus:
		r.repeat(b, re.Sub[0], 1, 4)
	case syntax.OpQuest:
		r.repeat(b, re.Sub[0], 0, 1)
	case syntax.OpRepeat:
		most := re.Max
		if most < 0 {
			most = re.Min + 3
		}
		r.repeat(b, re.Sub[0], re.Min, most)
	}
}

func (r *source) repeat(b *strings.Builder, re *syntax.Regexp, least, most int) {
	for range least + r.IntN(most-least+1) {
		r.expand(b, re)
	}
}

// samples are texts that have a format, and texts that nearly have it.
type samples struct{ good, bad []string }

var formatSamples = map[string]samples{
	"date-time": {
		good: []string{"2024-02-29T12:34:56Z", "1970-01-01T00:00:00Z", "2024-12-31T23:59:59.999999999+14:00", "0001-01-01T00:00:00Z",
			"9999-12-31T23:59:59Z", "2024-06-01T00:00:00-23:59", "2024-06-01T00:00:00.5+00:00", "2024-06-01T00:00:00.1234567891234Z", "0000-01-01T00:00:00Z"},
		bad: []string{"2023-02-29T12:00:00Z", "2024-02-30T00:00:00Z", "2024-01-01 00:00:00Z", "2024-01-01T00:00:00", "2024-01-01", "2024-01-01T24:00:00Z",
			"2024-01-01T00:60:00Z", "2024-01-01t00:00:00Z", "2024-01-01T00:00:00z", "2016-12-31T23:59:60Z", "2024-01-01T00:00:00+24:00", "2024-01-01T00:00:00+23:60",
			"2024-01-01T00:00:00,5Z", "2024-01-01T00:00:00.Z", "24-01-01T00:00:00Z", "2024-1-1T00:00:00Z", "2024-01-01T0:00:00Z", "", "now", "2024-01-01T00:00:00+0000",
			"+2024-01-01T00:00:00Z", "10000-01-01T00:00:00Z", "2024-13-01T00:00:00Z", "2024-00-01T00:00:00Z", "2024-01-00T00:00:00Z", "2024-01-01T00:00:00ZZ", " 2024-01-01T00:00:00Z", "2024-01-01T00:00:61Z"},
	},
	"date": {
		good: []string{"2024-02-29", "1970-01-01", "0001-01-01", "9999-12-31"},
		bad:  []string{"2023-02-29", "2024-13-01", "2024-00-10", "2024-1-1", "24-01-01", "2024/01/01", "2024-01-01T00:00:00Z", "", "2024-01-32", "２０２４-01-01", "-001-01-01"},
	},
	"time": {
		good: []string{"12:34:56Z", "00:00:00+00:00", "23:59:59.999-23:59", "08:00:00.1+02:00"},
		bad:  []string{"24:00:00Z", "12:60:00Z", "23:59:60Z", "12:34:60Z", "12:34:56", "12:34Z", "12:34:56z", "1:2:3Z", "12:34:56+24:00", "", "12:34:56.Z", "12:34:56+0200", "+1:+2:+3Z", "12:34:56+02", "12:34:56,5Z"},
	},
	"uuid": {
		good: []string{"123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "ABCDEF01-2345-6789-abcd-ef0123456789"},
		bad: []string{"123e4567e89b12d3a456426614174000", "{123e4567-e89b-12d3-a456-426614174000}", "urn:uuid:123e4567-e89b-12d3-a456-426614174000",
			"123e4567-e89b-12d3-a456-42661417400", "123e4567-e89b-12d3-a456-4266141740000", "g23e4567-e89b-12d3-a456-426614174000", "", "123e4567-e89b12d3-a456-4266-14174000"},
	},
	"email": {
		good: []string{"a@b.com", "john.doe+tag@example.co.uk", "x@localhost", "o'brien@example.com", `"quoted local"@example.com`, "a@[127.0.0.1]", "a@[IPv6:::1]", "A_b-c@sub-domain.example.org"},
		bad: []string{"", "a", "@", "a@", "@b", "a b@c.com", "a@b@c.com", ".a@b.com", "a.@b.com", "a..b@c.com", "a@-b.com", "a@b-.com", "John <a@b.com>", "<a@b.com>", "a@b..com", "ü@b.com", "a@bücher.de",
			"a@[300.0.0.1]", "a@[::1]", "a@b.com ", "a@b_c.com", "a\n@b.com", `"a"b"@c.com`, `"a\"b"@c.com`, `""@b.com`, "a@b.com.", "(c)a@b.com",
			"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@b.com"},
	},
	"uri": {
		good: []string{"https://example.com", "http://a/b?c=d#e", "urn:isbn:0451450523", "mailto:a@b.com", "file:///etc/passwd", "ftp://u:p@h:21/x", "a:b", "http://[::1]/", "tel:+1-816-555-1212", "http://example.com/%20"},
		bad: []string{"", "example.com", "/path", "//host/path", "#f", "http://[::1", "http://a b/", "ht tp://a", "1http://a", "http://a/ b", "http://a/%zz", "http://a:port/", ":foo", "http://ü.de/", "http://a/é",
			"http://a/<>", "http://a/\"", "http://a/\\b", "http://a/{x}", "http://a/|", "http://a/^", "http://a/`", "http:// /", "http://a/\x7f", "a\nb:c", "http://a/[x]", "http://user@/x", "http:", "http://"},
	},
	"ipv4": {
		good: []string{"127.0.0.1", "0.0.0.0", "255.255.255.255", "8.8.8.8"},
		bad:  []string{"", "1.2.3", "1.2.3.4.5", "256.0.0.1", "01.2.3.4", "1.2.3.-4", "1.2.3.4/8", " 1.2.3.4", "::1", "a.b.c.d", "0x7f.0.0.1", "+1.2.3.4", "1.2.3.00", "１.2.3.4", "::ffff:1.2.3.4"},
	},
	"ipv6": {
		good: []string{"::", "::1", "2001:db8::8a2e:370:7334", "FE80::1", "::ffff:1.2.3.4", "1:2:3:4:5:6:7:8", "2001:DB8:0:0:8:800:200C:417A"},
		bad:  []string{"", "1.2.3.4", "::1%eth0", "1:2:3:4:5:6:7", "1::2::3", "12345::", ":1", "1:", "[::1]", "::g", "::1/64", "1:2:3:4:5:6:7:8:9", "::ffff:1.2.3.256", "::ffff:01.2.3.4", "1:2:3:4:5:6:7::", ":::"},
	},
	"hostname": {
		good: []string{"localhost", "example.com", "a-b.c", "xn--bcher-kva.example", "1.2.3.4", "A", "a.example.com.", "123"},
		bad: []string{"", ".", "-a", "a-", "a..b", "a_b", "ü.de", " a", "a b", "a.-b", ".a", "a..", "example.com/",
			"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.com"},
	},
}
