package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

// TestLinks follows the links between the documents, headings included.
func TestLinks(t *testing.T) {
	top, err := filepath.Glob("../*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	followed := 0
	for _, page := range slices.Concat(top, pages) {
		for _, m := range link.FindAllStringSubmatch(outsideBlocks(t, page), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			followed++
			path, anchor, _ := strings.Cut(m[1], "#")
			target := filepath.Join(filepath.Dir(page), path)
			if path == "" {
				target = page
			}
			switch _, err := os.Stat(target); {
			case err != nil:
				t.Errorf("%s: %s: %v", page, m[1], err)
			case anchor != "" && !slices.Contains(anchors(outsideBlocks(t, target)), anchor):
				t.Errorf("%s: %s has no heading %s", page, target, anchor)
			}
		}
	}
	if followed < 20 {
		t.Errorf("there are %d links only", followed)
	}
}

// TestEveryPageIsListed compares the list of the README with the existing pages.
func TestEveryPageIsListed(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	_, list, _ := strings.Cut(outsideBlocks(t, "../README.md"), "## Documentation\n")
	for _, page := range pages {
		if !strings.Contains(list, "](docs/"+page+")") {
			t.Errorf("the README does not list docs/%s", page)
		}
	}
}

// outsideBlocks returns a document without its fenced blocks.
func outsideBlocks(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	inside := false
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			inside = !inside
		} else if !inside {
			b.WriteString(line)
		}
	}
	return b.String()
}

// anchors are those that GitHub gives the headings of a document.
func anchors(document string) []string {
	var all []string
	for _, m := range heading.FindAllStringSubmatch(document, -1) {
		all = append(all, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', r >= '0' && r <= '9', r >= 'a' && r <= 'z':
				return r
			}
			return -1
		}, strings.ToLower(m[1])))
	}
	return all
}
