// Reached prints which of the tests that .ci/run may leave out depend on changed files. It reads
// the paths of the files from standard input, one on each line, relative to the root of the
// repository:
//
//	git diff --name-only main | go run ./reached
//
// The tests are units: packages of one or more modules. A file reaches a unit if it belongs to a
// package that the unit's packages or their tests import, directly or not, or if the unit reads the
// file. A file that belongs to no package reaches every unit, unless a unit is known to read it.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// unit is a set of tests that is skipped or run as a whole.
type unit struct {
	name string
	// packages contains patterns by the folder of their module.
	packages map[string][]string
	// reads contains the files and folders that the tests read besides the files of packages. A *
	// matches the rest of a name, without slashes.
	reads []string
}

// units contains a unit for each name that .ci/run asks for.
var units = []unit{
	{
		name:     "scripts",
		packages: map[string][]string{".": {"./generator/cli", "./cmd/mcpgen"}},
		reads:    []string{"testdata/scripts"},
	},
	{
		name:     "docs",
		packages: map[string][]string{".": {"./docs/internal/...", "./cmd/mcpgen"}, "examples": {"./..."}},
		reads:    []string{"docs", "examples", ".github", "*.md"},
	},
	{
		name:     "pipeline",
		packages: map[string][]string{".": {"./generator/internal/pipeline"}},
	},
	{
		name:     "corpus",
		packages: map[string][]string{".": {"./cmd/mcpgen"}, "corpus": {"./functions", "./values", "./wrap"}, "corpus/types": {"./..."}},
		reads:    []string{"corpus"},
	},
	{
		name:     "replicas",
		packages: map[string][]string{"bench/replicas": {"./..."}},
	},
	{
		name:     "interop",
		packages: map[string][]string{".": {"./cmd/mcpgen"}, "examples": {"./..."}, "interop": {"./..."}},
		reads:    []string{"interop"},
	},
}

func main() {
	files, err := lines(os.Stdin)
	if err == nil {
		var r *repository
		if r, err = load(".."); err == nil {
			for _, name := range r.reached(files) {
				fmt.Println(name)
			}
			return
		}
	}
	fmt.Fprintln(os.Stderr, "reached:", err)
	os.Exit(2)
}

func lines(r io.Reader) ([]string, error) {
	var all []string
	s := bufio.NewScanner(r)
	for s.Scan() {
		if s.Text() != "" {
			all = append(all, s.Text())
		}
	}
	return all, s.Err()
}

// repository describes the packages of a repository. Folders are relative to its root.
type repository struct {
	// packages contains the folders with Go files.
	packages map[string]bool
	// units contains the dependencies of each unit, by name.
	units map[string]*dependencies
}

// dependencies contains the folders of packages on which a unit depends.
type dependencies struct {
	all map[string]bool
	// tested contains the folders whose tests belong to the unit: tests in other folders do not
	// reach it.
	tested map[string]bool
}

// load finds the dependencies of all units in the repository at root.
func load(root string) (*repository, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	r := &repository{units: make(map[string]*dependencies)}
	if r.packages, err = packageFolders(root); err != nil {
		return nil, err
	}
	for _, u := range units {
		if r.units[u.name], err = u.dependencies(root); err != nil {
			return nil, fmt.Errorf("%s: %w", u.name, err)
		}
	}
	return r, nil
}

// reached returns the names of the units that any of the files reaches.
func (r *repository) reached(files []string) []string {
	var names []string
	for _, u := range units {
		if slices.ContainsFunc(files, func(file string) bool { return r.reaches(file, u) }) {
			names = append(names, u.name)
		}
	}
	return names
}

func (r *repository) reaches(file string, u unit) bool {
	if reads(u, file) {
		return true
	}
	folder, ok := owner(file, r.packages)
	switch {
	case !ok:
		return !slices.ContainsFunc(units, func(other unit) bool { return reads(other, file) })
	case strings.HasSuffix(file, "_test.go") || strings.Contains(file, "/testdata/"):
		return r.units[u.name].tested[folder]
	default:
		return r.units[u.name].all[folder]
	}
}

func reads(u unit, file string) bool {
	return slices.ContainsFunc(u.reads, func(pattern string) bool {
		if ok, err := path.Match(pattern, file); ok && err == nil {
			return true
		}
		return strings.HasPrefix(file, pattern+"/")
	})
}

// owner returns the folder of the package that a file belongs to: the nearest one above it with Go
// files. The files in a testdata folder belong to the package above it.
func owner(file string, isPackage map[string]bool) (string, bool) {
	if before, _, ok := strings.Cut("/"+file, "/testdata/"); ok {
		file = strings.TrimPrefix(before, "/") + "/testdata"
	}
	for folder := path.Dir(file); ; folder = path.Dir(folder) {
		if isPackage[folder] {
			return folder, true
		}
		if folder == "." || folder == "/" {
			return "", false
		}
	}
}

// packageFolders returns the folders of the repository with Go files, relative to root.
func packageFolders(root string) (map[string]bool, error) {
	out, err := output(root, "git", "ls-files", "--cached", "--others", "--exclude-standard", "--", "*.go")
	if err != nil {
		return nil, err
	}
	folders := make(map[string]bool)
	for _, file := range strings.Fields(out) {
		folders[path.Dir(file)] = true
	}
	return folders, nil
}

// imported matches the packages that programs in scripts and documents import.
var imported = regexp.MustCompile(`"(github\.com/mcpgen/mcpgen/[\w./-]+)"`)

// dependencies returns the packages below root that a unit depends on.
func (u unit) dependencies(root string) (*dependencies, error) {
	d := &dependencies{all: make(map[string]bool), tested: make(map[string]bool)}
	for module, patterns := range u.packages {
		if err := d.add(root, module, append([]string{"-test"}, patterns...), true); err != nil {
			return nil, err
		}
	}
	programs, err := u.programs(root)
	if err != nil || len(programs) == 0 {
		return d, err
	}
	return d, d.add(root, ".", programs, false)
}

// add adds the packages that go list -deps prints for the arguments. If tests is set, the arguments
// are packages whose tests belong to the unit; otherwise they are only imported.
func (d *dependencies) add(root, module string, args []string, tests bool) error {
	args = append([]string{"list", "-e", "-deps", "-f", "{{if not .Standard}}{{.DepOnly}} {{.Dir}}{{end}}"}, args...)
	out, err := output(filepath.Join(root, filepath.FromSlash(module)), "go", args...)
	if err != nil {
		return err
	}
	for line := range strings.Lines(out) {
		imported, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
		if rel, err := filepath.Rel(root, dir); err == nil && filepath.IsLocal(rel) {
			folder := filepath.ToSlash(rel)
			d.all[folder] = true
			d.tested[folder] = d.tested[folder] || tests && imported == "false"
		}
	}
	return nil
}

// programs returns the packages of the root module that the programs in the files of u.reads
// import.
func (u unit) programs(root string) ([]string, error) {
	found := make(map[string]bool)
	for _, pattern := range u.reads {
		out, err := output(root, "git", "ls-files", "--", pattern)
		if err != nil {
			return nil, err
		}
		for _, file := range strings.Fields(out) {
			if ext := path.Ext(file); ext != ".txtar" && ext != ".md" {
				continue
			}
			text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
			if err != nil {
				return nil, err
			}
			for _, m := range imported.FindAllStringSubmatch(string(text), -1) {
				found[m[1]] = true
			}
		}
	}
	var paths []string
	for p := range found {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return paths, nil
}

func output(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return string(out), nil
}
