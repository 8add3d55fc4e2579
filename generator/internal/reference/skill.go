package reference

import (
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/internal/jsontree"
)

// skills describes the skills with their files.
func (s *Server) skills(d *document) error {
	all, err := readAll(s.Skills)
	if err != nil {
		return err
	}
	if len(all) > 0 {
		d.heading(2, "skills", plain("Skills"))
	}
	for _, one := range all {
		uri, front := one.listing.Str("uri"), one.listing.Get("frontmatter")
		d.heading(4, anchor("skill", uri), code(uri))
		d.texts(front.Str("description"))
		facts := [][]inline{append(plain("Name: "), code(front.Str("name"))...)}
		for _, field := range []struct{ title, member string }{{"License: ", "license"}, {"Needs: ", "compatibility"}, {"Asks for tools: ", "allowed-tools"}} {
			if text := front.Str(field.member); text != "" {
				facts = append(facts, plain(field.title+text))
			}
		}
		d.list(append(facts, one.facts()...)...)
		files := one.listing.Get("resources")
		if !files.Is(jsontree.Array) {
			d.paragraph(inline{text: "Its text is made when it is read."})
			continue
		}
		var rows [][][]inline
		for _, f := range files.Items {
			size := ""
			if n := f.Get("size"); n != nil {
				size = fmt.Sprintf("%s bytes", n.Text)
			}
			rows = append(rows, [][]inline{code(strings.TrimPrefix(f.Str("uri"), strings.TrimSuffix(uri, "SKILL.md"))), plain(size)})
		}
		d.table([]string{"file", "size"}, rows)
	}
	return nil
}
