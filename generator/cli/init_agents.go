package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/scaffold"
	"github.com/mcpgen/mcpgen/internal/regularfile"
)

// writeAgents writes AGENTS.md into a directory. If the file exists, it prints the section to add.
func (c *command) writeAgents(dir string) int {
	if info, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		c.diagnostic(diag.Diagnostic{Message: "there is no directory " + dir, Hint: "name the directory of a module, or of a package"})
		return exitFound
	}
	path := filepath.Join(dir, "AGENTS.md")
	err := create(path, scaffold.Agents)
	if err == nil {
		c.noteln("wrote %s (rules for coding agents)", c.relative(path))
		return exitDone
	}
	if !errors.Is(err, fs.ErrExist) {
		return c.fail(unwritable(path, err))
	}
	text, err := regularfile.Read(path)
	if err != nil {
		return c.fail(fmt.Errorf("read %s: %w", c.relative(path), err))
	}
	if strings.Contains(string(text), scaffold.AgentsTitle) {
		c.noteln("nothing to add: %s has the rules", c.relative(path))
		return exitDone
	}
	c.noteln("%s is there already, and is left as it is\n\thint: add these lines, by hand or with %s init -agents >> %s", c.relative(path), c.invoked, word(c.relative(path)))
	fmt.Fprint(c.out, "\n#"+scaffold.Agents) // as a section of the existing file
	return exitFound
}
