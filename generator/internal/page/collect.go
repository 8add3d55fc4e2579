package page

import (
	"encoding/json"
	"strings"

	"golang.org/x/net/html"
)

// This file collects the addresses in a document. The tree is the tree that a browser builds, so
// that no address hides from the check; trees have no positions, so each address is looked up in
// the text.

// attributes are the attributes with an address, by element and attribute.
var attributes = map[string]Use{
	"script src": Load, "img src": Load, "source src": Load, "video src": Load, "video poster": Load, "audio src": Load,
	"track src": Load, "input src": Load, "body background": Load, "table background": Load, "td background": Load, "th background": Load,
	"iframe src": Frames, "frame src": Frames, "base href": Base,
	"form action": Connect, "input formaction": Connect, "button formaction": Connect,
}

// inlineAllowed are the elements that may have a data: URL: images and media.
var inlineAllowed = set("img source video audio track input body table td th image feimage use")

// notFetched are the relations of links whose address browsers do not fetch.
var notFetched = set("alternate author bookmark canonical dns-prefetch external help license me next nofollow noopener noreferrer " +
	"opener pingback preconnect prev privacy-policy search tag terms-of-service")

// collector walks a document.
type collector struct {
	text       string
	next       map[string]int // where to look for the next occurrence of a text
	references []Reference
	forbidden  []Problem
	importMap  bool
	depth      int
}

// maxDepth limits documents inside of documents (srcdoc).
const maxDepth = 5

func collect(text string) ([]Reference, []Problem) {
	c := &collector{text: text, next: map[string]int{}}
	c.document(text)
	if c.importMap {
		kept := c.references[:0]
		for _, r := range c.references {
			if !r.Module || parse(r.URL).kind != relative || !isBare(r.URL) {
				kept = append(kept, r)
			}
		}
		c.references = kept
	}
	return c.references, c.forbidden
}

func (c *collector) document(text string) {
	root, err := html.Parse(strings.NewReader(text))
	if err != nil { // the nesting is too deep
		c.forbidden = append(c.forbidden, Problem{Message: "the page cannot be read: " + err.Error(), Hint: "nest fewer elements"})
		return
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			c.element(n)
		}
	}
}

// place returns the offset of a text: of its first occurrence that has not been taken.
func (c *collector) place(texts ...string) int {
	for _, text := range texts {
		if text == "" {
			continue
		}
		from := c.next[text]
		if i := strings.Index(c.text[from:], text); i >= 0 {
			c.next[text] = from + i + len(text)
			return from + i
		}
		if i := strings.Index(c.text, text); i >= 0 {
			return i
		}
	}
	return 0
}

func (c *collector) add(r Reference) {
	a := parse(r.URL)
	if a.kind == nothing {
		return
	}
	r.Offset = c.place(r.URL, html.EscapeString(r.URL), a.host)
	c.references = append(c.references, r)
}

func (c *collector) element(n *html.Node) {
	foreign := n.Namespace != ""
	name := strings.ToLower(n.Data)
	for _, a := range n.Attr {
		key := strings.ToLower(a.Key)
		switch use, has := attributes[name+" "+key]; {
		case has:
			c.attribute(name, a.Val, use)
		case key == "srcset", key == "imagesrcset":
			for _, url := range candidates(a.Val) {
				c.add(Reference{URL: url, Use: Load, Data: true})
			}
		case key == "style", foreign && strings.Contains(strings.ToLower(a.Val), "url("):
			c.css(a.Val)
		case foreign && name != "a" && key == "href":
			c.add(Reference{URL: a.Val, Use: Load, Data: inlineAllowed[name]})
		case name == "link" && key == "href":
			if fetched(n) {
				c.add(Reference{URL: a.Val, Use: Load})
			}
		case strings.HasPrefix(key, "on"):
			c.script(a.Val)
		case strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "javascript:"):
			c.script(a.Val)
		case name == "iframe" && key == "srcdoc" && c.depth < maxDepth:
			c.depth++
			c.document(a.Val)
			c.depth--
		case name == "meta" && key == "content" && strings.EqualFold(attribute(n, "http-equiv"), "refresh"):
			if _, url, ok := strings.Cut(a.Val, "="); ok {
				c.add(Reference{URL: strings.Trim(strings.TrimSpace(url), `"'`), Use: Frames})
			}
		}
	}
	switch name {
	case "object", "embed", "applet":
		c.forbidden = append(c.forbidden, Problem{
			Offset: c.place("<" + n.Data), Message: "hosts block the element " + name, Hint: "use img, video or iframe",
		})
	case "style":
		c.css(content(n))
	case "script":
		c.scriptElement(n)
	}
}

func (c *collector) attribute(name, value string, use Use) {
	if parse(value).scheme == "javascript" {
		c.script(value)
		return
	}
	c.add(Reference{URL: value, Use: use, Data: inlineAllowed[name]})
}

func (c *collector) scriptElement(n *html.Node) {
	kind := strings.ToLower(strings.TrimSpace(attribute(n, "type")))
	if kind == "importmap" {
		c.importMap = true
		var m any
		if json.Unmarshal([]byte(content(n)), &m) == nil {
			c.mapped(m)
		}
		return
	}
	if kind, _, _ = strings.Cut(kind, ";"); kind == "" || kind == "module" || strings.HasSuffix(kind, "javascript") || strings.HasSuffix(kind, "ecmascript") {
		c.script(content(n))
	}
}

// mapped adds the addresses of an import map.
func (c *collector) mapped(value any) {
	switch value := value.(type) {
	case map[string]any:
		for _, v := range value {
			c.mapped(v)
		}
	case string:
		if a := parse(value); a.kind == absolute || a.kind == relative && !isBare(value) {
			c.add(Reference{URL: value, Use: Load})
		}
	}
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if strings.EqualFold(a.Key, key) {
			return a.Val
		}
	}
	return ""
}

// content returns the text inside of an element.
func content(n *html.Node) string {
	var b strings.Builder
	for child := range n.ChildNodes() {
		if child.Type == html.TextNode {
			b.WriteString(child.Data)
		}
	}
	return b.String()
}

// fetched reports whether browsers fetch the address of a link.
func fetched(n *html.Node) bool {
	for rel := range strings.FieldsSeq(strings.ToLower(attribute(n, "rel"))) {
		if !notFetched[rel] {
			return true
		}
	}
	return false
}

// candidates returns the addresses of a srcset.
func candidates(srcset string) (urls []string) {
	for {
		srcset = strings.TrimLeft(srcset, " \t\n\f\r,")
		if srcset == "" {
			return urls
		}
		end := strings.IndexAny(srcset, " \t\n\f\r")
		if end < 0 {
			end = len(srcset)
		}
		url := srcset[:end]
		srcset = srcset[end:]
		if trimmed := strings.TrimRight(url, ","); trimmed != url {
			urls = append(urls, trimmed)
			continue
		}
		urls = append(urls, url)
		depth := 0
		i := 0
		for ; i < len(srcset) && (srcset[i] != ',' || depth > 0); i++ {
			switch srcset[i] {
			case '(':
				depth++
			case ')':
				depth--
			}
		}
		srcset = srcset[i:]
	}
}
