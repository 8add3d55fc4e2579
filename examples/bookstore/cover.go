package bookstore

import (
	"fmt"
	"html"
	"strings"
)

// drawCover draws the cover of a book. The colour depends on the book only.
func drawCover(b Book) string {
	var svg strings.Builder
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 300" role="img" font-family="serif" text-anchor="middle">`+
		`<rect width="200" height="300" fill="hsl(%d 35%% 30%%)"/>`+
		`<rect x="10" y="10" width="180" height="280" fill="none" stroke="#e8d9b0"/>`, b.ID*47%360)
	y := 80
	for _, line := range wrap(b.Title, 18) {
		fmt.Fprintf(&svg, `<text x="100" y="%d" font-size="19" fill="#f7f1de">%s</text>`, y, html.EscapeString(line))
		y += 24
	}
	y = 250
	for _, author := range b.Authors[:min(len(b.Authors), 2)] {
		fmt.Fprintf(&svg, `<text x="100" y="%d" font-size="12" fill="#e8d9b0">%s</text>`, y, html.EscapeString(author))
		y += 16
	}
	svg.WriteString("</svg>")
	return svg.String()
}

// wrap breaks a text between words into lines of about the given number of characters, five at
// most.
func wrap(text string, width int) []string {
	var lines []string
	for word := range strings.FieldsSeq(text) {
		last := len(lines) - 1
		switch {
		case last >= 0 && len([]rune(lines[last]))+1+len([]rune(word)) <= width:
			lines[last] += " " + word
		case last == 4:
			lines[last] += "…"
			return lines
		default:
			lines = append(lines, word)
		}
	}
	return lines
}
