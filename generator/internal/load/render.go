package load

import (
	doc "go/doc/comment"
	"go/types"
	"strings"
)

// render turns a comment into plain text like go/doc, with each paragraph on one line, for a reader
// that wraps lines itself. It recognizes doc links by the exported declarations of the package.
func (d *Docs) render(c comment, pkg *types.Package, imports map[string]string, link Link) string {
	text := c.text()
	if unmarked(text) {
		return strings.Join(strings.Fields(text), " ")
	}
	parser := doc.Parser{
		LookupPackage: func(name string) (string, bool) {
			if path, ok := imports[name]; ok {
				return path, true
			}
			if name == pkg.Name() {
				return "", true
			}
			return doc.DefaultLookupPackage(name)
		},
		LookupSym: func(recv, name string) bool {
			d.complete(pkg)
			return declares(pkg, recv, name)
		},
	}
	parsed := parser.Parse(text)
	for _, block := range parsed.Content {
		replaceLinks(block, pkg.Path(), link)
	}
	printer := doc.Printer{TextWidth: -1}
	return strings.TrimSpace(string(printer.Text(parsed)))
}

// unmarked reports whether a comment is a paragraph without markup, as most comments on fields are.
func unmarked(text string) bool {
	for line := range strings.Lines(text) {
		if first := line[0] | 0x20; first < 'a' || first > 'z' {
			return false
		}
	}
	return !strings.Contains(text, "[") && !strings.Contains(text, "``") && !strings.Contains(text, "''") && !strings.Contains(text, "://")
}

// declares reports whether a package declares a symbol, or a type with a method or field of that
// name.
func declares(pkg *types.Package, recv, name string) bool {
	if recv == "" {
		return pkg.Scope().Lookup(name) != nil
	}
	obj, ok := pkg.Scope().Lookup(recv).(*types.TypeName)
	if !ok {
		return false
	}
	member, _, _ := types.LookupFieldOrMethod(types.NewPointer(obj.Type()), true, pkg, name)
	if member == nil {
		member, _, _ = types.LookupFieldOrMethod(obj.Type(), true, pkg, name)
	}
	return member != nil
}

// replaceLinks replaces doc links by the texts that link returns.
func replaceLinks(block doc.Block, path string, link Link) {
	switch block := block.(type) {
	case *doc.Heading:
		block.Text = linked(block.Text, path, link)
	case *doc.Paragraph:
		block.Text = linked(block.Text, path, link)
	case *doc.List:
		for _, item := range block.Items {
			for _, b := range item.Content {
				replaceLinks(b, path, link)
			}
		}
	}
}

func linked(texts []doc.Text, path string, link Link) []doc.Text {
	for i, t := range texts {
		l, ok := t.(*doc.DocLink)
		if !ok || link == nil || l.Name == "" {
			continue
		}
		target := l.ImportPath
		if target == "" {
			target = path
		}
		if s := link(target, l.Recv, l.Name); s != "" {
			texts[i] = doc.Plain(s)
		}
	}
	return texts
}
