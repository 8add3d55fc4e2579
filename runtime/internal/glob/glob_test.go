package glob_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/glob"
)

func TestMatch(t *testing.T) {
	for _, test := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true},
		{"", "a", false},
		{"a", "a", true},
		{"a", "ab", false},
		{"*", "", true},
		{"*", "a/b\nc", true},
		{"a*", "a", true},
		{"a*", "ba", false},
		{"*a", "ba", true},
		{"*a", "ab", false},
		{"ab*ba", "aba", false},
		{"ab*ba", "abba", true},
		{"a*b*c", "a-b-b-c", true},
		{"a*b*c", "a-c", false},
		{"**a**", "a", true},
		{"*aa*aa*", "aaa", false},
	} {
		if got := glob.New(test.pattern).Match(test.text); got != test.want {
			t.Errorf("%q %q: %v", test.pattern, test.text, got)
		}
	}
	if (glob.Pattern{}).Match("") {
		t.Error("no pattern fits")
	}
}

// FuzzMatch compares Match with regular expressions.
func FuzzMatch(f *testing.F) {
	for _, seed := range [][2]string{{"a*b*", "axxb"}, {"*a*a", "aa"}, {"**", "x"}, {"a.b*", "a.b\n"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		parts := strings.Split(pattern, "*")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		want, err := regexp.Compile(`(?s)\A` + strings.Join(parts, ".*") + `\z`)
		if err != nil {
			t.Skip() // not UTF-8
		}
		if got := glob.New(pattern).Match(text); got != want.MatchString(text) {
			t.Errorf("%q %q: %v", pattern, text, got)
		}
	})
}
