package reference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/jsontree"
)

// item is a parsed feature.
type item struct {
	*Feature
	listing *jsontree.Value
}

func (i *item) name() string { return i.listing.Str("name") }

// readAll reads the listings of features.
func readAll(features []*Feature) ([]*item, error) {
	all := make([]*item, 0, len(features))
	for _, f := range features {
		v, err := parse(f.Listing)
		if err != nil {
			return nil, fmt.Errorf("read feature: %w", err)
		}
		all = append(all, &item{f, v})
	}
	return all, nil
}

// noGroup is the heading of tools without a group, if other tools have one.
const noGroup = "Other tools"

// groups returns the groups of tools, sorted, "" last. Only the first group of a tool counts.
func groups(tools []*item) (names []string, of map[string][]*item) {
	of = map[string][]*item{}
	for _, t := range tools {
		group := ""
		if len(t.Groups) > 0 {
			group = t.Groups[0]
		}
		if of[group] == nil {
			names = append(names, group)
		}
		of[group] = append(of[group], t)
	}
	slices.SortFunc(names, func(a, b string) int {
		if (a == "") != (b == "") {
			return strings.Compare(b, a)
		}
		return strings.Compare(a, b)
	})
	return names, of
}

// contents adds a list of links.
func (s *Server) contents(d *document) error {
	var lines [][]inline
	for _, part := range []struct {
		kind, title, key string
		features         []*Feature
	}{{"tool", "Tools", "name", s.Tools}, {"resource", "Resources", "uri", s.Resources}, {"template", "Resource templates", "uriTemplate", s.Templates}, {"prompt", "Prompts", "name", s.Prompts}, {"skill", "Skills", "uri", s.Skills}} {
		all, err := readAll(part.features)
		if err != nil {
			return err
		}
		var keys []string
		for _, f := range all {
			keys = append(keys, f.listing.Str(part.key))
		}
		line := append(plain(part.title+": "), links(part.kind, keys)...)
		if len(all) > 0 {
			lines = append(lines, line)
		}
	}
	if len(lines) > 0 {
		d.heading(2, "contents", plain("Contents"))
	}
	d.list(lines...)
	return nil
}

func (s *Server) tools(d *document) error {
	all, err := readAll(s.Tools)
	if err != nil || len(all) == 0 {
		return err
	}
	d.heading(2, "tools", plain("Tools"))
	names, of := groups(all)
	for _, group := range names {
		if len(names) > 1 || group != "" {
			title := group
			if group == "" {
				title = noGroup
			}
			d.heading(3, anchor("group", group), plain(title))
		}
		for _, t := range of[group] {
			s.tool(d, t)
		}
	}
	return nil
}

func (s *Server) tool(d *document, t *item) {
	d.heading(4, anchor("tool", t.name()), code(t.name()))
	d.described(t, t.listing.Get("annotations").Str("title"))
	d.list(t.facts()...)
	input := t.listing.Get("inputSchema")
	if rows := arguments(input); len(rows) > 0 {
		d.label(inline{text: "Arguments"})
		d.table(argumentColumns, rows)
	} else {
		d.paragraph(inline{text: "It takes no arguments."})
	}
	if output := t.listing.Get("outputSchema"); output != nil {
		d.label(inline{text: "Result"})
		d.table(argumentColumns, results(output))
	} else {
		d.paragraph(inline{text: "Result: content, without structure."})
	}
	switch {
	case len(t.Errors) > 0:
		line := append(plain("Errors: "), links("error", t.Errors)...)
		if t.HidesErrors {
			line = append(line, inline{text: "; other errors are reported without their text"})
		}
		d.paragraph(line...)
	case t.HidesErrors:
		d.paragraph(inline{text: "Errors are reported without their text."})
	}
	if call := exampleCall(t.name(), input); call != "" {
		d.label(inline{text: "Example, the params of "}, inline{text: "tools/call", code: true})
		d.json(call)
	}
}

// described adds title and description.
func (d *document) described(i *item, title string) {
	if title = first(i.listing.Str("title"), title); title != "" && title != i.name() {
		d.paragraph(inline{text: title})
	}
	d.texts(i.listing.Str("description"))
}

// hintNames are the tool annotations, in the order in which they are written.
var hintNames = []struct{ member, yes, no string }{
	{"readOnlyHint", "changes nothing", ""},
	{"destructiveHint", "may change or delete what is there", "only adds"},
	{"idempotentHint", "a second call with the same arguments has no further effect", ""},
	{"openWorldHint", "reaches systems outside", "stays within this system"},
}

// facts returns the hints of a tool, and its other short properties.
func (i *item) facts() [][]inline {
	var lines [][]inline
	hints := i.listing.Get("annotations")
	var words []string
	readOnly := isTrue(hints.Get("readOnlyHint"))
	for _, h := range hintNames {
		if readOnly && (h.member == "destructiveHint" || h.member == "idempotentHint") {
			continue // they mean nothing for a tool that changes nothing
		}
		switch m := hints.Get(h.member); {
		case m == nil:
		case isTrue(m):
			words = append(words, h.yes)
		case h.no != "":
			words = append(words, h.no)
		}
	}
	if len(words) > 0 {
		lines = append(lines, plain("Hints: "+strings.Join(words, "; ")))
	}
	codes := func(title string, names []string) {
		if len(names) == 0 {
			return
		}
		line := plain(title)
		for i, n := range names {
			if i > 0 {
				line = append(line, inline{text: ", "})
			}
			line = append(line, inline{text: n, code: true})
		}
		lines = append(lines, line)
	}
	codes("Groups: ", i.Groups)
	codes("Scopes that a caller needs: ", i.Scopes)
	codes("Tools that a caller must be allowed to use: ", i.Tools)
	codes("Also called: ", i.Aliases)
	switch i.Task {
	case "required":
		lines = append(lines, plain("Calls run as tasks."))
	case "optional":
		lines = append(lines, plain("Calls run as tasks, if the client asks for it."))
	}
	return append(lines, i.pageFacts()...)
}

func (s *Server) resources(d *document) error {
	for _, part := range []struct {
		kind, title, key string
		features         []*Feature
	}{{"resource", "Resources", "uri", s.Resources}, {"template", "Resource templates", "uriTemplate", s.Templates}} {
		all, err := readAll(part.features)
		if err != nil {
			return err
		}
		if len(all) > 0 {
			d.heading(2, part.kind+"s", plain(part.title))
		}
		for _, r := range all {
			uri := r.listing.Str(part.key)
			d.heading(4, anchor(part.kind, uri), code(uri))
			d.described(r, "")
			facts := [][]inline{append(plain("Name: "), code(r.name())...)}
			if mime := r.listing.Str("mimeType"); mime != "" {
				facts = append(facts, append(plain("Media type: "), code(mime)...))
			}
			d.list(append(facts, r.facts()...)...)
		}
	}
	return nil
}

func (s *Server) prompts(d *document) error {
	all, err := readAll(s.Prompts)
	if err != nil {
		return err
	}
	if len(all) > 0 {
		d.heading(2, "prompts", plain("Prompts"))
	}
	for _, p := range all {
		d.heading(4, anchor("prompt", p.name()), code(p.name()))
		d.described(p, "")
		d.list(p.facts()...)
		var rows [][][]inline
		if list := p.listing.Get("arguments"); list != nil {
			for _, a := range list.Items {
				rows = append(rows, [][]inline{code(a.Str("name")), required(isTrue(a.Get("required"))), plain(first(a.Str("description"), a.Str("title")))})
			}
		}
		d.table([]string{"argument", "required", "description"}, rows)
	}
	return nil
}

func required(is bool) []inline {
	if is {
		return plain("yes")
	}
	return nil
}

func (s *Server) forms(d *document) error {
	if len(s.Forms) > 0 {
		d.heading(2, "forms", plain("Forms"))
		d.paragraph(inline{text: "What a user may be asked for while a call runs."})
	}
	for _, f := range s.Forms {
		d.heading(4, anchor("form", f.Name), code(f.Name))
		var rows [][][]inline
		for _, field := range f.Fields {
			var choices []inline
			for i, c := range field.Choices {
				if i > 0 {
					choices = append(choices, inline{text: ", "})
				}
				choices = append(choices, inline{text: c, code: true})
			}
			rows = append(rows, [][]inline{code(field.Name), plain(field.Type), required(field.Required), choices, plain(first(field.Description, field.Title))})
		}
		d.table([]string{"field", "type", "required", "one of", "description"}, rows)
	}
	return nil
}

func (s *Server) errors(d *document) error {
	if len(s.Errors) == 0 {
		return nil
	}
	tools, err := readAll(s.Tools)
	if err != nil {
		return err
	}
	d.heading(2, "errors", plain("Errors"))
	d.paragraph(inline{text: "The errors of tools that are meant for models, and the tools whose source leads to them."})
	for _, e := range s.Errors {
		d.heading(4, anchor("error", e.Name), code(e.Name))
		d.texts(first(e.Text, "With a text of its own."))
		var names []string
		for _, t := range tools {
			if slices.Contains(t.Errors, e.Name) {
				names = append(names, t.name())
			}
		}
		if len(names) > 0 {
			d.paragraph(append(plain("Tools: "), links("tool", names)...)...)
		} else {
			d.paragraph(inline{text: "The source does not show which tools return it."})
		}
	}
	return nil
}

// links returns links to the places of features, with commas between them.
func links(kind string, names []string) []inline {
	var line []inline
	for i, name := range names {
		if i > 0 {
			line = append(line, inline{text: ", "})
		}
		line = append(line, inline{text: name, anchor: anchor(kind, name)})
	}
	return line
}
