package cli

import (
	"encoding/json"
	"fmt"

	"github.com/mcpgen/mcpgen/internal/contract"
)

// diff shows the differences between two contracts.
func (c *command) diff(args []string) int {
	f := newFlags("diff")
	asJSON := f.Bool("json", false, "write one JSON object to standard output")
	fail := f.String("fail", "breaking", "exit 1 on `changes` that are breaking, on any, or on none")
	rest, code, ok := c.parse(f, args)
	if !ok {
		return code
	}
	if len(rest) != 2 {
		return c.usage("diff", fmt.Sprintf("diff takes two contracts, and got %d", len(rest)), "write "+c.invoked+" diff OLD NEW, for instance "+c.invoked+" diff main .")
	}
	level, ok := map[string]contract.Class{"breaking": contract.Breaking, "any": contract.Wording, "none": contract.Breaking + 1}[*fail]
	if !ok {
		return c.usage("diff", "unknown value "+word(*fail)+" of -fail", "it is one of breaking, any, none")
	}
	both := c.sides(rest[0], rest[1], f.tags)
	before, err := both[0].contract()
	if err != nil {
		return c.failSide(err)
	}
	after, err := both[1].contract()
	if err != nil {
		return c.failSide(err)
	}
	d := contract.Compare(before, after)
	for i, side := range []*contract.Contract{before, after} {
		for _, note := range append(both[i].notes, side.Notes()...) {
			d.Notes = append(d.Notes, rest[i]+": "+note)
		}
	}
	if *asJSON {
		err = c.diffJSON(rest[0], rest[1], d)
	} else {
		for _, line := range d.Lines() {
			if _, err = fmt.Fprintln(c.out, line); err != nil {
				break
			}
		}
		for _, note := range d.Notes {
			c.noteln("note: %s", note)
		}
		c.noteln("%s between %s and %s", d.Summary(), rest[0], rest[1])
	}
	if err != nil {
		return c.fail(err)
	}
	if d.Class() >= level {
		return exitFound
	}
	return exitDone
}

// diffJSON writes a difference for programs.
func (c *command) diffJSON(before, after string, d *contract.Difference) error {
	changes, notes := d.Changes, d.Notes
	if changes == nil {
		changes = []contract.Change{}
	}
	if notes == nil {
		notes = []string{}
	}
	enc := json.NewEncoder(c.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		Old        string            `json:"old"`
		New        string            `json:"new"`
		Class      contract.Class    `json:"class"`
		Breaking   int               `json:"breaking"`
		Compatible int               `json:"compatible"`
		Wording    int               `json:"wording"`
		Changes    []contract.Change `json:"changes"`
		Notes      []string          `json:"notes"`
	}{before, after, d.Class(), d.Count(contract.Breaking), d.Count(contract.Compatible), d.Count(contract.Wording), changes, notes})
}
