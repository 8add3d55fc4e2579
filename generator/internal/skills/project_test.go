package skills_test

import (
	"io/fs"
	"os"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/skills"
)

// TestProject checks the skills of this repository by the rules for everyone's.
func TestProject(t *testing.T) {
	root := os.DirFS("../../..")
	var names []string
	err := fs.WalkDir(root, "skills", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	tree, problems := skills.Read(root, names, "skills")
	for _, p := range problems {
		if p.Rule == skills.RuleFiles {
			continue // a checkout may have other line ends: nothing embeds these files
		}
		t.Errorf("%s:%d:%d: %s\n\thint: %s", p.File, p.Line, p.Column, p.Message, p.Hint)
	}
	var found []string
	for _, s := range tree.Skills {
		found = append(found, s.Path)
	}
	if want := []string{"port-a-server", "review-a-contract", "write-a-server"}; !slices.Equal(found, want) {
		t.Errorf("the skills are %q, want %q", found, want)
	}
}
