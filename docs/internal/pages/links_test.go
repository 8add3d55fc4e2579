package pages_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	element = regexp.MustCompile(`<a id="([^"]+)">`)
)

// groups are the folders of docs, each with an index.
var groups = []string{"start", "write", "serve", "call", "decide", "internals"}

// TestLinks follows the links between the documents of the repository, headings included.
func TestLinks(t *testing.T) {
	followed := 0
	for _, page := range documents(t, ".") {
		text := outsideBlocks(read(t, page))
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			followed++
			name, anchor, _ := strings.Cut(m[1], "#")
			target := path.Join(path.Dir(page), name)
			if name == "" {
				target = page
			}
			switch _, err := os.Stat(filepath.Join(root(t), target)); {
			case err != nil:
				t.Errorf("%s: %s: %v", page, m[1], err)
			case path.Dir(target) == "docs" && target != "docs/README.md" && path.Ext(target) == ".md":
				t.Errorf("%s: %s has moved: link to its new place", page, target)
			case anchor != "" && !slices.Contains(anchors(outsideBlocks(read(t, target))), anchor):
				t.Errorf("%s: %s has no heading %s", page, target, anchor)
			}
		}
	}
	if followed < 200 {
		t.Errorf("there are %d links only", followed)
	}
}

// TestIndexes: docs/README.md and the index of its group link to each page, and the README of the
// repository links to each group except the one for contributors.
func TestIndexes(t *testing.T) {
	all := read(t, "docs/README.md")
	for _, group := range groups {
		index := read(t, path.Join("docs", group, "README.md"))
		for _, page := range documents(t, "docs/"+group) {
			name := path.Base(page)
			if !strings.Contains(all, "]("+group+"/"+name+")") {
				t.Errorf("docs/README.md does not list %s: add a line that says what a user finds there", page)
			}
			if name != "README.md" && !strings.Contains(index, "]("+name+")") {
				t.Errorf("docs/%s/README.md does not list %s: add a line that says what a user finds there", group, page)
			}
		}
		if group != "internals" && !strings.Contains(read(t, "README.md"), "](docs/"+group+"/") {
			t.Errorf("the README does not link to a page of docs/%s", group)
		}
	}
	if entries, err := os.ReadDir(filepath.Join(root(t), "docs")); err != nil {
		t.Fatal(err)
	} else {
		for _, entry := range entries {
			if entry.IsDir() && entry.Name() != "internal" && !slices.Contains(groups, entry.Name()) {
				t.Errorf("docs/%s has no index", entry.Name())
			}
		}
	}
}

// TestTwoClicks: at most two links lead from the README of the repository to any page for users.
func TestTwoClicks(t *testing.T) {
	near := map[string]bool{"README.md": true}
	for range 2 {
		for _, page := range slices.Collect(maps.Keys(near)) {
			if path.Ext(page) != ".md" {
				continue
			}
			for _, m := range link.FindAllStringSubmatch(outsideBlocks(read(t, page)), -1) {
				name, _, _ := strings.Cut(m[1], "#")
				if target := path.Join(path.Dir(page), name); !strings.Contains(name, "://") && strings.HasPrefix(target, "docs/") {
					near[target] = true
				}
			}
		}
	}
	for _, group := range groups[:len(groups)-1] {
		for _, page := range documents(t, "docs/"+group) {
			if !near[page] {
				t.Errorf("%s is more than two links from the README", page)
			}
		}
	}
}

// TestOldPaths: a page that has moved leaves one line that links to the new one, and no file but
// the changelog names the old path.
func TestOldPaths(t *testing.T) {
	moved := regexp.MustCompile(`\AThis page has moved: \[.+\]\((` + strings.Join(groups, "|") + `)/(README|[a-z-]+)\.md(#[a-z-]+)?\)\.\n\z`)
	var old []string
	for _, page := range documents(t, "docs") {
		if path.Dir(page) != "docs" || page == "docs/README.md" {
			continue
		}
		old = append(old, page)
		if !moved.MatchString(read(t, page)) {
			t.Errorf("%s is not in a group: move it there, and leave the line %q", page,
				fmt.Sprintf("This page has moved: [TITLE](GROUP/%s).", path.Base(page)))
		}
	}
	for _, name := range files(t, ".", ".go", ".md", ".txt", ".txtar", ".yml", ".sh", "") {
		if name == "CHANGELOG.md" {
			continue
		}
		text := read(t, name)
		for _, page := range old {
			if strings.Contains(text, page) {
				t.Errorf("%s names %s, which has moved", name, page)
			}
		}
	}
}

// documents returns the Markdown files in a folder and below it, except test inputs.
func documents(t *testing.T, folder string) []string {
	t.Helper()
	return files(t, folder, ".md")
}

// files returns the files of a folder and below it with one of the extensions, but for inputs of
// tests and what npm installs.
func files(t *testing.T, folder string, extensions ...string) []string {
	t.Helper()
	var names []string
	err := fs.WalkDir(os.DirFS(root(t)), folder, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && name != "."):
			return fs.SkipDir
		case d.Type().IsRegular() && slices.Contains(extensions, path.Ext(name)):
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		t.Fatalf("%s has no files with the extensions %q", folder, extensions)
	}
	return names
}

// outsideBlocks returns a document without its fenced blocks.
func outsideBlocks(document string) string {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(document) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			inside = !inside
		} else if !inside {
			b.WriteString(line)
		}
	}
	return b.String()
}

// anchors returns the anchors that GitHub gives the headings of a document, and the HTML anchors of
// the document.
func anchors(document string) []string {
	var all []string
	for _, m := range element.FindAllStringSubmatch(document, -1) {
		all = append(all, m[1])
	}
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
