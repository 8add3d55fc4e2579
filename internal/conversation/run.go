package conversation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"golang.org/x/tools/txtar"
)

// Run plays each section of the txtar files in a folder, once for each of its variants, as a
// subtest in a bubble of testing/synctest. The function play returns the conversation as it went,
// which must be the script itself; if update is true, it replaces the script in the file.
func Run(t *testing.T, folder string, update bool, variants func(section string) []string, play func(t *testing.T, section, variant, script string) string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations in %s: %v", folder, err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		changed := false
		for i := range archive.Files {
			section := &archive.Files[i]
			for _, variant := range variants(section.Name) {
				t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+section.Name+"/"+variant, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						switch got := play(t, section.Name, variant, string(section.Data)); {
						case got == string(section.Data):
						case update:
							section.Data, changed = []byte(got), true
						default:
							t.Errorf("the conversation went otherwise:\n%s\nwanted:\n%s", got, section.Data)
						}
					})
				})
			}
		}
		if changed {
			if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}
