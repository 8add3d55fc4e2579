package pages_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReview follows the page about reviews, with its own package.
func TestReview(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git command")
	}
	page := read(t, "docs/decide/review.md")
	s := newShell(t)
	for name, value := range map[string]string{
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.com",
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.DevNull,
	} {
		t.Setenv(name, value)
	}
	s.must("", "go mod init example.com/shop && git init -q -b main .")
	s.install(root(t))
	source := block(t, page, "## The contract", "go")
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(s.dir, "shop.go"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(source)
	for line := range strings.Lines(block(t, page, "## The contract", "sh")) {
		line, _, _ := strings.Cut(strings.TrimSpace(line), "  #")
		s.must("", line)
	}
	contract, err := os.ReadFile(filepath.Join(s.dir, "contract.json"))
	if err != nil {
		t.Fatal(err)
	}
	if want := block(t, page, "## The contract", "json"); !strings.HasPrefix(string(contract), want) {
		t.Errorf("the contract begins otherwise:\n%s", contract)
	}
	s.must("", strings.TrimSpace(block(t, page, "## Is the generated file current?", "sh")))
	s.must("", "git add -A && git commit -q -m one")

	write(strings.NewReplacer("maximum=100", "maximum=50", "sells a book", "sells one copy of a book").Replace(source))
	line := strings.TrimSpace(block(t, page, "## What has changed", "sh"))
	out, errs, err := s.run("", line)
	if want := block(t, page, "## What has changed", "text"); err == nil || out != want {
		t.Errorf("%s: %v, printed\n%s%swant\n%s", line, err, out, errs, want)
	}
	for _, side := range []string{"main", "HEAD", "main:.", "main:contract.json", "contract.json"} {
		if got, errs, _ := s.run("", "go tool mcpgen diff "+side+" ."); got != out {
			t.Errorf("with %s: printed\n%s%s", side, got, errs)
		}
	}
	t.Setenv("BASE", "main")
	workflow := block(t, page, "## In CI", "yaml")
	for _, command := range regexp.MustCompile(`(?m)run: (go tool mcpgen .*)$`).FindAllStringSubmatch(workflow, -1) {
		s.must("", "go tool mcpgen -contract contract.json")
		if out, errs, err := s.run("", command[1]); err != nil && !strings.Contains(out, "(breaking)") && !strings.Contains(errs, "[missing-description]") {
			t.Errorf("%s: %v\n%s%s", command[1], err, out, errs)
		}
	}
	if out := s.must("", "go tool mcpgen list ."); !strings.Contains(out, "\ntotal  2 tools") {
		t.Errorf("listed is\n%s", out)
	}
}

// TestReviewSnippets compares the snippets to copy with the files of this repository.
func TestReviewSnippets(t *testing.T) {
	page := read(t, "docs/decide/review.md")
	line := block(t, page, "One line of `.gitattributes`", "gitattributes")
	if !strings.Contains(read(t, ".gitattributes"), "\n"+line) {
		t.Errorf("this repository has no line %q", line)
	}
	workflow := block(t, page, "## In CI", "yaml")
	own := read(t, ".github/workflows/ci.yml")
	// Its own actions are pinned by commit, with the version in a comment.
	for _, action := range regexp.MustCompile(`uses: (\S+)@(v\d+)\n`).FindAllStringSubmatch(workflow, -1) {
		if !regexp.MustCompile(`uses: ` + action[1] + `@[0-9a-f]{40} # ` + action[2] + `\.`).MatchString(own) {
			t.Errorf("this repository does not use %s@%s", action[1], action[2])
		}
	}
	if strings.Contains(workflow, "secrets") || !strings.Contains(workflow, "permissions:\n  contents: read\n") {
		t.Errorf("the workflow has more rights than it needs:\n%s", workflow)
	}
}
