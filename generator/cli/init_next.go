package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/mcpgen/mcpgen/internal/regularfile"
)

const commandPath = "github.com/mcpgen/mcpgen/cmd/mcpgen"

// printProposals shows suitable functions, and the comment to paste.
func (i *initCommand) printProposals(t *trial, all []*target) {
	c := i.c
	most := maxProposals
	if i.all {
		most = len(all)
	}
	best, more := t.propose(all, most)
	if len(best) == 0 {
		fmt.Fprintf(c.out, "\nThe package has no exported function that would do as a tool. Write //mcp:tool above one\nwhose parameters and results can be written as JSON.\n")
		return
	}
	fmt.Fprintf(c.out, "\nThese functions would do as tools:\n\n")
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	var names []string
	for _, s := range best {
		at := i.pkg.Position(s.start())
		fmt.Fprintf(w, "%s:%d\t%s%s\n", c.relative(at.Filename), at.Line, s.name, strings.TrimPrefix(s.signature(i.pkg), "func"))
		names = append(names, s.name)
	}
	_ = w.Flush()
	for line := range strings.Lines(table.String()) {
		fmt.Fprintf(c.out, "\t%s", line)
	}
	if more {
		fmt.Fprintf(c.out, "\tand others: %s init -all%s shows them\n", c.invoked, i.here(" "))
	}
	fmt.Fprintf(c.out, `
Choose some, and end the doc comment of each with these two lines, or with the second
alone where there is no doc comment:

	//
	%s

Add readonly to those that change nothing: %[1]s readonly. Or have the lines inserted:

	%[2]s init -annotate %[3]s%[4]s
`, toolDirective, c.invoked, strings.Join(names[:min(2, len(names))], ","), i.here(" "))
}

// here returns the package for a command that is started in the current directory, after a blank,
// or "" for the package in that directory.
func (i *initCommand) here(blank string) string {
	if at := i.place(); at != "." {
		return blank + word(at)
	}
	return ""
}

// place returns the package as an argument of the command, from the current directory.
func (i *initCommand) place() string { return i.c.shortest(i.pkg.Dir) }

// shortest returns a directory as the go command takes it: ".", "./store" or absolute.
func (c *command) shortest(dir string) string {
	rel := c.relative(dir)
	if filepath.IsAbs(rel) || rel == "." {
		return rel
	}
	return "./" + filepath.ToSlash(rel)
}

// printNext prints the next steps.
func (i *initCommand) printNext() {
	c := i.c
	fmt.Fprintf(c.out, "\nNext:\n\n")
	go0 := "go"
	if moduleRoot(c.dir) != moduleRoot(i.pkg.Dir) {
		go0 = "go -C " + word(i.root) // a tool belongs to its module
	}
	if mod, err := regularfile.Read(filepath.Join(i.root, "go.mod")); err == nil && !bytes.Contains(mod, []byte(commandPath)) {
		fmt.Fprintf(c.out, "\t%s get -tool %s\n", go0, commandPath)
	}
	at := i.place()
	if go0 != "go" {
		at = "."
		if rel, err := filepath.Rel(i.root, i.pkg.Dir); err == nil && rel != "." {
			at = "./" + filepath.ToSlash(rel)
		}
	}
	tags := i.generateFlags()
	tool := go0 + " tool mcpgen "
	if i.model.HasFeatures() {
		fmt.Fprintf(c.out, "\t%s\n", strings.TrimSuffix(go0+" generate "+word(at), " ."))
		fmt.Fprintf(c.out, "\t%slist%s %s\n", tool, tags, word(at))
		fmt.Fprintf(c.out, "\t%scall%s %s %s\n", tool, tags, word(at), i.example())
	} else {
		fmt.Fprintf(c.out, "\twrite //mcp:tool above a function\n")
		fmt.Fprintf(c.out, "\t%s\n", strings.TrimSuffix(go0+" generate "+word(at), " ."))
		fmt.Fprintf(c.out, "\t%slist%s %s\n", tool, tags, word(at))
		fmt.Fprintf(c.out, "\t%scall%s %s TOOL key=value\n", tool, tags, word(at))
	}
	if i.served == "" && !i.model.Main {
		fmt.Fprintf(c.out, "\nNo program is needed for that. %s init -main%s writes one,\n%s, to be deployed.\n",
			c.invoked, i.here(" "), c.relative(filepath.Join(i.mainDir(), "main.go")))
	}
	i.printClients()
}

// example returns the first tool with its arguments.
func (i *initCommand) example() string {
	if len(i.model.Tools) == 0 {
		return "TOOL key=value"
	}
	t := i.model.Tools[0]
	words := []string{t.Name}
	if t.Input != nil && t.Input.Object != nil {
		for _, f := range t.Input.Object.Fields {
			if f.Required {
				words = append(words, f.Name+"=...")
			}
		}
	}
	return strings.Join(words, " ")
}

// printClients prints how to add the server to clients, with absolute paths: clients start programs
// in any directory, and with another PATH.
func (i *initCommand) printClients() {
	program, args := i.start()
	name := i.serverName()
	shell := []string{word(program)}
	for _, a := range args {
		shell = append(shell, word(a))
	}
	fmt.Fprintf(i.c.out, `
Add the server to clients like this:

	Claude Code: in a shell
	claude mcp add %[1]s -- %[2]s

	Claude Desktop: in claude_desktop_config.json; Cursor: in .cursor/mcp.json
	%[3]s

	VS Code: in .vscode/mcp.json
	%[4]s
`, word(name), strings.Join(shell, " "),
		compact(map[string]any{"mcpServers": map[string]any{name: server{Command: program, Args: args}}}),
		compact(map[string]any{"servers": map[string]any{name: server{Type: "stdio", Command: program, Args: args}}}))
}

// server is a server in the configuration of a client.
type server struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// compact returns JSON on one line, for people.
func compact(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}

// start returns the command that serves the package: its program, or this command.
func (i *initCommand) start() (program string, args []string) {
	program = "go"
	if found, err := exec.LookPath("go"); err == nil {
		if abs, err := filepath.Abs(found); err == nil {
			program = abs
		}
	}
	relative := func(dir string) string {
		rel, err := filepath.Rel(i.root, dir)
		switch {
		case err != nil:
			return dir
		case rel == ".":
			return rel
		}
		return "./" + filepath.ToSlash(rel)
	}
	tags := []string{}
	if i.tags != "" {
		tags = []string{"-tags", i.tags}
	}
	args = []string{"-C", i.root}
	if i.served != "" && !i.model.Main {
		return program, append(append(append(args, "run"), tags...), relative(i.served))
	}
	return program, append(append(append(args, "tool", "mcpgen", "run"), tags...), relative(i.pkg.Dir))
}
