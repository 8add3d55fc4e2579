package contract

import (
	"slices"

	"github.com/mcpgen/mcpgen/internal/jsontree"
)

// This file compares interfaces (MCP Apps), which are in the metadata of tools and pages.

// uiMember is the interface of a feature, and oldUIMember repeats the URI of its page.
const (
	uiMember    = "ui"
	oldUIMember = "ui/resourceUri"
)

// metadata compares the metadata of a feature. ui compares interfaces.
func (d *differ) metadata(old, now *jsontree.Value, ui func(old, now *jsontree.Value)) {
	a, b := old.Get("_meta"), now.Get("_meta")
	ui(a.Get(uiMember), b.Get(uiMember))
	d.changed(Compatible, "_meta", others(a), others(b))
}

// others returns metadata without interfaces, or nil if nothing is left.
func others(meta *jsontree.Value) *jsontree.Value {
	if !meta.Is(jsontree.Object) {
		return meta
	}
	rest := meta.Without(uiMember).Without(oldUIMember)
	if len(rest.Members) == 0 && len(meta.Members) > 0 {
		return nil
	}
	return rest
}

// toolUI compares the interface of a tool. Without its page, hosts show the text of a result, which
// is the same as before; a caller that can no longer call the tool is broken.
func (d *differ) toolUI(old, now *jsontree.Value) {
	const page = "resourceUri"
	switch a, b := old.Get(page), now.Get(page); {
	case jsontree.Equal(a, b):
	case a == nil:
		d.add(Wording, page, a, b, "hosts show its results by the page %s now", b.Text)
	case b == nil:
		d.add(Wording, page, a, b, "hosts show the text of its results now, and no longer the page %s", a.Text)
	default:
		d.add(Wording, page, a, b, "hosts show its results by the page %s now, and no longer by %s", b.Text, a.Text)
	}
	const visibility = "visibility"
	a, b := old.Get(visibility), now.Get(visibility)
	for _, who := range []struct{ word, callers string }{{"model", "models"}, {"app", "pages"}} {
		switch was, is := calls(a, who.word), calls(b, who.word); {
		case was && !is:
			d.add(Breaking, visibility, a, b, "%s can no longer call it", who.callers)
		case is && !was:
			d.add(Compatible, visibility, a, b, "%s can call it now", who.callers)
		}
	}
	d.otherMembers(old, now, page, visibility)
}

// calls reports whether a visibility includes a caller. Both are included if it is missing.
func calls(visibility *jsontree.Value, who string) bool {
	return !visibility.Is(jsontree.Array) || slices.Contains(textsOf(visibility), who)
}

// policies are the lists of origins of a page, and what it does with them.
var policies = []struct{ member, does string }{
	{"connectDomains", "connect to"}, {"resourceDomains", "load from"}, {"frameDomains", "show frames of"}, {"baseUriDomains", "have the base"},
}

// pageUI compares the description of a page.
func (d *differ) pageUI(old, now *jsontree.Value) {
	for _, p := range policies {
		was, is := textsOf(old.Get("csp").Get(p.member)), textsOf(now.Get("csp").Get(p.member))
		d.set(p.member, was, is, "the page may "+p.does)
	}
	d.set("permissions", namesOf(old.Get("permissions")), namesOf(now.Get("permissions")), "the page asks for")
	d.changed(Compatible, "domain", old.Get("domain"), now.Get("domain"))
	d.changed(Wording, "prefersBorder", old.Get("prefersBorder"), now.Get("prefersBorder"))
	d.otherMembers(old, now, "csp", "permissions", "domain", "prefersBorder")
}

// set compares what a page may do. A page is replaced together with its policy, so no change breaks
// a client; a reviewer wants to know what was added.
func (d *differ) set(rule string, was, is []string, does string) {
	for _, item := range is {
		if !slices.Contains(was, item) {
			d.add(Compatible, rule, nil, &jsontree.Value{Kind: jsontree.Text, Text: item}, "%s %s now", does, item)
		}
	}
	for _, item := range was {
		if !slices.Contains(is, item) {
			d.add(Compatible, rule, &jsontree.Value{Kind: jsontree.Text, Text: item}, nil, "%s %s no longer", does, item)
		}
	}
}

// otherMembers compares members that are not in the specification.
func (d *differ) otherMembers(old, now *jsontree.Value, known ...string) {
	for _, name := range namesOf(old) {
		if !slices.Contains(known, name) {
			d.changed(Compatible, "_meta.ui."+name, old.Get(name), now.Get(name))
		}
	}
	for _, name := range namesOf(now) {
		if !slices.Contains(known, name) && old.Get(name) == nil {
			d.changed(Compatible, "_meta.ui."+name, nil, now.Get(name))
		}
	}
}

func textsOf(v *jsontree.Value) (all []string) {
	if v.Is(jsontree.Array) {
		for _, item := range v.Items {
			if item.Is(jsontree.Text) {
				all = append(all, item.Text)
			}
		}
	}
	return all
}

func namesOf(v *jsontree.Value) (all []string) {
	if v.Is(jsontree.Object) {
		for _, m := range v.Members {
			all = append(all, m.Name)
		}
	}
	return all
}
