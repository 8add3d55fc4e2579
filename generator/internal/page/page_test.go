package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
)

// problems writes the problems of a page, one a line: line, message and hint.
func problems(text string, policy Policy) string {
	var b strings.Builder
	for _, p := range Check(text, policy) {
		fmt.Fprintf(&b, "%d: %s | %s\n", 1+strings.Count(text[:p.Offset], "\n"), p.Message, p.Hint)
	}
	return b.String()
}

const begin = "<!doctype html>\n<title>a</title>\n"

func TestForm(t *testing.T) {
	spec.Holds(t, "S380")
	for name, test := range map[string]struct{ text, want string }{
		"whole":             {begin + `<p>a<ul><li>b<li>c</ul><table><tr><td>d</table><br><img alt="">`, ""},
		"byte order mark":   {"\ufeff" + begin, ""},
		"comment in front":  {"<!-- a -->\n" + begin, ""},
		"svg":               {begin + `<svg><title>a</title><path d="M0 0"/><style/></svg><math><mi>x</mi></math>`, ""},
		"html inside svg":   {begin + `<svg><foreignObject><div>a</div></foreignObject></svg>`, ""},
		"raw text":          {begin + `<script>if (1 < 2 && "</div>") {}</script><style>p > a {}</style>`, ""},
		"empty":             {" \n", "1: the page is empty | write a document that begins with <!doctype html>\n"},
		"not utf-8":         {begin + "\xff", "3: the page is not UTF-8 | save the file as UTF-8\n"},
		"nul":               {begin + "\x00", "3: the page contains a NUL character | delete it\n"},
		"no doctype":        {"<p>a", "1: the page has no doctype, so browsers show it in quirks mode | begin the page with <!doctype html>\n"},
		"text":              {"hello", "1: the page has no doctype, so browsers show it in quirks mode | begin the page with <!doctype html>\n"},
		"doctype of svg":    {"<!doctype svg><svg></svg>", "1: the doctype is not the one of HTML | write <!doctype html>\n"},
		"doctype alone":     {"<!doctype html>\n", "1: the page has no content | write the elements that a host is to show\n"},
		"open element":      {begin + "<div>\n<span></span>", "3: <div> has no end | write </div>\n"},
		"open script":       {begin + "<script>let a", "3: <script> has no end | write </script>\n"},
		"open comment":      {begin + "<p>a\n<!-- b <p>", "4: the comment has no end | end it with -->\n"},
		"open tag":          {begin + "<p>a\n<p class", "4: the last tag has no end | write the > that ends it\n"},
		"end without begin": {begin + "<p>a\n</div>", "4: </div> ends no element | delete it, or write the start tag\n"},
		"crossed":           {begin + "<b><i>a</b></i>", "3: </b> ends an element around <i>, which has no end | end <i> first\n3: </i> ends no element | delete it, or write the start tag\n"},
		"closes itself":     {begin + "<div/>a", "3: <div/> does not end the element: only SVG and MathML have elements that end so | write <div></div>\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := problems(test.text, Policy{}); got != test.want {
				t.Errorf("got\n%swant\n%s", got, test.want)
			}
		})
	}
}

// TestReferences has an address in every place where browsers fetch one.
func TestReferences(t *testing.T) {
	const o = "https://o.example"
	for text, want := range map[string]string{
		`<script src="` + o + `/a.js"></script>`:                                  "load",
		`<link rel=stylesheet href=` + o + `/a.css>`:                              "load",
		`<link rel="alternate stylesheet" href=` + o + `/a.css>`:                  "load",
		`<link rel=icon href=` + o + `/a.png>`:                                    "load",
		`<link rel=canonical href=` + o + `/>`:                                    "",
		`<a href="` + o + `/a">a</a>`:                                             "",
		`<img src="` + o + `/a.png">`:                                             "load",
		`<img srcset="data:image/png;base64,aa 1x, ` + o + `/b.png 2x">`:          "load",
		`<picture><source srcset="` + o + `/a.png,"></picture>`:                   "load",
		`<video src="` + o + `/a"></video>`:                                       "load",
		`<video poster="` + o + `/a"></video>`:                                    "load",
		`<audio src="` + o + `/a"></audio>`:                                       "load",
		`<input type=image src="` + o + `/a">`:                                    "load",
		`<body background="` + o + `/a">`:                                         "load",
		`<svg><image href="` + o + `/a"/></svg>`:                                  "load",
		`<svg><use xlink:href="` + o + `/a#b"/></svg>`:                            "load",
		`<svg><rect fill="url(` + o + `/a)"/></svg>`:                              "load",
		`<svg><title><img src="` + o + `/a"></title></svg>`:                       "load",
		`<template><img src="` + o + `/a"></template>`:                            "load",
		`<iframe src="` + o + `/a"></iframe>`:                                     "frames",
		`<iframe srcdoc="<!doctype html><img src=` + o + `/a>"></iframe>`:         "load",
		`<meta http-equiv=refresh content="0; url=` + o + `/a">`:                  "frames",
		`<form action="` + o + `/a"></form>`:                                      "connect",
		`<button formaction="` + o + `/a">a</button>`:                             "connect",
		`<base href="` + o + `/a/">`:                                              "base",
		`<p style="background: url('` + o + `/a')">`:                              "load",
		`<style>@import "` + o + `/a.css";</style>`:                               "load",
		`<style>@import url(` + o + `/a.css) screen;</style>`:                     "load",
		`<style>p { background: u\72l( ` + o + `/a ) }</style>`:                   "load",
		`<style>p { background: image-set("` + o + `/a" 1x) }</style>`:            "load",
		`<style>/* url(` + o + `/a) */ p { content: "` + o + `" }</style>`:        "",
		`<script>fetch("` + o + `/a")</script>`:                                   "connect",
		`<script>window.fetch('` + o + `/a')</script>`:                            "connect",
		"<script>fetch(`" + o + "/a/${fetch(`https://p.example/`)}`)</script>":    "connect connect",
		`<script>fetch("` + o + `/" + id)</script>`:                               "connect",
		`<script>fetch("https://o" + id)</script>`:                                "",
		`<script>fetch(url)</script>`:                                             "",
		`<script>new WebSocket("wss://o.example")</script>`:                       "connect",
		`<script>new EventSource("` + o + `/a")</script>`:                         "connect",
		`<script>navigator.sendBeacon("` + o + `/a", data)</script>`:              "connect",
		`<script>x.open("GET", "` + o + `/a")</script>`:                           "connect",
		`<script type=module>import a from "` + o + `/a.js"</script>`:             "load",
		`<script type=module>import "` + o + `/a.js"</script>`:                    "load",
		`<script type=module>export * from '` + o + `/a.js'</script>`:             "load",
		`<script>import("` + o + `/a.js")</script>`:                               "load",
		`<script type=importmap>{"imports":{"a":"` + o + `/a.js"}}</script>`:      "load",
		`<script>new Worker("` + o + `/a.js")</script>`:                           "load",
		`<script>new Image().src = "` + o + `/a"</script>`:                        "load",
		`<script>i.setAttribute("src", "` + o + `/a")</script>`:                   "load",
		`<script>p.style.background = "url(` + o + `/a)"</script>`:                "load",
		`<script>// fetch("` + o + `/a")` + "\n/* fetch('" + o + "') */</script>": "",
		`<script>a = /fetch("/; b = 4 / 2; fetch("` + o + `/a")</script>`:         "connect",
		`<script>"it's"; fetch("` + o + `/a")</script>`:                           "connect",
		`<script>f\u0065tch("\x68ttps://o.example/")</script>`:                    "connect",
		`<script type=application/json>{"a":"fetch('` + o + `')"}</script>`:       "",
		`<p onclick="fetch('` + o + `/a')">`:                                      "connect",
		`<a href="javascript:fetch('` + o + `/a')">a</a>`:                         "connect",
		`<iframe src="javascript:fetch('` + o + `/a')"></iframe>`:                 "connect",
		`<img src="//o.example/a">`:                                               "load",
		`<img src=" HTTPS:\\O.example/a">`:                                        "load",
		`<img src="data:image/png;base64,aGk=">`:                                  "",
		`<style>@font-face { src: url(data:font/woff2;base64,aa) }</style>`:       "",
		`<object data="a"></object>`:                                              "hosts block the element object",
		`<script src="data:text/javascript,1"></script>`:                          "hosts block the data: URL here",
		`<img src="a.png">`:                                                       "no host finds a.png: a page is one file and has no address of its own",
		`<script>fetch("/api")</script>`:                                          "no host finds /api: a page is one file and has no address of its own",
		`<script>cache.fetch("/api")</script>`:                                    "",
		`<script type=module>import "vue"</script>`:                               "no browser finds the module vue",
		`<script type=importmap>{}</script><script>import("vue")</script>`:        "",
		`<a href="#a">a</a><img src=""><svg><use href="#a"/></svg>`:               "",
		`<base href="` + o + `/"><img src="a.png"><script>fetch("b")</script>`:    "base load connect",
		`<img src="` + o + `/a"><img src="` + o + `/b"><img src="` + o + `:8/b">`: "load load",
	} {
		t.Run(text, func(t *testing.T) {
			var got []string
			for _, p := range Check(begin+text, Policy{}) {
				if strings.HasPrefix(p.Message, "hosts block ") && strings.Contains(p.Message, "= does not have the origin") {
					_, key, _ := strings.Cut(p.Message, ": ")
					for strings.Contains(key, ": ") {
						_, key, _ = strings.Cut(key, ": ")
					}
					key, _, _ = strings.Cut(key, "=")
					got = append(got, key)
				} else if !strings.Contains(p.Message, "has no end") {
					got = append(got, p.Message)
				}
			}
			wanted := strings.Fields(want)
			if strings.Contains(want, "host") || strings.Contains(want, "browser") {
				wanted = []string{want}
			}
			slices.Sort(got)
			slices.Sort(wanted)
			if !slices.Equal(got, wanted) {
				t.Errorf("got %q, want %q", got, wanted)
			}
			everything := Policy{}
			for _, list := range []*[]string{&everything.Connect, &everything.Load, &everything.Frames, &everything.Base} {
				*list = []string{o, o + ":8", "wss://*.example", "https://*.example"}
			}
			for _, p := range Check(begin+text, everything) {
				if strings.Contains(p.Message, "does not have the origin") {
					t.Errorf("blocked although the policy has it: %s", p.Message)
				}
			}
		})
	}
}

func TestPolicy(t *testing.T) {
	for _, test := range []struct {
		origin, url string
		want        bool
	}{
		{"https://a.example", "https://a.example/b", true},
		{"https://a.example", "https://A.example:443/b", true},
		{"https://a.example", "https://b.example/", false},
		{"https://a.example", "http://a.example/", false},
		{"http://a.example", "https://a.example/", true},
		{"https://a.example", "wss://a.example/", false},
		{"wss://a.example", "https://a.example/", true},
		{"https://a.example", "https://a.example:8443/", false},
		{"https://a.example:8443", "https://a.example:8443/", true},
		{"https://*.example.com", "https://a.b.example.com/", true},
		{"https://*.example.com", "https://example.com/", false},
		{"https://*.example.com", "https://badexample.com/", false},
		{"https://a.example", "https://x@b.example/", false},
		{"https://[::1]:8", "https://[::1]:8/", true},
	} {
		if got := allows(test.origin, parse(test.url)); got != test.want {
			t.Errorf("%s allows %s: %v, want %v", test.origin, test.url, got, test.want)
		}
	}
}

// TestPositions finds each address where it is, also one that occurs twice or has escapes.
func TestPositions(t *testing.T) {
	text := begin + `<p>https://a.example/x
<img src="https://a.example/?a&amp;b">
<img src="https://b.example/x">
<script>
  fetch("https:\/\/c.example/x")
</script>`
	want := "4: hosts block https://a.example/?a&b: load= does not have the origin https://a.example | write load=https://a.example at //mcp:resource, if the page is to have it\n" +
		"5: hosts block https://b.example/x: load= does not have the origin https://b.example | write load=https://b.example at //mcp:resource, if the page is to have it\n" +
		"7: hosts block https://c.example/x: connect= does not have the origin https://c.example | add https://c.example to connect= of //mcp:resource, if the page is to have it\n"
	if got := problems(text, Policy{Connect: []string{"https://z.example"}}); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
