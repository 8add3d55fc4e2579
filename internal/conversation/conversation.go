// Package conversation implements the form of scripts of messages in txtar files, for the tests of
// servers and of clients: one line for each step, and JSON messages over several lines. Only tests
// import it.
package conversation

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Lines returns the lines of a script, joined with the lines that continue a message.
func Lines(script string) (lines []string) {
	for line := range strings.Lines(script) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, " ") && len(lines) > 0 {
			lines[len(lines)-1] += "\n" + line
			continue
		}
		lines = append(lines, line)
	}
	return lines
}

// maxLine limits the length of a line. A longer JSON message is written over several lines.
const maxLine = 160

// Format returns the lines of a message, after a word such as "<". Lines after the first begin with
// a space.
func Format(word, message string) string {
	line := word + " " + message
	if len(line) <= maxLine || !json.Valid([]byte(message)) {
		return line
	}
	p := jsonPrinter{column: len(word) + 1}
	p.value(message, "", 0)
	if text := p.b.String(); Join(text) == message {
		return word + " " + text
	}
	return line
}

var lineBreak = regexp.MustCompile(`\n +`)

// Join is the inverse of Format, for the text after the word.
func Join(text string) string { return lineBreak.ReplaceAllString(text, "") }

// jsonPrinter writes a JSON value over several lines, and changes nothing inside of a line. Members
// of an object share a line if they fit, and so do elements of an array that are neither objects
// nor arrays.
type jsonPrinter struct {
	b      strings.Builder
	column int
}

// value writes a value after a prefix, such as the name of a member. It splits the value if it does
// not fit into the line, and reports whether it did.
func (p *jsonPrinter) value(value, prefix string, indent int) (split bool) {
	p.write(prefix)
	parts := splitJSON(value)
	if len(parts) == 0 || p.fits(value) {
		p.write(value)
		return false
	}
	p.write(value[:1])
	isObject, after := value[0] == '{', false
	for i, part := range parts {
		if i > 0 {
			p.write(",")
		}
		name := ""
		rest := part
		if isObject {
			name, rest = splitMember(part)
		}
		isElement := !isObject && (part[0] == '{' || part[0] == '[')
		// The first member of the envelope remains in the line of the word.
		envelope := i == 0 && isObject && indent == 0
		if !envelope && (isElement || after || !p.fits(part)) {
			p.newline(indent + 2)
		}
		after = p.value(rest, name, indent+2)
	}
	p.write(value[len(value)-1:])
	return true
}

// fits reports whether a value fits into the line, with a few brackets that follow.
func (p *jsonPrinter) fits(value string) bool { return p.column+len(value) <= maxLine-6 }

func (p *jsonPrinter) write(s string) {
	p.b.WriteString(s)
	p.column += len(s)
}

func (p *jsonPrinter) newline(indent int) {
	p.b.WriteString("\n" + strings.Repeat(" ", indent))
	p.column = indent
}

// splitJSON returns the members or elements of an object or array, or nil for other values.
func splitJSON(value string) (parts []string) {
	if value == "" || (value[0] != '{' && value[0] != '[') {
		return nil
	}
	depth, start, quoted := 0, 1, false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 && i > start {
				parts = append(parts, value[start:i])
			}
		case c == ',' && depth == 1:
			parts, start = append(parts, value[start:i]), i+1
		}
	}
	return parts
}

// splitMember returns the name of a member, with the colon, and its value.
func splitMember(member string) (name, value string) {
	for i := 1; i < len(member); i++ {
		switch member[i] {
		case '\\':
			i++
		case '"':
			return member[:i+2], member[i+2:]
		}
	}
	return "", member
}
