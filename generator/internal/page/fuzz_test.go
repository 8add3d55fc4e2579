package page

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// FuzzCheck checks that no text makes the check fail, that positions are in the text, and that the
// check finds every host that a naive search of the tree finds.
func FuzzCheck(f *testing.F) {
	for _, text := range []string{
		"", begin, begin + `<svg><title><img src=https://a.example/x>`, "<!doctype html><script>`${`${fetch(`https://a.example/`)}`}`",
		begin + `<img srcset="https://a.example/x 1x,, https://b.example 2x"><style>@import url(https://c.example/x`, begin + `<iframe srcdoc="<img src=https://a.example/>">`,
		begin + `<select><img src="https://a.example/x"></select><table><img src=https://b.example></table><frameset><frame src=https://c.example>`,
		begin + "<script>/[/]\\/fetch(/; '\\u{110000}\\x4", begin + `<base href=https://a.example><a style="background:\`, begin + `<noscript><img src=https://a.example/`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range Check(text, Policy{}) {
			if p.Offset < 0 || p.Offset > len(text) || p.Message == "" || p.Hint == "" {
				t.Errorf("problem %+v of a page of %d bytes", p, len(text))
			}
		}
		if !utf8.ValidString(text) {
			return
		}
		found := hosts(References(text))
		for _, host := range naive(text) {
			if !slices.Contains(found, host) {
				t.Errorf("the check does not find %s, only %q", host, found)
			}
		}
	})
}

func hosts(references []Reference) (all []string) {
	for _, r := range references {
		all = append(all, parse(r.URL).host)
	}
	return all
}

var plain = regexp.MustCompile(`^https://([a-z0-9.-]+)(/|$)`)

// naive returns the hosts of addresses in plain attributes.
func naive(text string) (hosts []string) {
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return nil
	}
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			switch n.Data + " " + a.Key {
			case "img src", "script src", "iframe src", "video src", "source src", "base href", "form action":
				if m := plain.FindStringSubmatch(a.Val); m != nil {
					hosts = append(hosts, m[1])
				}
			}
		}
	}
	return hosts
}

// FuzzHosts puts addresses into a page among noise, and checks that none of them hides.
func FuzzHosts(f *testing.F) {
	snippets := []string{ // in the document, in a style sheet, in a script
		`<img src="https://HOST/a">`, `<link rel=stylesheet href='https://HOST/a'>`, `<p style="background:url(https://HOST/a)">`,
		`<iframe src=https://HOST/a></iframe>`, `<p onclick='fetch("https://HOST/a")'>`,
		`p { background: url("https://HOST/a") }`, `p { background: url(https://HOST/a) }`, `@import 'https://HOST/a';`,
		"fetch('https://HOST/a');", "fetch(`https://HOST/${a}`);", "new WebSocket(\"wss://HOST/a\");", `import("https://HOST/a");`, "let a = `${fetch('https://HOST/a')}`;",
	}
	f.Add([]byte{0, 5, 8, 1, 6, 9, 2, 7, 10, 3, 11, 4, 12}, "a 'b' \"c\" `d` /* <!-- // ${ \\ </p>")
	f.Fuzz(func(t *testing.T, order []byte, noise string) {
		if len(order) > 100 || strings.ContainsAny(noise, "\x00\r") || !utf8.ValidString(noise) {
			return
		}
		quoted, err := json.Marshal(noise) // also a string of scripts, without < and >
		if err != nil {
			t.Fatal(err)
		}
		var body, style, script strings.Builder
		var want []string
		for i, b := range order {
			snippet := int(b) % len(snippets)
			host := fmt.Sprintf("h%d.example", i)
			want = append(want, host)
			text := strings.ReplaceAll(snippets[snippet], "HOST", host)
			switch {
			case snippet < 5:
				fmt.Fprintf(&body, "<p title=%q>%s</p>%s", "a", html.EscapeString(noise), text)
			case snippet < 8:
				fmt.Fprintf(&style, "/* %s */ %s\n", strings.NewReplacer("*/", "", "<", "").Replace(noise), text)
			default:
				fmt.Fprintf(&script, "x = %s; // %s\n%s\n", quoted, strings.NewReplacer("\n", "", "<", "").Replace(noise), text)
			}
		}
		page := begin + body.String() + "<style>" + style.String() + "</style><script>" + script.String() + "</script>"
		found := hosts(References(page))
		for _, host := range want {
			if !slices.Contains(found, host) {
				t.Errorf("the check does not find %s in\n%s", host, page)
			}
		}
	})
}
