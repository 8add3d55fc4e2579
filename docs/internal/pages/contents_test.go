package pages_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// longPage is the number of lines above which a page begins with its contents.
const longPage = 400

var section = regexp.MustCompile(`(?m)^## (.+)$`)

// TestContents compares the contents of long pages with their headings.
func TestContents(t *testing.T) {
	const begin, end = "<!-- contents -->\n", "<!-- end of contents -->\n"
	found := 0
	for _, name := range documents(t, "docs") {
		page := read(t, name)
		before, rest, ok := strings.Cut(page, begin)
		_, after, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			if n := strings.Count(page, "\n"); n > longPage {
				t.Errorf("%s has %d lines and no contents: write the lines\n%s%sbelow its first paragraph, and run go test ./docs/internal/pages -run Contents -update", name, n, begin, end)
			}
			continue
		}
		found++
		var links []string
		for _, m := range section.FindAllStringSubmatch(outsideBlocks(after), -1) {
			links = append(links, fmt.Sprintf("[%s](#%s)", strings.ReplaceAll(m[1], "`", ""), anchors(m[0])[0]))
		}
		want := before + begin + strings.Join(links, " ·\n") + "\n" + end + after
		if *update {
			if err := os.WriteFile(filepath.Join(root(t), name), []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if page != want {
			t.Errorf("the contents of %s are not current: go test ./docs/internal/pages -run Contents -update", name)
		}
	}
	if found < 5 {
		t.Errorf("%d pages have contents", found)
	}
}
