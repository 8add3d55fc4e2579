package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/mod/zip"
)

// TestRelease releases a clone of this repository, publishes it in a file-system module proxy, and
// uses every module from there like a user.
func TestRelease(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles what it releases; the step release of .ci/run has it")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the commands of the README are for a POSIX shell")
	}
	r := cloned(t)
	const root = "github.com/mcpgen/mcpgen"
	version := r.next()
	number := strings.TrimPrefix(version, "v")
	r.edit("CHANGELOG.md", "## [Unreleased]\n", "## [Unreleased]\n\n## ["+number+"] - "+time.Now().Format(time.DateOnly)+"\n")
	r.edit("CHANGELOG.md", "\n[Unreleased]: ", "\n["+number+"]: https://"+root+"/releases/tag/"+version+"\n[Unreleased]: ")
	r.require(version)
	r.commit()
	if out, failure := r.run("tag", version); failure != "" {
		t.Fatalf("%s\n%s", out, failure)
	}

	c := newConsumer(t)
	c.publish(r, ".", root, version)
	for _, folder := range nested {
		c.publish(r, folder, root+"/"+folder, version)
	}

	t.Run("readme", func(t *testing.T) { c.readme(t, r) })
	t.Run("new", func(t *testing.T) {
		dir := t.TempDir()
		c.must(t, dir, "GOBIN=\"$PWD\" go install "+root+"/cmd/mcpgen@"+version)
		// The module cache contains all modules of the command.
		c.must(t, dir, `export PATH="$PWD:$PATH" GOPROXY=off; mcpgen new shop && cd shop && go test ./...`)
		if got := c.must(t, filepath.Join(dir, "shop"), "go list -m -f '{{.Version}}' "+root); got != version+"\n" {
			t.Errorf("new requires %s of the root module, want %s", got, version)
		}
	})
	t.Run("packages of the root module", func(t *testing.T) {
		dir := c.module(t)
		c.must(t, dir, "go mod edit -require="+root+"@"+version)
		public := c.must(t, r.dir, `go list -f '{{if and .GoFiles (ne .Name "main")}}{{.ImportPath}}{{end}}' ./...`)
		var imports strings.Builder
		for _, path := range strings.Fields(public) {
			if !strings.Contains(path+"/", "/internal/") {
				imports.WriteString("import _ \"" + path + "\"\n")
			}
		}
		for _, want := range []string{"runtime/mcp", "runtime/mcphttp", "runtime/mcptest"} {
			if !strings.Contains(imports.String(), root+"/"+want+"\"") {
				t.Fatalf("%s is not among the packages\n%s", want, imports.String())
			}
		}
		c.build(t, dir, imports.String(), "")
	})
	for _, folder := range nested {
		if folder == "examples" {
			continue
		}
		t.Run(folder, func(t *testing.T) {
			dir := c.module(t)
			c.must(t, dir, "go get "+root+"/"+folder+"@"+version)
			if got := c.must(t, dir, "go list -m -f '{{.Version}}' "+root); got != version+"\n" {
				t.Errorf("%s brings %s of the root module, want %s", folder, got, version)
			}
			c.build(t, dir, "import _ \""+root+"/"+folder+"\"\n", "")
		})
	}
	t.Run("examples", func(t *testing.T) {
		dir := c.module(t)
		c.must(t, dir, "go get "+root+"/examples/wiring/public@"+version)
		if got := c.must(t, dir, "go list -m -f '{{.Version}}' "+root); got != version+"\n" {
			t.Errorf("examples brings %s of the root module, want %s", got, version)
		}
		c.build(t, dir, "import public \""+root+"/examples/wiring/public\"\n", "_ = public.NewMCPServer")
	})
}

// cloned returns a clone of this repository that includes uncommitted changes.
func cloned(t *testing.T) repository {
	t.Helper()
	top, err := command(".", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		t.Fatal(err)
	}
	top = strings.TrimSpace(top)
	r := newRepository(t)
	nested = released
	// The versions in go.mod are in the module cache, or come from the proxy.
	if err := os.Unsetenv("GOPROXY"); err != nil {
		t.Fatal(err)
	}
	r.dir = filepath.Join(t.TempDir(), "clone")
	if _, err := command(top, "git", "clone", "--quiet", ".", r.dir); err != nil {
		t.Fatal(err)
	}
	r.git("rm", "--quiet", "-r", ".")
	files, err := command(top, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		t.Fatal(err)
	}
	for file := range strings.SplitSeq(strings.TrimSuffix(files, "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join(top, file))
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted without commit
		} else if err != nil {
			t.Fatal(err)
		}
		r.write(file, string(data))
	}
	return r
}

// require executes the commands of RELEASE.md that make the modules require a version.
func (r repository) require(version string) {
	r.t.Helper()
	page, err := os.ReadFile(filepath.Join(r.dir, "RELEASE.md"))
	if err != nil {
		r.t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "require the new version")
	commands := fenced.FindStringSubmatch(text)
	if commands == nil || !strings.Contains(commands[2], "version=v0.1.0\n") {
		r.t.Fatal("RELEASE.md has no commands for the version")
	}
	r.git("add", "--all") // the commands ask git for the modules
	script := "set -e\n" + strings.Replace(commands[2], "version=v0.1.0\n", "version="+version+"\n", 1)
	if out, err := command(r.dir, "sh", "-c", script); err != nil {
		r.t.Fatalf("%v\n%s", err, out)
	}
}

// next returns the minor version after the last release.
func (r repository) next() string {
	r.t.Helper()
	last, err := (&release{dir: r.dir, version: "v999999.0.0"}).last()
	if err != nil {
		r.t.Fatal(err)
	}
	if last == "" {
		return "v0.1.0"
	}
	for minor := 0; ; minor++ {
		version := fmt.Sprintf("%s.%d.0", semver.Major(last), minor)
		if semver.Compare(version, last) > 0 {
			return version
		}
	}
}

// consumer is a user with a module cache of their own and a file-system proxy.
type consumer struct {
	proxy string
	env   []string
}

func newConsumer(t *testing.T) consumer {
	t.Helper()
	c := consumer{proxy: filepath.Join(t.TempDir(), "proxy")}
	out, err := command(".", "go", "env", "GOMODCACHE", "GOPROXY")
	if err != nil {
		t.Fatal(err)
	}
	cache, others, _ := strings.Cut(strings.TrimSpace(out), "\n")
	// Dependencies come from the module cache of this machine, which can serve as a proxy. With
	// -trimpath they are compiled once for all runs of this test.
	c.env = append(os.Environ(), "GOWORK=off", "GOSUMDB=off", "GOFLAGS=-trimpath -modcacherw",
		"GOMODCACHE="+filepath.Join(t.TempDir(), "cache"),
		"GOPROXY=file://"+c.proxy+",file://"+cache+"/cache/download,"+others)
	return c
}

// publish adds a tagged module to the proxy, in the form in which a proxy creates it from the tag.
func (c consumer) publish(r repository, folder, path, version string) {
	r.t.Helper()
	dir := filepath.Join(c.proxy, filepath.FromSlash(path), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		r.t.Fatal(err)
	}
	tag, subdir := version, ""
	if folder != "." {
		tag, subdir = folder+"/"+version, folder
	}
	archive, err := os.Create(filepath.Join(dir, version+".zip"))
	if err != nil {
		r.t.Fatal(err)
	}
	err = errors.Join(zip.CreateFromVCS(archive, module.Version{Path: path, Version: version}, r.dir, tag, subdir), archive.Close())
	if err != nil {
		r.t.Fatal(err)
	}
	for name, text := range map[string]string{
		version + ".mod":  r.git("show", tag+":"+filepath.ToSlash(filepath.Join(subdir, "go.mod"))),
		version + ".info": `{"Version":"` + version + `","Time":"2026-01-01T00:00:00Z"}`,
		"list":            version + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			r.t.Fatal(err)
		}
	}
}

// must runs a shell command in a folder and returns its output.
func (c consumer) must(t *testing.T, dir, line string) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env = dir, append(c.env, "PWD="+dir)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", line, err, out, stderr.String())
	}
	return string(out)
}

// module creates an empty module in a new folder.
func (c consumer) module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	c.must(t, dir, "go mod init example.com/consumer")
	return dir
}

// build builds and runs a program with imports and statements.
func (c consumer) build(t *testing.T, dir, imports, statements string) {
	t.Helper()
	source := "package main\n\n" + imports + "\nfunc main() {\n" + statements + "\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	c.must(t, dir, "go get . && go run .")
}

var fenced = regexp.MustCompile("(?s)```(go|sh)\n(.*?)```")

// readme executes the smallest complete example of the README literally: a file and three commands,
// then a program and its commands.
func (c consumer) readme(t *testing.T, r repository) {
	_, text, _ := strings.Cut(r.git("show", "HEAD:README.md"), "## The smallest complete example")
	blocks := fenced.FindAllStringSubmatch(text, 4)
	dir := t.TempDir()
	got, called := 0, ""
	for i, name := range []string{"greet.go", "", "main.go", ""} {
		if name != "" {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(blocks[i][2]), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		for line := range strings.Lines(blocks[i][2]) {
			if strings.HasPrefix(line, "go get -tool github.com/mcpgen/mcpgen/cmd/mcpgen\n") {
				got++
			}
			if strings.HasPrefix(line, "go ") {
				called += c.must(t, dir, line)
			}
		}
	}
	if got != 1 {
		t.Fatalf("%d lines of the README fetch the command:\n%s", got, blocks[1][2])
	}
	if !strings.Contains(called, "Hello, Ada! Hello, Ada!") {
		t.Errorf("the commands printed\n%s", called)
	}
	c.must(t, dir, "go tool mcpgen -check && ./greet </dev/null")
}
