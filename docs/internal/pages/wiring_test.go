package pages_test

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

var linkedFile = regexp.MustCompile(`\]\(\.\./\.\./(examples/wiring/[a-z]+/[a-z]+\.go)\)`)

// TestWiring compares the blocks of Go of the page about wiring with the files that the text before
// them links to, which are compiled and tested there.
func TestWiring(t *testing.T) {
	page := read(t, "docs/write/wiring.md")
	from, compared := "", 0
	rest := page
	for {
		before, after, found := strings.Cut(rest, "```go\n")
		if !found {
			break
		}
		text, after, _ := strings.Cut(after, "```")
		if links := linkedFile.FindAllStringSubmatch(before, -1); links != nil {
			from = links[len(links)-1][1]
		}
		rest = after
		if from == "" {
			continue // of no file
		}
		compared++
		if !strings.Contains(read(t, from), text) {
			t.Errorf("%s does not have\n%s", path.Base(from), text)
		}
	}
	if compared < 10 {
		t.Errorf("%d blocks are of the example", compared)
	}
}
