package reference

import (
	"fmt"
	"strings"
)

// document is a page as blocks, which are rendered as Markdown or HTML.
type document struct {
	title  string
	blocks []block
}

// block is one of the kinds below.
type block struct {
	kind   blockKind
	level  int    // for a heading
	anchor string // for a heading, or ""
	inline []inline
	code   string     // for a code block
	items  [][]inline // for a list
	head   []string   // for a table
	rows   [][][]inline
}

type blockKind int

const (
	headingBlock blockKind = iota
	paragraphBlock
	labelBlock // a heading for the next block, without a colon
	codeBlock  // JSON
	listBlock
	tableBlock
)

// inline is a piece of a line: text, code, a link to an anchor of the page, or the URL of a web
// page, which becomes a link.
type inline struct {
	text   string
	code   bool
	anchor string
	web    bool
}

func plain(text string) []inline { return []inline{{text: text}} }

func code(text string) []inline { return []inline{{text: text, code: true}} }

func (d *document) heading(level int, anchor string, line []inline) {
	d.blocks = append(d.blocks, block{kind: headingBlock, level: level, anchor: anchor, inline: line})
}

func (d *document) paragraph(line ...inline) {
	d.blocks = append(d.blocks, block{kind: paragraphBlock, inline: line})
}

func (d *document) label(line ...inline) {
	d.blocks = append(d.blocks, block{kind: labelBlock, inline: line})
}

// texts adds the paragraphs of a description. Single line ends are kept.
func (d *document) texts(text string) {
	var paragraph []string
	for line := range strings.SplitSeq(text+"\n", "\n") {
		if line = strings.TrimSpace(line); line != "" {
			paragraph = append(paragraph, line)
		} else if len(paragraph) > 0 {
			d.paragraph(inline{text: strings.Join(paragraph, "\n")})
			paragraph = nil
		}
	}
}

func (d *document) list(items ...[]inline) {
	if len(items) > 0 {
		d.blocks = append(d.blocks, block{kind: listBlock, items: items})
	}
}

func (d *document) json(text string) {
	d.blocks = append(d.blocks, block{kind: codeBlock, code: text})
}

// table adds a table, without the columns that are empty in every row.
func (d *document) table(head []string, rows [][][]inline) {
	var used []int
	for i := range head {
		for _, row := range rows {
			if len(row[i]) > 0 {
				used = append(used, i)
				break
			}
		}
	}
	b := block{kind: tableBlock}
	for _, i := range used {
		b.head = append(b.head, head[i])
	}
	for _, row := range rows {
		var cells [][]inline
		for _, i := range used {
			cells = append(cells, row[i])
		}
		b.rows = append(b.rows, cells)
	}
	if len(b.rows) > 0 {
		d.blocks = append(d.blocks, b)
	}
}

// anchor returns an id for a name of a kind. Different names get different ids, which do not depend
// on the other names.
func anchor(kind, name string) string {
	var b strings.Builder
	b.WriteString(kind + "-")
	for _, c := range []byte(name) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, ".%02x", c)
		}
	}
	return b.String()
}
