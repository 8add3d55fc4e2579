package uripattern_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/uripattern"
)

// TestDeny reads URIs in every way: one matching reading is enough.
func TestDeny(t *testing.T) {
	for _, test := range []struct {
		pattern, uri string
		want         bool
	}{
		{"file:///secret/*", "file:///secret/key", true},
		{"file:///secret/*", "FILE:///SECRET/key", true},
		{"file:///secret/*", "file:////secret//key", true},
		{"file:///secret/*", "file:/secret/key", true},
		{"file:///secret/*", "file://localhost/secret/key", true},
		{"file:///secret/*", "file://host/secret/key", true},
		{"file:///secret/*", "file:///%73ecret/key", true},
		{"file:///secret/*", "file:///%2573ecret/key", true},
		{"file:///secret/*", "file:///secret%5ckey", true},
		{"file:///secret/*", "file:///public/../secret/key", true},
		{"file:///secret/*", "file:///public/..%2Fsecret%2fkey", true},
		{"file:///secret/*", "file:///%" + strings.Repeat("25", 20) + "41", true}, // encoded too often
		{"file:///secret/*", "file:///secrets/key", false},
		{"file:///secret/*", "x://secret/key", false},
		{"file:///secret/*", "file:///public/secret/key", false},
		{"file:///*/keys", "file:///a/b/keys?x", true},
		{"file:///*/keys", "file:///a/b/keys#x", true},
		{"file:///*/keys", "file:///a/b/keyss", false},
		{"https://Example.com/*", "HTTPS://EXAMPLE.COM/a", true},
		{"docs://Vault/*", "docs://vault/a", true},
		{"docs://vault", "docs://vault/", true},
		{"x:stra\u00dfe", "x:stra%C3%9Fe", true},
		{"x:K", "x:\u212a", true}, // the Kelvin sign folds to k
	} {
		if got := uripattern.Deny(test.pattern).Matches(uripattern.Lenient(test.uri)); got != test.want {
			t.Errorf("deny %s: %s: %v", test.pattern, test.uri, got)
		}
	}
	one := uripattern.DenyURI("x://a/b*")
	if one.Matches(uripattern.Lenient("x://a/bc")) || !one.Matches(uripattern.Lenient("X://A/b*")) {
		t.Error("a star of a URI is not itself")
	}
}

// TestAllow reads URIs in every way: each reading must match.
func TestAllow(t *testing.T) {
	for _, test := range []struct {
		patterns, uri string
		want          bool
	}{
		{"file:///public/*", "file:///public/a", true},
		{"file:///public/*", "file:///public/a/b", true},
		{"file:///public/*", "file:///public/%61", true},
		{"file:///public/*", "file:///Public/a", false},
		{"file:///public/*", "file:///public/../secret", false},
		{"file:///public/*", "file:///public/..%2fsecret", false},
		{"file:///public/*", "file:///public/%252e%252e/secret", false},
		{"file:///public/*", "file:///public/..%5csecret", false},
		{"file:///public/*", "file:///%" + strings.Repeat("25", 20) + "41", false},
		{"file:///public/* file:///secret", "file:///public/../secret", true},
		{"x://a/%2e%2e/b", "x://a/%2e%2e/b", true}, // exactly the pattern
		{"file:%25*", "file:%25a", true},
		{"file:%25*", "file:%252F%25", false}, // decoded twice it is file:/%
		{"file:.*?", "file:.%2F..?", false},   // its segment .. goes up to file:/?
		{"x:*", "x:a", true},
		{"x:*", "X", false}, // not a URI
		{"", "x:a", false},
	} {
		var patterns []*uripattern.Pattern
		for text := range strings.FieldsSeq(test.patterns) {
			patterns = append(patterns, uripattern.Allow(text))
		}
		if got := uripattern.Allowed(patterns, uripattern.Strict(test.uri)); got != test.want {
			t.Errorf("allow %s: %s: %v", test.patterns, test.uri, got)
		}
	}
}

// TestDenyTemplate matches the possible expansions of a template's expressions.
func TestDenyTemplate(t *testing.T) {
	for _, test := range []struct {
		template, uri string
		want          bool
	}{
		{"file:///secret/{name}", "file:///secret/key", true},
		{"file:///secret/{name}", "file:///SECRET/a%252Fb/", true},
		{"file:///secret/{name}", "file:///public/..%2Fsecret%2Fkey", true},
		{"file:///secret/{name}", "file:///secret/a/b", false},
		{"file:///secret/{name}", "file:///secrets/a", false},
		{"file:///secret/{name}.pem", "file:///secret//key.PEM", true},
		{"file:///secret/{name}.pem", "file:///secret//key.txt", false},
		{"file:///{tenant}/secret{/path*}", "file:///a//secret/b/c", true},
		{"file:///{tenant}/secret{/path*}", "file:///a/b/secret/c", false},
		{"file:///secret{/kind,name}", "file:///secret//a/b?x", true},
		{"file:///secret{/kind,name}", "file:///secret/a/b/c", false},
		{"file:///secret{?page}", "file:////secret", true},
		{"file:///secret{?page}", "file:///secretary", false},
		{"docs://vault/{id}{;rev}", "docs:///vault/7;rev=2", true},
		{"docs://vault/{id}{.ext}", "docs://VAULT/7.json", true},
		{"docs://vault/{id}{#part}", "docs://vault/%37#a/b", true},
		{"x://{+all}", "x://a/b?c", true},
		{"x://{x*}", "x://a/b", false},
		{"docs://v{#part}", "docs://vx", false},
		{"docs://v{?page}", "docs://vx", false},
		{"docs://v{&page}", "docs://vx", false},
		{"docs://v{&page}", "docs://v&page=1", true},
		{"docs://v{.ext}", "docs://vx", false},
		{"docs://v{;rev}", "docs://vx", false},
		{"docs://v{/path}", "docs://vx", false},
		{"x://{}", "x://", true},
		{"x://{}", "x://a", false},
		{"x://{a}", "x://%" + strings.Repeat("25", 20) + "41", true},
	} {
		if got := uripattern.DenyTemplate(test.template).Matches(uripattern.Lenient(test.uri)); got != test.want {
			t.Errorf("deny %s: %s: %v", test.template, test.uri, got)
		}
	}
}

func TestMatchesTemplate(t *testing.T) {
	for _, test := range []struct {
		pattern, template string
		want              bool
	}{
		{"x://*", "x://{a}/b", true}, {"x://*/b", "x://{a}/b", true}, {"x://a*", "x://{a}/b", false},
		{"x://{a}/b", "x://{a}/b", true}, {"X://*/B", "x://{a}/b", true}, {"file:///s/*", "file:////s/{n}", true},
	} {
		p := uripattern.Deny(test.pattern)
		if got := p.MatchesTemplate(test.template); got != test.want || p.Text() != test.pattern {
			t.Errorf("%s, %s: %v", test.pattern, test.template, got)
		}
	}
}

func TestMayMatchPrefix(t *testing.T) {
	for _, test := range []struct {
		pattern, prefix string
		want            bool
	}{
		{"x://a/*", "x://", true}, {"x://a/*", "x://a/b/", true}, {"x://a/*", "x://b", false}, {"X://a/*", "x://a", true}, {"x://%61/*", "x://a/", true},
	} {
		if got := uripattern.Allow(test.pattern).MayMatchPrefix(test.prefix); got != test.want {
			t.Errorf("%s, %s: %v", test.pattern, test.prefix, got)
		}
	}
}

func TestHasDotSegments(t *testing.T) {
	for text, want := range map[string]bool{
		"x://a/../b": true, "x://a/./b": true, "x:..": true, `x:a\..\b`: true, "x:%2e%2E/a": true, "x:%252e": true,
		"x://a..b/.c/d.": false, "x:...": false, "x:*": false,
	} {
		if got := uripattern.HasDotSegments(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// FuzzReadings compares URIs with themselves as patterns.
func FuzzReadings(f *testing.F) {
	for _, uri := range []string{"file:///a/../b", "x://%2e%2e/%5c", "x:", "", "%", "file://LOCALHOST/A?b#c", "x:\x00*"} {
		f.Add(uri)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		strict, lenient := uripattern.Strict(uri), uripattern.Lenient(uri)
		if (strict == nil) != (lenient == nil) {
			t.Fatalf("%q: readings %v and %v", uri, strict, lenient)
		}
		if !uripattern.DenyURI(uri).Matches(lenient) {
			t.Fatalf("%q does not match itself", uri)
		}
		if strict != nil && !strings.ContainsAny(uri, "*") && !uripattern.Allowed([]*uripattern.Pattern{uripattern.Allow(uri)}, strict) {
			t.Fatalf("%q is not allowed by itself", uri)
		}
	})
}
