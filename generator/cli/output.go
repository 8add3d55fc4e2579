package cli

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/pipeline"
	"github.com/mcpgen/mcpgen/internal/linediff"
	"github.com/mcpgen/mcpgen/internal/regularfile"
)

// outputFile is a file that a command makes from the source.
type outputFile struct {
	name    string // as the user wrote it
	what    string // for errors: "reference"
	text    []byte
	check   bool // write nothing
	verbose bool
	// isOurs, if it is not nil, reports whether a present file was made by the command. Another one
	// is not overwritten.
	isOurs func(text []byte) bool
}

// outputFile writes a file, or shows how the present one differs.
func (c *command) outputFile(o *outputFile) int {
	path := c.absolute(o.name)
	real, err := c.follow(path)
	if err != nil {
		return c.fail(fmt.Errorf("read %s: %w", o.what, err))
	}
	old, err := regularfile.Read(real)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return c.fail(fmt.Errorf("read %s: %w", o.what, err))
	}
	current := err == nil && pipeline.SameLines(old, o.text)
	switch name := c.relative(path); {
	case current && o.verbose:
		c.noteln("%s is current", name)
	case current:
	case err == nil && o.isOurs != nil && !o.isOurs(old):
		c.diagnostic(diag.Diagnostic{
			Message: name + " was not written by mcpgen, which would have to overwrite it",
			Hint:    "name another file: -o FILE; or delete this one",
		})
		return exitFound
	case o.check:
		_, _ = c.out.Write(linediff.Unified(name, old, name, o.text))
		c.noteln("%s is not current\n\thint: run the same command without -check", name)
		return exitFound
	default:
		if err := writeNamed(real, o.text); err != nil {
			return c.fail(err)
		}
		c.noteln("wrote %s", name)
	}
	return exitDone
}
