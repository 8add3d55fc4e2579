// Command release checks that a version can be released, tags it, and builds what is published with
// it.
//
//	cd tools
//	go run ./release check v0.1.0
//	go run ./release tag v0.1.0
//	go run ./release build v0.1.0 ../dist
//
// tag checks the version first. It pushes nothing. build writes archives of the command, a
// container image, a formula of Homebrew and checksums: the same commit and version of Go give the
// same bytes. RELEASE.md describes all steps.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// nested are the folders of the modules that are released together with the root module, because
// users import or run their packages. The tag of a nested module begins with its folder:
// examples/v0.1.0.
var nested = []string{"examples", "runtime/adapter/gosdk", "runtime/adapter/mcpgo", "runtime/mcpnats", "runtime/mcpotel", "runtime/mcpskillclient", "runtime/mcpsqlite"}

func main() {
	if err := run(".", os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run executes the command in the repository that contains a folder.
func run(dir string, args []string, out io.Writer) error {
	if len(args) < 2 || len(args) != map[string]int{"check": 2, "tag": 2, "build": 3}[args[0]] {
		return errors.New("usage: release check|tag vX.Y.Z\n       release build vX.Y.Z FOLDER")
	}
	top, err := command(dir, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	r := &release{dir: strings.TrimSpace(top), version: args[1], out: out}
	if args[0] == "build" {
		if !filepath.IsAbs(args[2]) {
			args[2] = filepath.Join(dir, args[2])
		}
		return r.build(args[2], r.compile, platforms)
	}
	if err := r.check(); err != nil {
		return fmt.Errorf("%s cannot be released:\n%w", r.version, err)
	}
	if args[0] == "check" {
		fmt.Fprintf(out, "%s can be released\n", r.version)
		return nil
	}
	return r.tag()
}

// release is one version of the repository in a folder.
type release struct {
	dir, version string
	out          io.Writer
}

// check returns all problems of the release.
func (r *release) check() error {
	root, err := command(r.dir, "go", "list", "-m")
	if err != nil {
		return err
	}
	root = strings.TrimSpace(root)
	_, major, _ := module.SplitPathVersion(root)
	if semver.Canonical(r.version) != r.version || module.CheckPathMajor(r.version, major) != nil {
		return fmt.Errorf("it is not a version vX.Y.Z of %s", root)
	}
	problems := []error{r.newTags(), r.cleanTree(), r.changelog()}
	for _, folder := range nested {
		problems = append(problems, r.requirement(folder, root))
	}
	return errors.Join(append(problems, r.tidy(), r.api())...)
}

// tags returns the tags of the version, beginning with the root module's.
func (r *release) tags() []string {
	tags := []string{r.version}
	for _, folder := range nested {
		tags = append(tags, folder+"/"+r.version)
	}
	return tags
}

func (r *release) newTags() error {
	found, err := command(r.dir, "git", append([]string{"tag", "--list"}, r.tags()...)...)
	if err == nil && found != "" {
		err = fmt.Errorf("there are tags already: %s", strings.Join(strings.Fields(found), ", "))
	}
	return err
}

func (r *release) cleanTree() error {
	changes, err := command(r.dir, "git", "status", "--porcelain")
	if err == nil && changes != "" {
		err = fmt.Errorf("there are changes that are not committed:\n%s", strings.TrimSpace(changes))
	}
	return err
}

// changelog requires a section for the version below an empty section for unreleased changes, and a
// link for its heading.
func (r *release) changelog() error {
	data, err := os.ReadFile(filepath.Join(r.dir, "CHANGELOG.md"))
	number := strings.TrimPrefix(r.version, "v")
	section := regexp.MustCompile(`\n## \[Unreleased\]\s*\n## \[` + regexp.QuoteMeta(number) + `\] - \d{4}-\d\d-\d\d\n\s*(### |[^\s#\[])`)
	if err == nil && (!section.Match(data) || !strings.Contains(string(data), "\n["+number+"]: ")) {
		err = fmt.Errorf("CHANGELOG.md needs a section \"## [%s] - YYYY-MM-DD\" that is not empty, below an empty Unreleased, and a line \"[%[1]s]: URL\"", number)
	}
	return err
}

// requirement checks that a nested module requires the root module at the version. In the
// repository a replace directive overrides it, which other modules ignore.
func (r *release) requirement(folder, root string) error {
	found, err := command(filepath.Join(r.dir, folder), "go", "list", "-m", "-f", "{{.Version}}", root)
	if err == nil && strings.TrimSpace(found) != r.version {
		err = fmt.Errorf("%s/go.mod does not require %s; in %[1]s: go mod edit -require=%[3]s@%[2]s", folder, r.version, root)
	}
	return err
}

// tidy checks the go.mod of every module: those that are not released require some that are, and
// need their versions too.
func (r *release) tidy() error {
	files, err := command(r.dir, "git", "ls-files", "go.mod", "*/go.mod", ":(exclude,glob)**/testdata/**")
	problems := []error{err}
	for _, file := range strings.Fields(files) {
		folder := filepath.Join(r.dir, filepath.FromSlash(filepath.Dir(file)))
		if diff, err := command(folder, "go", "mod", "tidy", "-diff"); err != nil {
			problems = append(problems, fmt.Errorf("%s is not tidy: %w\n%s", file, err, diff))
		}
	}
	return errors.Join(problems...)
}

// tag tags the commit that is checked out, and prints how to push the tags. GitHub starts no
// workflow for more than three tags in one push, so the tag that starts the release workflow is
// pushed alone. It is the last one, so that a
// release whose programs are built is complete.
func (r *release) tag() error {
	tags := r.tags()
	for _, tag := range tags {
		if _, err := command(r.dir, "git", "tag", "--annotate", "--message", tag, tag); err != nil {
			return err
		}
	}
	fmt.Fprintf(r.out, "tagged %s; publish it:\n\tgit push --atomic origin %s\n\tgit push origin %s\n",
		r.version, strings.Join(tags[1:], " "), tags[0])
	return nil
}

// command runs a program in a folder and returns its output. After a failure, the error contains
// the output. It disables workspaces.
func command(dir, name string, args ...string) (string, error) {
	return commandWith(nil, dir, name, args...)
}

// commandWith is like command with additions to the environment.
func commandWith(env []string, dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOWORK=off", "PWD="+dir), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return string(out), err
}
