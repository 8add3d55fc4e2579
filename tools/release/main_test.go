package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A small repository with the layout of this one.
var small = map[string]string{
	"go.mod":              "module example.com/m\n\ngo 1.26\n",
	"api/api.go":          "package api\n\nfunc Old() {}\n",
	"internal/own/own.go": "package own\n\nfunc Own() {}\n",
	"cmd/m/main.go":       "package main\n\nfunc main() {}\n",
	"examples/go.mod":     "module example.com/m/examples\n\ngo 1.26\n\nrequire example.com/m v0.1.0\n\nreplace example.com/m => ../\n",
	"examples/example.go": "package examples\n\nimport \"example.com/m/api\"\n\nvar _ = api.Old\n",
	"CHANGELOG.md":        "# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-11-22\n\n- All.\n\n[0.1.0]: https://example.com\n",
}

// repository is a git repository in a temporary folder.
type repository struct {
	t   *testing.T
	dir string
}

// released contains the modules of this repository that are released.
var released = slices.Clone(nested)

// newRepository returns a repository with the root module and examples.
func newRepository(t *testing.T) repository {
	t.Helper()
	nested = []string{"examples"}
	t.Cleanup(func() { nested = released })
	t.Setenv("GOFLAGS", "-mod=readonly")
	t.Setenv("GOPROXY", "off")
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "Test")
		t.Setenv("GIT_"+who+"_EMAIL", "test@example.com")
	}
	r := repository{t, t.TempDir()}
	r.git("init", "--quiet", "--initial-branch=main")
	for name, text := range small {
		r.write(name, text)
	}
	r.commit()
	return r
}

func (r repository) git(args ...string) string {
	r.t.Helper()
	out, err := command(r.dir, "git", args...)
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

func (r repository) write(name, text string) {
	r.t.Helper()
	name = filepath.Join(r.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// edit replaces a text in a file. The text must occur in the file.
func (r repository) edit(name, old, new string) {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil {
		r.t.Fatal(err)
	}
	if !strings.Contains(string(data), old) {
		r.t.Fatalf("%s has no %q", name, old)
	}
	r.write(name, strings.Replace(string(data), old, new, 1))
}

func (r repository) commit() {
	r.t.Helper()
	r.git("add", "--all")
	r.git("commit", "--quiet", "--message", "change")
}

// run returns the output of the command, and its error as text.
func (r repository) run(args ...string) (string, string) {
	r.t.Helper()
	var out strings.Builder
	if err := run(filepath.Join(r.dir, "examples"), args, &out); err != nil {
		return out.String(), err.Error()
	}
	return out.String(), ""
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name, version string
		change        func(repository)
		want          string
	}{
		{"ready", "v0.1.0", func(repository) {}, ""},
		{"not a version", "0.1.0", func(repository) {}, "it is not a version vX.Y.Z of example.com/m"},
		{"short version", "v0.1", func(repository) {}, "it is not a version vX.Y.Z"},
		{"build metadata", "v0.1.0+linux", func(repository) {}, "it is not a version vX.Y.Z"},
		{"another major version", "v2.0.0", func(repository) {}, "it is not a version vX.Y.Z of example.com/m"},
		{"changed file", "v0.1.0", func(r repository) { r.write("api/api.go", "package api\n\nfunc Old() {}\n\nfunc New() {}\n") }, "not committed:\nM api/api.go"},
		{"new file", "v0.1.0", func(r repository) { r.write("new.txt", "") }, "not committed:\n?? new.txt"},
		{"tagged", "v0.1.0", func(r repository) { r.git("tag", "examples/v0.1.0") }, "there are tags already: examples/v0.1.0"},
		{"no section", "v0.2.0", func(r repository) {
			r.edit("examples/go.mod", "m v0.1.0", "m v0.2.0")
			r.commit()
		}, `CHANGELOG.md needs a section "## [0.2.0] - YYYY-MM-DD"`},
		{"empty section", "v0.1.0", func(r repository) {
			r.edit("CHANGELOG.md", "- All.\n", "")
			r.commit()
		}, "CHANGELOG.md needs a section"},
		{"no date", "v0.1.0", func(r repository) {
			r.edit("CHANGELOG.md", "2026-11-22", "soon")
			r.commit()
		}, "CHANGELOG.md needs a section"},
		{"unreleased changes", "v0.1.0", func(r repository) {
			r.edit("CHANGELOG.md", "## [Unreleased]\n", "## [Unreleased]\n\n- Another.\n")
			r.commit()
		}, "below an empty Unreleased"},
		{"no link", "v0.1.0", func(r repository) {
			r.edit("CHANGELOG.md", "[0.1.0]: https://example.com\n", "")
			r.commit()
		}, `a line "[0.1.0]: URL"`},
		{"no changelog", "v0.1.0", func(r repository) {
			r.git("rm", "--quiet", "CHANGELOG.md")
			r.commit()
		}, "CHANGELOG.md"},
		{"requirement", "v0.1.0", func(r repository) {
			r.edit("examples/go.mod", "m v0.1.0", "m v0.0.0")
			r.commit()
		}, "examples/go.mod does not require v0.1.0; in examples: go mod edit -require=example.com/m@v0.1.0"},
		{"untidy", "v0.1.0", func(r repository) {
			r.edit("examples/example.go", "import \"example.com/m/api\"\n\nvar _ = api.Old\n", "")
			r.commit()
		}, "examples/go.mod is not tidy"},
		{"untidy, and not released", "v0.2.0", func(r repository) {
			r.write("bench/go.mod", "module example.com/m/bench\n\ngo 1.26\n\nrequire (\n\texample.com/m v0.1.0\n\texample.com/m/examples v0.1.0\n)\n\n"+
				"replace (\n\texample.com/m => ../\n\texample.com/m/examples => ../examples\n)\n")
			r.write("bench/bench.go", "package bench\n\nimport (\n\t_ \"example.com/m/api\"\n\t_ \"example.com/m/examples\"\n)\n")
			r.edit("examples/go.mod", "m v0.1.0", "m v0.2.0") // bench requires both
			r.commit()
		}, "bench/go.mod is not tidy"},
		{"untidy testdata", "v0.1.0", func(r repository) {
			r.write("api/testdata/go.mod", "module example.com/old\n\ngo 1.26\n\nrequire example.com/m v0.1.0\n")
			r.commit()
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRepository(t)
			c.change(r)
			out, failure := r.run("check", c.version)
			if (c.want == "") != (failure == "") || !strings.Contains(failure, c.want) {
				t.Errorf("printed\n%sfailed with %q, want %q", out, failure, c.want)
			}
			if tags := r.git("tag", "--list", "v*"); tags != "" {
				t.Errorf("check made the tags %s", tags)
			}
		})
	}
}

// TestAllProblems checks several problems at the same time.
func TestAllProblems(t *testing.T) {
	r := newRepository(t)
	r.write("new.txt", "")
	r.write("CHANGELOG.md", "")
	_, failure := r.run("tag", "v0.3.0")
	for _, want := range []string{"v0.3.0 cannot be released:\n", "not committed", "CHANGELOG.md", "does not require"} {
		if !strings.Contains(failure, want) {
			t.Errorf("no %q in: %s", want, failure)
		}
	}
	if tags := r.git("tag"); tags != "" {
		t.Errorf("tagged %s", tags)
	}
}

func TestTag(t *testing.T) {
	r := newRepository(t)
	out, failure := r.run("tag", "v0.1.0")
	if failure != "" || !strings.Contains(out, "git push --atomic origin examples/v0.1.0\n\tgit push origin v0.1.0\n") {
		t.Fatalf("%s\n%s", out, failure)
	}
	if tags := strings.Fields(r.git("tag")); !slices.Equal(tags, []string{"examples/v0.1.0", "v0.1.0"}) {
		t.Errorf("tags %v", tags)
	}
	head := r.git("rev-parse", "HEAD")
	for _, tag := range strings.Fields(r.git("tag")) {
		if commit := r.git("rev-parse", tag+"^{commit}"); commit != head {
			t.Errorf("%s is at %s, HEAD at %s", tag, commit, head)
		}
	}
	if _, failure := r.run("tag", "v0.1.0"); !strings.Contains(failure, "there are tags already") {
		t.Errorf("tagged again: %q", failure)
	}
}

// TestAPI compares the exported API after a first release.
func TestAPI(t *testing.T) {
	const (
		removed = "package api\n\nfunc New() {}\n"
		added   = "package api\n\nfunc Old() {}\n\nfunc New() {}\n"
		hidden  = "package api\n\nfunc Old() {}\n\nfunc unexported() {}\n\nvar _ = unexported\n"
	)
	for _, c := range []struct{ name, first, next, source, want string }{
		{"removed, patch version", "v0.1.0", "v0.1.1", removed, "the step from v0.1.0 to v0.1.1 is too small for the changes of the exported API, such as ./api.Old: removed"},
		{"removed, minor version before v1", "v0.1.0", "v0.2.0", removed, ""},
		{"added, patch version before v1", "v0.1.0", "v0.1.1", added, ""},
		{"removed, minor version", "v1.0.0", "v1.1.0", removed, "the step from v1.0.0 to v1.1.0 is too small"},
		{"added, patch version", "v1.0.0", "v1.0.1", added, "such as ./api.New: added"},
		{"added, minor version", "v1.0.0", "v1.1.0", added, ""},
		{"unexported, patch version", "v1.0.0", "v1.0.1", hidden, ""},
		{"removed for v1", "v0.1.0", "v1.0.0", removed, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRepository(t)
			r.edit("CHANGELOG.md", "## [0.1.0]", "## ["+c.first[1:]+"]")
			r.edit("CHANGELOG.md", "\n[0.1.0]", "\n["+c.first[1:]+"]")
			r.edit("examples/go.mod", "v0.1.0", c.first)
			r.git("commit", "--quiet", "--all", "--allow-empty", "--message", "first")
			if _, failure := r.run("tag", c.first); failure != "" {
				t.Fatal(failure)
			}
			r.git("tag", "v0.0.9")        // lower than the last one
			r.git("tag", "v0.1.0-rc.1")   // promises nothing
			r.git("tag", "vendor-import") // another kind of tag
			r.write("api/api.go", c.source)
			r.write("internal/own/own.go", "package own\n")
			r.edit("examples/example.go", "import \"example.com/m/api\"\n\nvar _ = api.Old\n", "import _ \"example.com/m/api\"\n")
			number := c.next[1:]
			r.edit("CHANGELOG.md", "## [Unreleased]\n", "## [Unreleased]\n\n## ["+number+"] - 2026-11-23\n\n- More.\n\n["+number+"]: https://example.com\n")
			r.edit("examples/go.mod", c.first, c.next)
			r.commit()
			out, failure := r.run("check", c.next)
			if (c.want == "") != (failure == "") || !strings.Contains(failure, c.want) {
				t.Errorf("printed\n%sfailed with %q, want %q", out, failure, c.want)
			}
			if !strings.Contains(out, "exported API since "+c.first) {
				t.Errorf("printed\n%s", out)
			}
		})
	}
}

// TestModulesAreKnown requires a decision about every module of the repository.
func TestModulesAreKnown(t *testing.T) {
	// These are useful only in a clone.
	known := append([]string{".", "bench", "bench/replicas", "conformance/skillclient", "corpus", "corpus/generated/tools", "corpus/huma", "corpus/types", "examples/huma", "examples/kubernetes", "examples/observed", "examples/policy", "examples/replicas", "generator/internal/protofile/oracle", "interop", "tools", "tools/golangci-lint", "tools/mutate"}, nested...)
	top, err := command(".", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		t.Fatal(err)
	}
	files, err := command(strings.TrimSpace(top), "git", "ls-files", "go.mod", "*/go.mod", ":(exclude,glob)**/testdata/**")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range strings.Fields(files) {
		found = append(found, filepath.ToSlash(filepath.Dir(file)))
	}
	slices.Sort(known)
	slices.Sort(found)
	if !slices.Equal(known, found) {
		t.Errorf("the repository has the modules\n%v\nknown are\n%v", found, known)
	}
}
