package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// decode reads a file of the repository. Members that the type lacks are errors.
func decode(t *testing.T, name string, v any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", name))
	if err != nil {
		t.Fatal(err)
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// actionCommands reads the action, and returns its commands with the default inputs.
func actionCommands(t *testing.T) (commands []string) {
	t.Helper()
	var action struct {
		Name, Description string
		Branding          struct{ Icon, Color string }
		Inputs            map[string]struct {
			Description, Default string
			Required             bool
		}
		Runs struct {
			Using string
			Steps []struct {
				Name, Shell, Run string
				Directory        string `yaml:"working-directory"`
				Env              map[string]string
			}
		}
	}
	decode(t, "action.yml", &action)
	if action.Name == "" || action.Description == "" || len(action.Description) > 125 || action.Runs.Using != "composite" {
		t.Errorf("action %+v", action)
	}
	used := map[string]bool{}
	input := regexp.MustCompile(`^\$\{\{ inputs\.([a-z-]+) \}\}$`)
	value := func(text string) string {
		m := input.FindStringSubmatch(text)
		if m == nil {
			return text
		}
		def, ok := action.Inputs[m[1]]
		if !ok {
			t.Errorf("the action has no input %s", m[1])
		}
		used[m[1]] = true
		return def.Default
	}
	for _, step := range action.Runs.Steps {
		// A user's input is text for the shell in a variable, but a command in an expression.
		if step.Shell != "bash" || strings.Contains(step.Run, "${{") {
			t.Errorf("step %+v", step)
		}
		if value(step.Directory) != "." {
			t.Errorf("step %q runs in %s", step.Name, step.Directory)
		}
		commands = append(commands, os.Expand(step.Run, func(name string) string { return value(step.Env[name]) }))
	}
	for name, in := range action.Inputs {
		if !used[name] || in.Description == "" || in.Default == "" {
			t.Errorf("input %s: %+v, used: %v", name, in, used[name])
		}
	}
	return commands
}

// hookCommands reads the hooks of pre-commit, and returns their commands.
func hookCommands(t *testing.T) (commands []string) {
	t.Helper()
	var hooks []struct {
		ID, Name, Entry, Language string
		Types                     []string `yaml:"types_or"`
		Names                     bool     `yaml:"pass_filenames"`
	}
	decode(t, ".pre-commit-hooks.yaml", &hooks)
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "start", "install.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hooks {
		if h.Name == "" || h.Language != "system" || !slices.Contains(h.Types, "go") || h.Names || !bytes.Contains(page, []byte("- id: "+h.ID+"\n")) {
			t.Errorf("hook %+v", h)
		}
		commands = append(commands, h.Entry)
	}
	return commands
}

// TestActionAndHooks runs the commands of the action and of the hooks in a module that is current,
// in one that is not, and in one with a fault.
func TestActionAndHooks(t *testing.T) {
	commands := actionCommands(t)
	if hooks := hookCommands(t); !slices.Equal(commands, hooks) || len(commands) != 2 {
		t.Fatalf("the action runs %q, the hooks %q", commands, hooks)
	}
	c, out, errs := inBundled(t)
	run := func() (codes []int) {
		out.Reset()
		errs.Reset()
		for _, text := range commands {
			args, ok := strings.CutPrefix(text, "go tool mcpgen ")
			if !ok {
				t.Fatalf("%s runs another program", text)
			}
			codes = append(codes, c.run(strings.Fields(args)))
		}
		return codes
	}
	if codes := run(); codes[0] != exitFound || !strings.Contains(out.String(), "+++ other/mcp_gen.go") {
		t.Errorf("exit codes %d, %s", codes, out)
	}
	if err := os.Remove(filepath.Join(c.dir, "other", "other.go")); err != nil {
		t.Fatal(err)
	}
	if codes := run(); !slices.Equal(codes, []int{exitDone, exitDone}) {
		t.Errorf("exit codes %d\n%s%s", codes, out, errs)
	}
	fault := "package shop\n\n// Delete deletes what a book costs.\n//\n//mcp:tool readonly\nfunc Delete() {}\n"
	if err := os.WriteFile(filepath.Join(c.dir, "fault.go"), []byte(fault), 0o644); err != nil {
		t.Fatal(err)
	}
	if code := c.run(nil); code != exitDone {
		t.Fatal(errs)
	}
	if codes := run(); !slices.Equal(codes, []int{exitDone, exitFound}) {
		t.Errorf("exit codes %d\n%s%s", codes, out, errs)
	}
}
