// Package page checks the HTML of pages that hosts show (MCP Apps): whether it is a document that
// browsers read as it is written, and whether the page's policy has the origins that the document
// refers to. Hosts block every other origin, without a message in the page.
//
// Scripts are read as far as they are literal: an address that a script puts together at run time
// is not found.
package page

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// Policy contains the origins that a page may use. The names are the keys of //mcp:resource.
type Policy struct {
	Connect, Load, Frames, Base []string
}

// Problem is a defect of a page.
type Problem struct {
	Offset  int // in the text, in bytes
	Message string
	Hint    string
}

// Use is the way in which a page uses an address, by the key of //mcp:resource that allows it.
type Use string

// The uses.
const (
	Connect Use = "connect"
	Load    Use = "load"
	Frames  Use = "frames"
	Base    Use = "base"
)

// Reference is an address in a page.
type Reference struct {
	URL    string
	Use    Use
	Offset int
	Data   bool // a data: URL is allowed
	Module bool // a module specifier, which an import map may resolve
	Part   bool // the address continues with a text that is only known at run time
}

// Check returns the problems of a page, in order of their positions.
func Check(text string, policy Policy) []Problem {
	c := &checker{text: text, policy: policy, told: map[string]bool{}}
	if !c.readable() {
		return c.problems
	}
	c.form()
	references, forbidden := collect(text)
	for _, r := range references {
		if r.Use == Base && c.base == nil {
			if a := parse(r.URL); a.kind == absolute {
				c.base = &a
			}
		}
	}
	c.problems = append(c.problems, forbidden...)
	for _, r := range references {
		c.reference(r)
	}
	slices.SortStableFunc(c.problems, func(a, b Problem) int { return a.Offset - b.Offset })
	return c.problems
}

// References returns the addresses that a page refers to.
func References(text string) []Reference {
	references, _ := collect(text)
	return references
}

type checker struct {
	text     string
	policy   Policy
	base     *address
	problems []Problem
	told     map[string]bool
}

func (c *checker) add(offset int, hint, format string, args ...any) {
	c.problems = append(c.problems, Problem{Offset: offset, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// readable checks what must hold before anything else can be said about the page.
func (c *checker) readable() bool {
	switch nul := strings.IndexByte(c.text, 0); {
	case strings.TrimSpace(c.text) == "":
		c.add(0, "write a document that begins with <!doctype html>", "the page is empty")
	case !utf8.ValidString(c.text):
		offset := 0
		for r, size := utf8.DecodeRuneInString(c.text); r != utf8.RuneError || size != 1; r, size = utf8.DecodeRuneInString(c.text[offset:]) {
			offset += size
		}
		c.add(offset, "save the file as UTF-8", "the page is not UTF-8")
	case nul >= 0:
		c.add(nul, "delete it", "the page contains a NUL character")
	default:
		return true
	}
	return false
}

// reference reports an address that hosts block. Each origin is reported once for each use.
func (c *checker) reference(r Reference) {
	a := parse(r.URL)
	if a.kind == relative && c.base != nil && r.Use != Base {
		a = *c.base
	}
	key := string(r.Use) + " "
	switch a.kind {
	case absolute:
		if r.Part && !a.whole {
			return
		}
		origin := a.origin()
		if c.allows(r.Use, a) || c.told[key+origin] {
			return
		}
		c.told[key+origin] = true
		hint := fmt.Sprintf("write %s=%s at //mcp:resource, if the page is to have it", r.Use, origin)
		if len(c.origins(r.Use)) > 0 {
			hint = fmt.Sprintf("add %s to %s= of //mcp:resource, if the page is to have it", origin, r.Use)
		}
		c.add(r.Offset, hint, "hosts block %s: %s= does not have the origin %s", shorten(r.URL), r.Use, origin)
	case relative:
		if r.Part && !strings.HasPrefix(r.URL, "/") && !strings.HasPrefix(r.URL, ".") || c.told[key+r.URL] {
			return
		}
		c.told[key+r.URL] = true
		if r.Module && isBare(r.URL) {
			c.add(r.Offset, "import it from a URL, or add an import map that has it", "no browser finds the module %s", shorten(r.URL))
			return
		}
		c.add(r.Offset, "put the content into the page, or write the URL in full, with its origin in "+string(r.Use)+"=",
			"no host finds %s: a page is one file and has no address of its own", shorten(r.URL))
	case inline:
		if !r.Data && a.scheme == "data" && !c.told[key+"data:"] {
			c.told[key+"data:"] = true
			c.add(r.Offset, "write the content into the element", "hosts block the data: URL here")
		}
	}
}

func shorten(url string) string {
	url = strings.TrimSpace(url)
	if len(url) <= 80 {
		return url
	}
	end := 77
	for !utf8.RuneStart(url[end]) {
		end--
	}
	return url[:end] + "..."
}

func (c *checker) origins(u Use) []string {
	switch u {
	case Connect:
		return c.policy.Connect
	case Frames:
		return c.policy.Frames
	case Base:
		return c.policy.Base
	}
	return c.policy.Load
}

func (c *checker) allows(u Use, a address) bool {
	return slices.ContainsFunc(c.origins(u), func(origin string) bool { return allows(origin, a) })
}

// form checks the structure of the document. The tokens are the tokens that a browser reads, and a
// browser repairs what does not fit: silently, and often other than the author meant it.
func (c *checker) form() {
	f := former{checker: c, z: html.NewTokenizer(strings.NewReader(c.text))}
	f.run()
}
