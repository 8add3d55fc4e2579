package reference

import "github.com/mcpgen/mcpgen/internal/jsontree"

// pagePolicies are the lists of origins of a page.
var pagePolicies = []struct{ member, title string }{
	{"connectDomains", "The page connects to: "}, {"resourceDomains", "The page loads from: "},
	{"frameDomains", "The page has frames of: "}, {"baseUriDomains", "The page has the base: "},
}

// pageFacts returns the interface of a tool, and what a page may do.
func (i *item) pageFacts() (lines [][]inline) {
	ui := i.listing.Get("_meta").Get("ui")
	if page := ui.Str("resourceUri"); page != "" {
		lines = append(lines, append(plain("Hosts show its results by the page "), code(page)...))
	}
	if callers := ui.Get("visibility"); callers.Is(jsontree.Array) && len(callers.Items) == 1 {
		switch callers.Items[0].Text {
		case "app":
			lines = append(lines, plain("Pages alone call it, and no model."))
		case "model":
			lines = append(lines, plain("Pages cannot call it."))
		}
	}
	for _, p := range pagePolicies {
		if origins := ui.Get("csp").Get(p.member); origins.Is(jsontree.Array) {
			line := plain(p.title)
			for i, origin := range origins.Items {
				if i > 0 {
					line = append(line, inline{text: ", "})
				}
				line = append(line, inline{text: origin.Text, code: true})
			}
			lines = append(lines, line)
		}
	}
	if permissions := ui.Get("permissions"); permissions.Is(jsontree.Object) {
		line := plain("The page asks for: ")
		for i, p := range permissions.Members {
			if i > 0 {
				line = append(line, inline{text: ", "})
			}
			line = append(line, inline{text: p.Name, code: true})
		}
		lines = append(lines, line)
	}
	return lines
}
