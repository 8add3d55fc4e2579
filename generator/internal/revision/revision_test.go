package revision_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/revision"
)

// repository makes a git repository and commits files in it.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git command")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init", "-q", "-b", "main")
	commit(t, dir, files)
	return dir
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_ALLOW_PROTOCOL=file")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func commit(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	put(t, dir, files)
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "change")
}

func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func open(t *testing.T, dir string) *revision.Repository {
	t.Helper()
	r, err := revision.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func extract(t *testing.T, dir string) *revision.Tree {
	t.Helper()
	r := open(t, dir)
	tree, err := r.Extract(t.Context(), r.Commit(t.Context(), "HEAD"), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestCommit(t *testing.T) {
	dir := repository(t, map[string]string{"a.txt": "one"})
	git(t, dir, "tag", "v1")
	commit(t, dir, map[string]string{"a.txt": "two"})
	r := open(t, dir)
	head := strings.TrimSpace(git(t, dir, "rev-parse", "HEAD"))
	first := strings.TrimSpace(git(t, dir, "rev-parse", "v1"))
	for name, want := range map[string]string{
		"main": head, "HEAD": head, head: head, head[:8]: head, "v1": first, "HEAD~1": first, "main^": first,
		"": "", "v2": "", "--all": "", "-h": "", "HEAD~5": "", "HEAD:a.txt": "", "a.txt": "",
	} {
		if got := r.Commit(t.Context(), name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

func TestFile(t *testing.T) {
	dir := repository(t, map[string]string{"a.txt": "root", "sub/a.txt": "sub", "sub/deep/b.txt": "deep"})
	put(t, dir, map[string]string{"a.txt": "not committed"})
	r := open(t, filepath.Join(dir, "sub"))
	for name, want := range map[string]string{"a.txt": "root", "./a.txt": "sub", "../a.txt": "root", "sub/deep/b.txt": "deep", "./deep/b.txt": "deep"} {
		got, ok, err := r.File(t.Context(), "HEAD", name)
		if err != nil || !ok || string(got) != want {
			t.Errorf("%s: %q, %v, %v", name, got, ok, err)
		}
	}
	for _, name := range []string{"b.txt", "sub", ".", "../../x", ""} {
		if _, ok, err := r.File(t.Context(), "HEAD", name); ok || err != nil {
			t.Errorf("%s: %v, %v", name, ok, err)
		}
	}
}

func TestExtract(t *testing.T) {
	large := strings.Repeat("x", 100<<10)
	dir := repository(t, map[string]string{
		".gitattributes": "left.go export-ignore\n*.txt text eol=crlf\n", "left.go": "package left\n", "a.txt": "1\n2\n",
		"sub/b c.go": "package b // \x00 and \xff\n", "sub/empty.go": "", "large.bin": large, "large.go": "package a // " + large,
		"skills/a/SKILL.md": "a", "skills/a/b/large.bin": large,
	})
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	link("b c.go", "sub/link.go")
	link("../../outside", "sub/escape.go")
	link("/etc/hosts", "absolute.go")
	commit(t, dir, nil)
	put(t, dir, map[string]string{"a.txt": "changed", "new.go": "package new\n"})
	status := git(t, dir, "status", "--porcelain")

	tree := extract(t, filepath.Join(dir, "sub"))
	if filepath.Base(tree.Dir) != "sub" || filepath.Dir(tree.Dir) != tree.Root {
		t.Errorf("directory %s of %s", tree.Dir, tree.Root)
	}
	for name, want := range map[string]string{
		"a.txt": "1\n2\n", "left.go": "package left\n", "sub/b c.go": "package b // \x00 and \xff\n", "sub/link.go": "package b // \x00 and \xff\n",
		"sub/empty.go": "", "large.bin": "", "large.go": "package a // " + large,
		"skills/a/b/large.bin": large,
	} {
		got, err := os.ReadFile(filepath.Join(tree.Root, filepath.FromSlash(name)))
		if err != nil || string(got) != want {
			t.Errorf("%s: %d bytes, want %d, %v", name, len(got), len(want), err)
		}
	}
	for _, name := range []string{"new.go", "sub/escape.go", "absolute.go", ".git"} {
		if _, err := os.Lstat(filepath.Join(tree.Root, name)); !os.IsNotExist(err) {
			t.Errorf("%s is there: %v", name, err)
		}
	}
	if now := git(t, dir, "status", "--porcelain"); now != status {
		t.Errorf("the repository has changed:\n%swas\n%s", now, status)
	}
}

// TestExtractChain covers links that lead out only together: each by itself stays inside.
func TestExtractChain(t *testing.T) {
	dir := repository(t, map[string]string{"a/a.go": "package a\n", "deep/er/b.go": "package b\n"})
	for name, target := range map[string]string{
		"a/up": "..", "a/y0": "up/..", "a/y1": "y0/..", "p.go": "a/y0/secret.go", "q.go": "a/y1/x/../base/secret.go", "r.go": "p.go",
		"a/good": "up/deep", "s.go": "a/good/er/b.go", "loop": "loop", "dangling": "nowhere", "deep/self": "../deep/../deep/er",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	commit(t, dir, nil)
	base := t.TempDir()
	copied := filepath.Join(base, "copy")
	put(t, base, map[string]string{"secret.go": "package secret\n", "copy/.keep": ""})
	r := open(t, dir)
	if _, err := r.Extract(t.Context(), "HEAD", copied); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"a/up": true, "a/good": true, "s.go": true, "deep/self": true,
		"a/y0": false, "a/y1": false, "p.go": false, "q.go": false, "r.go": false, "loop": false, "dangling": false,
	} {
		if _, err := os.Lstat(filepath.Join(copied, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(copied, "s.go")); string(text) != "package b\n" {
		t.Errorf("s.go: %q, %v", text, err)
	}
}

// TestThroughLink covers a link to a directory outside, replaced in another commit by a directory
// with a file: nothing is written through the link.
func TestThroughLink(t *testing.T) {
	outside := t.TempDir()
	dir := repository(t, map[string]string{"a.go": "package a\n"})
	blob := strings.TrimSpace(git(t, dir, "rev-parse", "HEAD:a.go"))
	if err := os.WriteFile(filepath.Join(dir, "target"), []byte(outside), 0o644); err != nil {
		t.Fatal(err)
	}
	target := strings.TrimSpace(git(t, dir, "hash-object", "-w", "target"))
	// Git itself never makes such a tree; an attacker may.
	inner := mktree(t, dir, "100644 blob "+blob+"\tevil.go\n")
	tree := mktree(t, dir, "120000 blob "+target+"\td\n"+"040000 tree "+inner+"\td\n")
	r := open(t, dir)
	bad := strings.TrimSpace(git(t, dir, "commit-tree", "-m", "bad", tree))
	_, _ = r.Extract(t.Context(), bad, t.TempDir()) // it may be refused
	if files, err := os.ReadDir(outside); err != nil || len(files) > 0 {
		t.Errorf("written outside: %v, %v", files, err)
	}
}

func mktree(t *testing.T, dir, entries string) string {
	t.Helper()
	cmd := exec.Command("git", "mktree")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(entries)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Skipf("git does not make such a tree: %s", out)
	}
	return strings.TrimSpace(string(out))
}

func TestErrors(t *testing.T) {
	dir := repository(t, map[string]string{"a.go": "package a\n"})
	r := open(t, dir)
	if _, err := r.Extract(t.Context(), "0000000000000000000000000000000000000000", t.TempDir()); err == nil || !strings.HasPrefix(err.Error(), "list files of 0000") {
		t.Errorf("a commit that is not there: %v", err)
	}
	plain := t.TempDir()
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(plain))
	if _, err := revision.Open(t.Context(), plain); err == nil || !strings.Contains(err.Error(), "find git repository: not a git repository") {
		t.Errorf("no repository: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Extract(ctx, "HEAD", t.TempDir()); err == nil {
		t.Error("no error after the end of the context")
	}
	t.Setenv("PATH", "")
	if _, err := revision.Open(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "there is no git command in the PATH") {
		t.Errorf("no git: %v", err)
	}
}

func list(t *testing.T, dir string, env []string) string {
	t.Helper()
	cmd := exec.Command("go", "list", "-f", "{{.ImportPath}} {{.Imports}}", "./...")
	cmd.Dir = dir
	cmd.Env = append(slices.Clip(env), "PWD="+dir, "GOPROXY=off", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	return string(out)
}

const user = "package user\n\nimport _ \"example.com/sibling\"\n"

// TestPrepare covers modules that are replaced by directories inside and outside of the repository,
// by workspaces as well.
func TestPrepare(t *testing.T) {
	const sibling, replaced = "module example.com/sibling\n\ngo 1.26\n", "\n\nrequire example.com/sibling v0.0.0\n\nreplace example.com/sibling => "
	mod := "module example.com/user\n\ngo 1.26"
	for _, test := range []struct {
		name   string
		files  map[string]string
		in     string
		notes  []string
		ignore string // a file that is not committed
	}{
		{name: "inside", in: "user", files: map[string]string{
			"user/go.mod": mod + replaced + "../sibling\n", "sibling/go.mod": sibling, "sibling/s.go": "package sibling\n", "user/u.go": user}},
		{name: "outside", in: ".", files: map[string]string{
			"go.mod": mod + replaced + "../sibling\n", "u.go": user, "../sibling/go.mod": sibling, "../sibling/s.go": "package sibling\n"},
			notes: []string{"go.mod names the directory ../sibling, which is not part of the revision: it is read as it is now"}},
		{name: "workspace", in: "user", files: map[string]string{
			"go.work": "go 1.26\n\nuse (\n\t./user\n\t./sibling\n)\n", "user/go.mod": mod + "\n", "user/u.go": user, "sibling/go.mod": sibling, "sibling/s.go": "package sibling\n"}},
		{name: "workspace with an outside", in: ".", files: map[string]string{
			"go.work": "go 1.26\n\nuse .\nuse ../sibling\n", "go.mod": mod + "\n", "u.go": user, "../sibling/go.mod": sibling, "../sibling/s.go": "package sibling\n"},
			notes: []string{"go.work names the directory ../sibling, which is not part of the revision: it is read as it is now"}},
		{name: "vendor", in: ".", files: map[string]string{
			"go.mod": mod + replaced + "../nowhere\n", "u.go": user, "vendor/example.com/sibling/s.go": "package sibling\n",
			"vendor/modules.txt": "# example.com/sibling v0.0.0 => ../nowhere\n## explicit; go 1.26\nexample.com/sibling\n# example.com/sibling => ../nowhere\n"}},
		{name: "a workspace that is not committed", in: "user", ignore: "go.work", files: map[string]string{
			".gitignore": "go.work\n", "go.work": "go 1.26\n\nuse ./other\n", "user/go.mod": mod + "\n", "user/u.go": "package user\n", "other/go.mod": "module example.com/other\n\ngo 1.26\n"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			top, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(top, "repo")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			git(t, dir, "init", "-q", "-b", "main")
			commit(t, dir, test.files)
			tree := extract(t, filepath.Join(dir, test.in))
			if test.ignore != "" {
				if _, err := os.Stat(filepath.Join(tree.Root, test.ignore)); !os.IsNotExist(err) {
					t.Fatalf("%s is there: %v", test.ignore, err)
				}
			}
			// The user's environment must not affect which files of the tree are read.
			env, err := tree.Prepare(t.Context(), tree.Dir, append(os.Environ(), "GOFLAGS=", "GOWORK="))
			if err != nil {
				t.Fatal(err)
			}
			if got := list(t, tree.Dir, env); !strings.HasPrefix(got, "example.com/user [") {
				t.Errorf("listed is %s", got)
			}
			if !slices.Equal(tree.Notes, test.notes) {
				t.Errorf("notes are %q, want %q", tree.Notes, test.notes)
			}
			if out := git(t, dir, "status", "--porcelain"); out != "" {
				t.Errorf("the repository has changed:\n%s", out)
			}
		})
	}
}

func TestPrepareErrors(t *testing.T) {
	dir := repository(t, map[string]string{
		"go.mod":        "module example.com/user\n\ngo 1.26\n\nreplace example.com/sibling v1.0.0 => ../" + "gone\n",
		"broken/go.mod": "modul example.com/user\n",
		"work/go.work":  "go 1.26\n\nuse ../../gone\n",
		"none/a.go":     "package a\n",
	})
	tree := extract(t, dir)
	for at, want := range map[string]string{
		".":      "go.mod of that revision names the directory ../gone, which lies outside of the repository and is not there now",
		"broken": "go mod edit -json: ",
		"work":   "work/go.work of that revision names the directory ../../gone, ",
	} {
		_, err := tree.Prepare(t.Context(), filepath.Join(tree.Root, at), append(os.Environ(), "GOWORK="))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", at, err)
		}
	}
}
