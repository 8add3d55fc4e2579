package uritemplate

import (
	"strings"
	"testing"
)

// TestLiterals: a literal outside of ASCII matches as written, and percent-encoded with digits of
// either case, as clients expand it; nothing else matches. The template is published in one form.
func TestLiterals(t *testing.T) {
	for _, test := range []struct {
		template, published, encoded string // encoded is the URI with x as the value, in capitals
		raw                          string // as expanded by clients that leave literals unchanged
		not                          string
	}{
		{"menu:///café/{name}", "menu:///caf%C3%A9/{name}", "menu:///caf%C3%A9/x", "menu:///café/x", "menu:///cafe/x"},
		{"menu:///cafe\u0301/{name}", "menu:///cafe%CC%81/{name}", "menu:///cafe%CC%81/x", "menu:///cafe\u0301/x", "menu:///café/x"},
		{"doc:///日本/{name}", "doc:///%E6%97%A5%E6%9C%AC/{name}", "doc:///%E6%97%A5%E6%9C%AC/x", "doc:///日本/x", "doc:///日/x"},
		{"doc:///مرحبا/{name}", "doc:///%D9%85%D8%B1%D8%AD%D8%A8%D8%A7/{name}", "doc:///%D9%85%D8%B1%D8%AD%D8%A8%D8%A7/x", "doc:///مرحبا/x", "doc:///x"},
		{"doc:///नमस्ते-{name}.😀", "doc:///%E0%A4%A8%E0%A4%AE%E0%A4%B8%E0%A5%8D%E0%A4%A4%E0%A5%87-{name}.%F0%9F%98%80",
			"doc:///%E0%A4%A8%E0%A4%AE%E0%A4%B8%E0%A5%8D%E0%A4%A4%E0%A5%87-x.%F0%9F%98%80", "doc:///नमस्ते-x.😀", "doc:///नमस्ते-x.😁"},
		{"doc://größe{name}ß", "doc://gr%C3%B6%C3%9Fe{name}%C3%9F", "doc://gr%C3%B6%C3%9Fex%C3%9F", "doc://größexß", "doc://größex"},
		{"doc:///{name}é{+name}", "doc:///{name}%C3%A9{+name}", "doc:///x%C3%A9x", "doc:///xéx", "doc:///xéy"},
		{"doc:///é{?name}", "doc:///%C3%A9{?name}", "doc:///%C3%A9?name=x", "doc:///é?name=x", "doc:///%C3%A9%3Fname=x"},
		{"doc:///(a)!$&'*+,;=:@[b]/é/{name}", "doc:///(a)!$&'*+,;=:@[b]/%C3%A9/{name}", "doc:///(a)!$&'*+,;=:@[b]/%C3%A9/x", "doc:///(a)!$&'*+,;=:@[b]/é/x", "doc:///%28a)!$&'*+,;=:@[b]/é/x"},
		{"doc:///a%2fb%C3%a9/{name}", "doc:///a%2fb%C3%a9/{name}", "doc:///a%2Fb%C3%A9/x", "doc:///a%2fbé/x", "doc:///a/bé/x"},
	} {
		tmpl, err := Parse(test.template)
		if err != nil {
			t.Fatal(err)
		}
		if got := tmpl.Encoded(); got != test.published {
			t.Errorf("%s is published as %s, want %s", test.template, got, test.published)
		}
		again, err := Parse(tmpl.Encoded())
		if err != nil || again.Encoded() != test.published {
			t.Errorf("%s: %v, %v", test.published, again, err)
		}
		for _, m := range []*Template{tmpl, again} {
			for _, uri := range []string{test.encoded, test.raw, lowerTriplets(test.encoded)} {
				if got := show(m, uri, false); got != "name=x" {
					t.Errorf("%s of %s: %s", m, uri, got)
				}
				if got, want := Normal(uri), test.encoded; got != want {
					t.Errorf("%s has the normal form %s, want %s", uri, got, want)
				}
			}
			if got := show(m, test.not, false); got != "no" {
				t.Errorf("%s of %s: %s", m, test.not, got)
			}
		}
	}
}

// lowerTriplets writes the digits of percent-encoding in lower case.
func lowerTriplets(uri string) string {
	parts := strings.Split(uri, "%")
	for i := range parts[1:] {
		parts[i+1] = strings.ToLower(parts[i+1][:2]) + parts[i+1][2:]
	}
	return strings.Join(parts, "%")
}

// TestNormalAllocations: normalizing typical URIs of clients allocates nothing.
func TestNormalAllocations(t *testing.T) {
	for _, uri := range []string{"book://978-3", "doc:///a%20b%C3%A9", "x:%", "x:%2"} {
		if n := testing.AllocsPerRun(10, func() { _ = Normal(uri); _ = Encode(uri) }); n != 0 {
			t.Errorf("%s: %v allocations", uri, n)
		}
	}
}
