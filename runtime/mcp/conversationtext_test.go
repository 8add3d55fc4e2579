package mcp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// maxLine is the length of the longest line of a conversation. A longer message is
// written over several lines, if it is JSON.
const maxLine = 160

// formatMessage returns the lines of a message, after a word such as "<". Lines after
// the first begin with a space.
func formatMessage(word, message string) string {
	line := word + " " + message
	if len(line) <= maxLine || !json.Valid([]byte(message)) {
		return line
	}
	p := jsonPrinter{column: len(word) + 1}
	p.value(message, "", 0)
	if text := p.b.String(); joinMessage(text) == message {
		return word + " " + text
	}
	return line
}

var lineBreak = regexp.MustCompile(`\n +`)

// joinMessage undoes formatMessage, for the text after the word.
func joinMessage(text string) string { return lineBreak.ReplaceAllString(text, "") }

// jsonPrinter writes a JSON value over several lines, and changes nothing inside of a line.
// Members of an object share a line where they fit, and so do elements of an array that
// are neither objects nor arrays.
type jsonPrinter struct {
	b      strings.Builder
	column int
}

// value writes a value behind a prefix, such as the name of a member. The value
// is split if it does not fit into the line. The result reports that.
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
		// The first member of the envelope stays in the line of the word.
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

// splitJSON returns the members or elements of an object or array. Other values
// have none.
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

// allCapabilities is what the word "all" in an open line stands for.
const allCapabilities = "elicitation.form elicitation.url sampling.tools sampling.context roots.listChanged"

// initializeMessage returns the initialize request of an open line: a revision, then
// capabilities such as "roots" or "elicitation.form", and "name=" or "title=" of the
// client.
func initializeMessage(words string) string {
	revision, rest, _ := strings.Cut(words, " ")
	client, capabilities := map[string]string{"name": "c", "version": "1"}, map[string]map[string]any{}
	for _, word := range strings.Fields(strings.ReplaceAll(" "+rest+" ", " all ", " "+allCapabilities+" ")) {
		if key, value, ok := strings.Cut(word, "="); ok {
			client[key] = value
			continue
		}
		name, part, ok := strings.Cut(word, ".")
		if capabilities[name] == nil {
			capabilities[name] = map[string]any{}
		}
		switch {
		case word == "roots.listChanged":
			capabilities[name][part] = true
		case ok:
			capabilities[name][part] = struct{}{}
		}
	}
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": "open", "method": "initialize", "params": map[string]any{
		"protocolVersion": revision, "capabilities": capabilities, "clientInfo": client,
	}})
	if err != nil {
		panic(err)
	}
	return string(message)
}

// handshakes are the expected replies to open lines. They depend on the server and the
// revision alone, so that one file has them for all conversations.
type handshakes struct {
	archive *txtar.Archive
	changed bool
}

const handshakesFile = "../../testdata/handshakes.txtar"

func readHandshakes(t *testing.T) *handshakes {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.FromSlash(handshakesFile))
	if err != nil {
		t.Fatal(err)
	}
	return &handshakes{archive: archive}
}

// check compares the reply to an open line with the expected one. It returns the lines
// that are missing or unexpected, in the form of a conversation.
func (h *handshakes) check(section, words string, received []string) (rest []string) {
	kind, _, ok := strings.Cut(section, ":")
	if !ok {
		kind = "fixture"
	}
	revision, _, _ := strings.Cut(words, " ")
	name := kind + " " + revision
	if len(received) == 0 {
		return []string{"no reply to initialize"}
	}
	got := formatMessage("<", received[0]) + "\n"
	for i := range h.archive.Files {
		f := &h.archive.Files[i]
		switch {
		case f.Name != name:
		case string(f.Data) == got:
			return received[1:]
		case *update:
			f.Data, h.changed = []byte(got), true
			return received[1:]
		default:
			return append([]string{fmt.Sprintf("%s (%s has %s)", received[0], handshakesFile, f.Data)}, received[1:]...)
		}
	}
	if *update {
		h.archive.Files = append(h.archive.Files, txtar.File{Name: name, Data: []byte(got)})
		h.changed = true
		return received[1:]
	}
	return append([]string{fmt.Sprintf("%s (%s has no section %q)", received[0], handshakesFile, name)}, received[1:]...)
}

func (h *handshakes) save(t *testing.T) {
	t.Helper()
	if h.changed {
		if err := os.WriteFile(filepath.FromSlash(handshakesFile), txtar.Format(h.archive), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// Every message survives being written over several lines, byte for byte.
func TestFormatMessage(t *testing.T) {
	long := strings.Repeat("x", maxLine)
	for _, message := range []string{
		`{}`, `[]`, `{"a":1}`, long, `"` + long + `"`, `{"a":"` + long + `","b":{"c":["` + long + `",[],{},1,true,null]}}`,
		`[[["` + long + `"]]]`, `{"\"{":"` + long + `\\","[,":"}],\""}`, `{"a":"` + long + `", "b":1}`, `{"a":[1, 2, {"b": "` + long + `"}] , "c" :2}`, `{"a":"` + long + `"`, "[" + strings.Repeat("1,", 200) + "1]",
		`{"jsonrpc":"2.0","id":1,"result":{` + strings.Repeat(`"name":{"a":[1,2]},`, 20) + `"last":0}}`,
	} {
		text := formatMessage("<", message)
		if got := joinMessage(strings.TrimPrefix(text, "< ")); got != message {
			t.Errorf("%s\nis read as\n%s\nwant\n%s", text, got, message)
		}
		for i, line := range strings.Split(text, "\n") {
			if i > 0 && !strings.HasPrefix(line, " ") {
				t.Errorf("line %d of\n%s\ndoes not begin with a space", i+1, text)
			}
			if len(line) > maxLine && json.Valid([]byte(message)) && !strings.Contains(line, long) && !strings.Contains(message, ", ") {
				t.Errorf("line %d of\n%s\nis long", i+1, text)
			}
		}
	}
}
