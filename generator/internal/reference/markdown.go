package reference

import (
	"strings"

	"github.com/mcpgen/mcpgen/internal/visible"
)

func (d *document) markdown() []byte {
	var b strings.Builder
	b.WriteString("<!-- " + generated + " -->\n")
	for i := range d.blocks {
		b.WriteString("\n")
		d.blocks[i].markdown(&b)
	}
	return []byte(b.String())
}

func (k *block) markdown(b *strings.Builder) {
	switch k.kind {
	case headingBlock:
		b.WriteString(strings.Repeat("#", k.level) + " ")
		if k.anchor != "" {
			b.WriteString(`<a id="` + k.anchor + `"></a>`)
		}
		b.WriteString(markdownLine(k.inline, " ") + "\n")
	case paragraphBlock:
		b.WriteString(markdownLine(k.inline, "\\\n") + "\n")
	case labelBlock:
		b.WriteString(markdownLine(k.inline, " ") + ":\n")
	case codeBlock:
		text := visible.Escape(k.code)
		fence := strings.Repeat("`", max(3, longestRun(text)+1))
		b.WriteString(fence + "json\n" + text + "\n" + fence + "\n")
	case listBlock:
		for _, item := range k.items {
			b.WriteString("- " + markdownLine(item, " ") + "\n")
		}
	case tableBlock:
		b.WriteString("|")
		for _, h := range k.head {
			b.WriteString(" " + h + " |")
		}
		b.WriteString("\n|" + strings.Repeat("---|", len(k.head)) + "\n")
		for _, row := range k.rows {
			b.WriteString("|")
			for _, cell := range row {
				b.WriteString(" " + markdownLine(cell, "<br>") + " |")
			}
			b.WriteString("\n")
		}
	}
}

// markdownLine renders inlines. A line end in a text becomes lineEnd.
func markdownLine(line []inline, lineEnd string) string {
	var b strings.Builder
	for _, i := range line {
		switch {
		case i.anchor != "":
			b.WriteString("[" + escapeMarkdown(i.text, " ") + "](#" + i.anchor + ")")
		case i.web:
			b.WriteString("<" + i.text + ">") // a valid URL contains neither of the two
		case i.code:
			b.WriteString(markdownCode(i.text))
		default:
			b.WriteString(escapeMarkdown(i.text, lineEnd))
		}
	}
	return b.String()
}

// longestRun returns the length of the longest run of backticks.
func longestRun(text string) int {
	longest, run := 0, 0
	for _, c := range []byte(text) {
		if run++; c != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// markdownCode returns a code span, also for the cell of a table, where a | needs a backslash.
func markdownCode(text string) string {
	text = visible.Escape(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), " "))
	if text == "" {
		return ""
	}
	if strings.Contains(text, "|") {
		// Outside of tables the backslash would be visible: such a text is written as plain text.
		return escapeMarkdown(text, " ")
	}
	fence := strings.Repeat("`", longestRun(text)+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") || strings.HasPrefix(text, " ") && strings.HasSuffix(text, " ") {
		text = " " + text + " "
	}
	return fence + text + fence
}

// escapeMarkdown escapes a text, so that it is shown unchanged. Letters, digits and most spaces
// stay; punctuation with a possible meaning gets a backslash, which CommonMark allows before any
// ASCII punctuation.
func escapeMarkdown(text, lineEnd string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteString(lineEnd)
		}
		line = strings.TrimSpace(visible.Escape(line))
		if i == 0 && strings.HasPrefix(text, " ") {
			line = " " + line
		}
		if i == strings.Count(text, "\n") && strings.HasSuffix(text, " ") {
			line += " "
		}
		writeEscaped(&b, line)
	}
	return b.String()
}

func writeEscaped(b *strings.Builder, line string) {
	start := len(line) - len(strings.TrimLeft(line, " "))
	digits := start
	for digits < len(line) && line[digits] >= '0' && line[digits] <= '9' {
		digits++
	}
	for i := range len(line) {
		c := line[i]
		special := strings.IndexByte("\\`*_[]<>&|~$@#", c) >= 0
		// Characters that begin a heading, a list, a rule or a quotation at the beginning of a
		// line.
		special = special || i == start && strings.IndexByte("+-=", c) >= 0
		special = special || i == digits && digits > start && (c == '.' || c == ')')
		// Characters by which GitHub recognizes a link or a picture.
		special = special || c == ':' && i+1 < len(line) && line[i+1] != ' ' || c == '.' && i >= 3 && strings.EqualFold(line[i-3:i], "www")
		if special {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
}
