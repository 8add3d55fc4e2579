package pages_test

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// TestGuide follows the guide: it writes the files, runs the commands, and compares their output
// with the guide.
func TestGuide(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a POSIX shell")
	}
	s := newShell(t)
	files, printed := 0, 0
	var output strings.Builder // of the last block of commands
	for _, b := range fenced(read(t, "docs/start/guide.md")) {
		switch {
		case b.file != "":
			file := filepath.Join(s.dir, b.file)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(b.text), 0o644); err != nil {
				t.Fatal(err)
			}
			files++
		case b.language == "text":
			if got := columns(output.String()); got != columns(b.text) {
				t.Errorf("docs/start/guide.md:%d: it says\n%s\nbut the commands print\n%s", b.line, b.text, output.String())
			}
			printed++
		case b.language == "sh":
			output.Reset()
			for line := range strings.Lines(b.text) {
				s.follow(&output, strings.TrimSpace(line))
			}
		}
	}
	if files < 6 || printed < 4 {
		t.Errorf("the guide has %d files and shows %d outputs", files, printed)
	}
}

// published runs new in a directory without a module.
const published = "go run github.com/mcpgen/mcpgen/cmd/mcpgen@latest new"

// follow runs a line of commands, and records its output.
func (s *shell) follow(output *strings.Builder, line string) {
	s.t.Helper()
	switch {
	case strings.HasPrefix(line, "go get -tool "):
		s.install(root(s.t))
	case strings.HasPrefix(line, published): // as a module without a version
		s.must("", "'"+s.tool+"' new -replace '"+root(s.t)+"'"+strings.TrimPrefix(line, published))
	case strings.Contains(line, " doctor "):
		if out := s.must("", s.apart(line)); !strings.Contains(out, "ok     check ") {
			s.t.Errorf("%s printed\n%s", line, out)
		}
	case strings.Contains(line, "install ") || strings.Contains(line, " status"):
		out := s.must("", s.apart(line))
		if strings.Contains(line, " status") && !strings.Contains(out, " answers ") {
			s.t.Errorf("%s printed\n%s", line, out)
		}
	case strings.Contains(line, " -http "):
		const want = `"structuredContent":[{"id":1,"text":"Water the plants","tags":["home"]}]`
		if out := s.callOverHTTP(line, "search_notes", `{"query":"plants"}`); !strings.Contains(out, want) {
			s.t.Errorf("%s answered\n%s", line, out)
		}
	case strings.Contains(line, "colour=red"): // refused values
		out, errs, err := s.run("", line)
		if err == nil {
			s.t.Errorf("%s succeeds", line)
		}
		output.WriteString(out + errs)
	default:
		out := s.must("", line)
		output.WriteString(strings.TrimSuffix(out, "\n") + "\n")
	}
}

// fence is a fenced block of a document.
type fence struct {
	line           int // of its first fence
	language, text string
	// file is its name, if the text before it ends with one.
	file string
}

// fileName matches the text before a block that names its file: "This is `main.go`:", or "`main.go`
// does this:".
var fileName = regexp.MustCompile("(?:This is\\s+|^)`([a-z_/]+\\.go)`[^`]*:$")

// fenced returns the fenced blocks of a document.
func fenced(document string) []fence {
	var blocks []fence
	var paragraph string // the one before the block
	open := false
	for i, line := range strings.Split(document, "\n") {
		language, isFence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case isFence && open:
			open = false
		case isFence:
			open = true
			b := fence{line: i + 1, language: language}
			if m := fileName.FindStringSubmatch(strings.Join(strings.Fields(paragraph), " ")); m != nil && language == "go" {
				b.file = m[1]
			}
			blocks = append(blocks, b)
			paragraph = ""
		case open:
			last := &blocks[len(blocks)-1]
			last.text += line + "\n"
		case line != "":
			paragraph += line + "\n"
		case !open && strings.HasSuffix(strings.TrimSpace(paragraph), ":"):
			// The block follows.
		default:
			paragraph = ""
		}
	}
	return blocks
}

// columns makes tables equal that differ only in column widths.
func columns(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.Join(strings.Fields(line), " ") + "\n")
	}
	return strings.TrimSpace(b.String())
}
