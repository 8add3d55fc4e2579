package reference

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// named returns a server with tools of some names, each with its own error.
func named(t *testing.T, names ...string) *Server {
	t.Helper()
	s := &Server{Identity: json.RawMessage(`{"name":"many"}`)}
	for i, name := range names {
		listing, err := json.Marshal(map[string]any{"name": name, "inputSchema": map[string]any{"type": "object"}})
		if err != nil {
			t.Fatal(err)
		}
		s.Tools = append(s.Tools, &Feature{Listing: listing, Groups: []string{fmt.Sprint("group ", i/10)}, Errors: []string{"Err" + name}})
		s.Errors = append(s.Errors, &Error{Name: "Err" + name})
	}
	return s
}

var (
	ids   = regexp.MustCompile(` id="([^"]*)"`)
	hrefs = regexp.MustCompile(`href="#([^"]*)"`)
)

// Each link leads to one place, each feature is in the list and in a section, and sections are
// closed: for names of many kinds, for many tools, and for a server without features.
func TestPageStructure(t *testing.T) {
	many := make([]string, 300)
	for i := range many {
		many[i] = fmt.Sprintf("tool_%03d", i)
	}
	for what, names := range map[string][]string{
		"none": nil, "one": {"add"}, "many": many, "unicode": {"größe", "名前", "a\u0301", "\u00e1"},
		"hostile": {"<script>alert(1)</script>", `"><b>`, `' onclick='x`, "search", "main", "found", "</section></nav>"},
	} {
		text, err := named(t, names...).HTML()
		if err != nil {
			t.Fatal(err)
		}
		page := string(text)
		places := map[string]int{}
		for _, m := range ids.FindAllStringSubmatch(page, -1) {
			if places[m[1]]++; places[m[1]] > 1 {
				t.Errorf("%s: the id %q is there twice", what, m[1])
			}
		}
		for _, m := range hrefs.FindAllStringSubmatch(page, -1) {
			if places[m[1]] != 1 {
				t.Errorf("%s: a link to %q, which is not there", what, m[1])
			}
		}
		features := 2 * len(names) // with the errors
		if got := strings.Count(page, `<section class="feature">`); got != features {
			t.Errorf("%s: %d sections, want %d", what, got, features)
		}
		if got := strings.Count(page, `<li><a href="#`); got != features {
			t.Errorf("%s: %d links in the list, want %d", what, got, features)
		}
		for _, element := range []string{"section", "div", "nav", "ul", "main", "script", "details"} {
			if open, closed := len(regexp.MustCompile("<"+element+"[ >]").FindAllString(page, -1)), strings.Count(page, "</"+element+">"); open != closed {
				t.Errorf("%s: %d <%s>, %d closed", what, open, element, closed)
			}
		}
		for _, outside := range []string{" src=", "url(", "@import", "<link", "http:", "https:"} {
			if strings.Contains(page, outside) {
				t.Errorf("%s: the page has %q", what, outside)
			}
		}
	}
}

// The policy allows exactly the page's style and script.
func TestPagePolicy(t *testing.T) {
	text, err := named(t, "add").HTML()
	if err != nil {
		t.Fatal(err)
	}
	for _, element := range []string{"style", "script"} {
		_, rest, _ := strings.Cut(string(text), "<"+element+">")
		content, _, _ := strings.Cut(rest, "</"+element+">")
		if content == "" || !strings.Contains(string(text), element+"-src '"+hashOf(content)+"'") {
			t.Errorf("the policy does not allow the %s:\n%.600s", element, text)
		}
	}
}

// The website is a link if it is the URL of a page, and text otherwise.
func TestWebsite(t *testing.T) {
	for website, want := range map[string][2]string{
		"https://example.com/a?b=1&c":  {`<a href="https://example.com/a?b=1&amp;c" rel="noopener noreferrer">`, "<https://example.com/a?b=1&c>"},
		"javascript:alert(1)":          {"<code>javascript:alert(1)</code>", "`javascript:alert(1)`"},
		"https://example.com/\"><b>":   {"<code>https://example.com/&#34;&gt;&lt;b&gt;</code>", "`https://example.com/\"><b>`"},
		"data:text/html,<b>":           {"<code>data:text/html,&lt;b&gt;</code>", "`data:text/html,<b>`"},
		"https://example.com/a> <b":    {"<code>https://example.com/a&gt; &lt;b</code>", "`https://example.com/a> <b`"},
		"http://[::1]:8080/x":          {`<a href="http://[::1]:8080/x" rel="noopener noreferrer">`, "<http://[::1]:8080/x>"},
		"file:///etc/passwd":           {"<code>file:///etc/passwd</code>", "`file:///etc/passwd`"},
		"https://user@example.com/%zz": {"<code>https://user@example.com/%zz</code>", "`https://user@example.com/%zz`"},
	} {
		identity, err := json.Marshal(map[string]string{"name": "a", "websiteUrl": website})
		if err != nil {
			t.Fatal(err)
		}
		s := &Server{Identity: identity}
		page, err := s.HTML()
		if err != nil {
			t.Fatal(err)
		}
		text, err := s.Markdown()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), want[0]) || !strings.Contains(string(text), want[1]) {
			t.Errorf("%s: want %q in\n%s\n%s", website, want, page[strings.Index(string(page), "<main"):], text)
		}
	}
}
