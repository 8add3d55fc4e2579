package keyword

import (
	"strings"
	"testing"
)

func TestPattern(t *testing.T) {
	for _, good := range []string{
		``, `^[a-z]+$`, `a|b`, `(?:ab)*`, `(?<year>[0-9]{4})`, `\d{2,}\D\w\W\s\S`, `\bword\B`, `\^\$\\\.\*\+\?\(\)\[\]\{\}\|\/`,
		`[\w-]`, `[a\-z]`, `[^\]]`, `[^a]`, `[a-z-]`, `\x41\n\r\t\f\v`, `\p{L}\P{Lu}[\p{N}]`, `é+`, `a{3}b{2,4}?`, `(|a)`, `[$^.*+?(){}|]`, `^(a$)+`,
		`^(0|-?[1-9][0-9]*)$`, `^"([^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"$`,
	} {
		if err := CheckPattern(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for bad, hint := range map[string]string{
		`(`:                 "see",
		`a(?!b)`:            "lookaround",
		`(a)\1`:             "see",
		`\Aa`:               "write ^",
		`a\z`:               "write $",
		`(?i)a`:             "spell it out",
		`(?s:a)`:            "spell it out",
		`(?P<n>a)`:          "(?<name>",
		`[[:alpha:]]`:       "range",
		`\pL`:               `\p{L}`,
		`\p{Greek}`:         "categories",
		`\p{^L}`:            "categories",
		`\x{41}`:            `\xHH`,
		`\Qa.b\E`:           "one by one",
		`\07`:               `\xHH`,
		`\a`:                `\xHH`,
		`a\@b`:              "without the backslash",
		`a\-b`:              "without the backslash",
		`{a`:                `\{`,
		`a}`:                `\}`,
		`a]`:                `\]`,
		`x{,5}`:             `\{`,
		`[]a]`:              `\]`,
		`[^]a]`:             `\]`,
		`^*a`:               "group",
		`\b+`:               "group",
		`[\d-x]`:            `\-`,
		`a{1001}`:           "see",
		`[\@]`:              "without the backslash",
		`\p{C}`:             "categories",
		`[\P{C}]`:           "categories",
		`a.{20}b`:           "smaller counts",
		`^(a|.{2})*x.{15}$`: "smaller counts",
		"a\\\U0001F600":     "see",
	} {
		err := CheckPattern(bad)
		if err == nil || !strings.Contains(PatternHint(err), hint) {
			t.Errorf("%s: %v, hint %q", bad, err, PatternHint(err))
		}
	}
}

func FuzzPattern(f *testing.F) {
	for _, seed := range []string{`^[a-z]+$`, `(?<n>a)`, `[\d-]`, `\p{L}`, `a{2}`, `[^]`, `\`, `[`, `[\`, `(?<`, `[[:`} {
		f.Add(seed)
	}
	f.Fuzz(func(_ *testing.T, expr string) { _ = CheckPattern(expr) })
}

func TestFormats(t *testing.T) {
	for name, values := range map[string]struct{ good, bad []string }{
		"date-time": {[]string{"2024-02-29T00:00:00Z", "2024-01-01T10:00:00.5+01:00"}, []string{"2023-02-29T00:00:00Z", "2024-01-01", "2024-01-01t00:00:00z"}},
		"date":      {[]string{"2024-02-29"}, []string{"2023-02-29", "24-1-1"}},
		"time":      {[]string{"10:00:00Z", "10:00:00.25-03:00"}, []string{"10:00", "25:00:00Z"}},
		"uuid":      {[]string{"f81d4fae-7dec-11d0-a765-00a0c91e6bf6"}, []string{"f81d4fae7dec11d0a76500a0c91e6bf6", ""}},
		"email":     {[]string{"ada@example.com"}, []string{"ada", "Ada <ada@example.com>"}},
		"uri":       {[]string{"https://example.com/a?b", "urn:x:y"}, []string{"example.com", "/a"}},
		"ipv4":      {[]string{"192.0.2.1"}, []string{"::1", "1.2.3"}},
		"ipv6":      {[]string{"2001:db8::1"}, []string{"1.2.3.4", "fe80::1%eth0"}},
		"hostname":  {[]string{"www.example.com", "a", "example.com."}, []string{"-a", "a_b", "", strings.Repeat("a", 64)}},
	} {
		for _, v := range values.good {
			if !IsFormat(name, v) {
				t.Errorf("%s: %q refused", name, v)
			}
		}
		for _, v := range values.bad {
			if IsFormat(name, v) {
				t.Errorf("%s: %q accepted", name, v)
			}
		}
	}
}
