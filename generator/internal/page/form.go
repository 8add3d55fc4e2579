package page

import (
	"strings"

	"golang.org/x/net/html"
)

// void are the elements without an end tag.
var void = set("area base br col embed hr img input link meta source track wbr")

// optional are the elements whose end tag may be left out.
var optional = set("html head body li dt dd p rt rp optgroup option colgroup caption thead tbody tfoot tr td th")

// raw are the elements whose content is text, up to their end tag.
var raw = set("script style title textarea iframe noembed noframes noscript xmp plaintext")

func set(words string) map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(words) {
		all[word] = true
	}
	return all
}

// open is an element that has no end tag yet.
type open struct {
	name   string
	offset int
}

// former follows the tags of a document.
type former struct {
	*checker
	z       *html.Tokenizer
	offset  int
	stack   []open
	doctype bool
	content bool
}

func (f *former) run() {
	for {
		kind := f.z.Next()
		start := f.offset
		f.offset += len(f.z.Raw())
		switch kind {
		case html.ErrorToken:
			f.end(start)
			return
		case html.DoctypeToken:
			f.doctypeTag(start)
			continue
		case html.CommentToken:
			if text := string(f.z.Raw()); strings.HasPrefix(text, "<!--") && !strings.HasSuffix(text, "-->") && !strings.HasSuffix(text, "--!>") {
				f.add(start, "end it with -->", "the comment has no end")
			}
			continue
		case html.TextToken:
			if strings.TrimSpace(strings.TrimPrefix(string(f.z.Raw()), "\ufeff")) == "" {
				continue
			}
		}
		if !f.doctype {
			f.doctype = true
			f.add(start, "begin the page with <!doctype html>", "the page has no doctype, so browsers show it in quirks mode")
		}
		f.content = true
		switch kind {
		case html.StartTagToken, html.SelfClosingTagToken:
			f.startTag(start, kind == html.SelfClosingTagToken)
		case html.EndTagToken:
			f.endTag(start)
		}
	}
}

func (f *former) doctypeTag(start int) {
	name, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(string(f.z.Text()))), " ")
	if !f.doctype && name != "html" {
		f.add(start, "write <!doctype html>", "the doctype is not the one of HTML")
	}
	f.doctype = true
}

// foreign reports whether the elements are SVG or MathML, where every element may close itself and
// no content is raw text.
func (f *former) foreign() bool {
	for i := len(f.stack) - 1; i >= 0; i-- {
		switch f.stack[i].name {
		case "svg", "math":
			return true
		case "foreignobject", "annotation-xml":
			return false
		}
	}
	return false
}

func (f *former) startTag(start int, closed bool) {
	bytes, _ := f.z.TagName()
	name := string(bytes)
	foreign := f.foreign()
	if foreign {
		f.z.NextIsNotRawText()
	}
	switch {
	case void[name] && !foreign:
		return
	case closed && (foreign || name == "svg" || name == "math"):
		return
	case closed:
		f.add(start, "write <"+name+"></"+name+">", "<%s/> does not end the element: only SVG and MathML have elements that end so", name)
		if !raw[name] {
			return
		}
	}
	f.stack = append(f.stack, open{name, start})
}

func (f *former) endTag(start int) {
	bytes, _ := f.z.TagName()
	name := string(bytes)
	for i := len(f.stack) - 1; i >= 0; i-- {
		if f.stack[i].name == name {
			f.stack = f.stack[:i]
			return
		}
		if !optional[f.stack[i].name] {
			break
		}
	}
	for i := len(f.stack) - 1; i >= 0; i-- {
		if f.stack[i].name == name {
			inner := f.innermost(i)
			f.add(start, "end <"+inner.name+"> first", "</%s> ends an element around <%s>, which has no end", name, inner.name)
			f.stack = f.stack[:i]
			return
		}
	}
	f.add(start, "delete it, or write the start tag", "</%s> ends no element", name)
}

// innermost returns the innermost element inside of an open one that must have an end tag.
func (f *former) innermost(i int) open {
	for k := len(f.stack) - 1; k > i; k-- {
		if !optional[f.stack[k].name] {
			return f.stack[k]
		}
	}
	return f.stack[len(f.stack)-1]
}

// end reports elements without an end.
func (f *former) end(offset int) {
	if !f.doctype && !f.content {
		f.add(0, "begin the page with <!doctype html>", "the page has no doctype, so browsers show it in quirks mode")
	}
	if !f.content {
		f.add(0, "write the elements that a host is to show", "the page has no content")
	}
	if offset < len(f.text) {
		f.add(offset, "write the > that ends it", "the last tag has no end")
	}
	for _, o := range f.stack {
		if !optional[o.name] {
			f.add(o.offset, "write </"+o.name+">", "<%s> has no end", o.name)
		}
	}
}
