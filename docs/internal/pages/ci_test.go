package pages_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var (
	listedStep = regexp.MustCompile(`(?m)^  ([a-z0-9]+) +\S`)
	ciRun      = regexp.MustCompile(`\.ci/run ([a-z0-9 ${}.]+)`)
	usedAction = regexp.MustCompile(`uses: (\S+)(.*)`)
	pinned     = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40}$`)
	actionTag  = regexp.MustCompile(`^ # v\d+\.\d+\.\d+$`)
)

// workflows returns the text of every workflow by the name of its file.
func workflows(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root(t), ".github", "workflows", "*.yml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no workflows: %v", err)
	}
	texts := make(map[string]string, len(files))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(file)] = string(data)
	}
	return texts
}

// TestWorkflowsRunEveryStep compares the steps of .ci/run with the steps that the workflows run, as
// words of a matrix or of a command.
func TestWorkflowsRunEveryStep(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip(".ci/run is a shell script")
	}
	cmd := exec.Command(filepath.Join(root(t), ".ci", "run"), "-list")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	merge, night, ok := strings.Cut(string(out), "at night:\n")
	if !ok {
		t.Fatalf(".ci/run -list printed\n%s", out)
	}
	texts := workflows(t)
	for file, list := range map[string]string{"ci.yml": merge, "nightly.yml": night} {
		words := strings.FieldsFunc(texts[file], func(r rune) bool { return strings.ContainsRune(" \n[],", r) })
		steps := listedStep.FindAllStringSubmatch(list, -1)
		if len(steps) < 3 {
			t.Errorf("only %d steps for %s in\n%s", len(steps), file, list)
		}
		for _, step := range steps {
			if !slices.Contains(words, step[1]) {
				t.Errorf("%s does not run the step %s", file, step[1])
			}
		}
	}
	for _, name := range append(ciSteps(t, "CONTRIBUTING.md"), ciSteps(t, ".github/pull_request_template.md")...) {
		if !regexp.MustCompile(`(?m)^  ` + name + ` `).Match(out) {
			t.Errorf("a document names the step %s, which .ci/run does not have", name)
		}
	}
}

// ciSteps returns the names of steps in the commands of a document.
func ciSteps(t *testing.T, document string) []string {
	t.Helper()
	var names []string
	for _, m := range ciRun.FindAllStringSubmatch(read(t, document), -1) {
		names = append(names, strings.Fields(m[1])...)
	}
	return names
}

// TestActionsArePinned requires a commit for each action, with its version beside it: a tag can be
// moved.
func TestActionsArePinned(t *testing.T) {
	for file, text := range workflows(t) {
		used := usedAction.FindAllStringSubmatch(text, -1)
		if len(used) == 0 {
			t.Errorf("%s uses no action", file)
		}
		for _, m := range used {
			if !pinned.MatchString(m[1]) || !actionTag.MatchString(m[2]) {
				t.Errorf("%s: %s: want OWNER/NAME@COMMIT # vX.Y.Z", file, strings.TrimSpace(m[0]))
			}
		}
	}
}

// TestDependabotCoversEveryModule compares the folders of dependabot.yml with the go.mod and
// package.json files of the repository.
func TestDependabotCoversEveryModule(t *testing.T) {
	config := read(t, ".github/dependabot.yml")
	var folders []string
	for _, m := range regexp.MustCompile(`(?m)^      - (/\S*)$`).FindAllStringSubmatch(config, -1) {
		folders = append(folders, m[1])
	}
	var found []string
	err := filepath.WalkDir(root(t), func(path string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", "testdata", "node_modules", "out"}, entry.Name()):
			return filepath.SkipDir
		case entry.Name() == "go.mod" || entry.Name() == "package.json":
			dir, err := filepath.Rel(root(t), filepath.Dir(path))
			if err != nil {
				return err
			}
			found = append(found, strings.TrimSuffix("/"+filepath.ToSlash(dir), "."))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(folders)
	slices.Sort(found)
	if !slices.Equal(folders, found) {
		t.Errorf("dependabot.yml has\n%v\nthe repository\n%v", folders, found)
	}
}
