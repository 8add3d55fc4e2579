// Package examples_test compares the table of README.md with the examples.
package examples_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// longest limits the lines of a small example and its test together, without the generated file.
const longest = 120

var row = regexp.MustCompile("(?m)^\\| \\[(\\w+)\\]\\((\\w+)\\) \\| \\S.* \\| `(.*)` \\|$")

func TestREADME(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed, found []string
	for _, m := range row.FindAllStringSubmatch(string(readme), -1) {
		name, folder, command := m[1], m[2], m[3]
		if name != folder || !strings.Contains(command, " ./"+name) {
			t.Errorf("row %s: links to %s, and is tried by %s", name, folder, command)
		}
		listed = append(listed, name)
	}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !entry.IsDir() || strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata" {
			continue
		}
		found = append(found, entry.Name())
		if main, err := os.ReadFile(filepath.Join(entry.Name(), "main.go")); err == nil {
			small(t, entry.Name(), main)
		}
	}
	slices.Sort(listed)
	if !slices.Equal(listed, found) {
		t.Errorf("README.md lists\n%v\nthe folder has\n%v", listed, found)
	}
}

// small checks an example that consists of one program about one subject.
func small(t *testing.T, name string, main []byte) {
	test, err := os.ReadFile(filepath.Join(name, "main_test.go"))
	if err != nil {
		t.Error(err)
	}
	if lines := bytes.Count(main, []byte("\n")) + bytes.Count(test, []byte("\n")); lines > longest {
		t.Errorf("%s has %d lines with its test, want at most %d", name, lines, longest)
	}
	doc, _, _ := strings.Cut(string(main), "\npackage main\n")
	if !regexp.MustCompile(`(?m)^//\t(\w+=\S+ )?go run (-C )?\./` + name + `\b`).MatchString(doc) {
		t.Errorf("the comment of %s has no line with go run ./%[1]s", name)
	}
	generates := bytes.Contains(main, []byte("\n//go:generate go tool mcpgen\n"))
	if generates != bytes.Contains(main, []byte("\n//mcp:")) {
		t.Errorf("%s has directives and no line for go generate, or the other way round", name)
	}
	if _, err := os.Stat(filepath.Join(name, "mcp_gen.go")); (err == nil) != generates {
		t.Errorf("%s: generated file: %v", name, err)
	}
}
