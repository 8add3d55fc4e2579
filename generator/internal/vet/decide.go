package vet

import (
	"go/token"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// undecidedHints: see the table.
func (c *checker) undecidedHints() {
	for _, f := range c.features {
		if f.tool == nil || f.tool.EffectSaid && f.tool.ReachSaid {
			continue
		}
		var open, published []string
		if !f.tool.EffectSaid {
			open = append(open, "readonly, destructive or additive")
			if f.tool.Hints.Destructive { // otherwise destructive=false sets it, in part
				published = append(published, "destructive")
			} else {
				published = append(published, "additive")
			}
		}
		if !f.tool.ReachSaid {
			open = append(open, "openworld or closedworld")
			published = append(published, "openworld")
		}
		words := strings.Join(published, " ")
		found := c.report(f.set, f.pos, f.subject, "add what is true to the directive, or to //mcp:defaults; now it is published as "+words,
			"it is not set whether it is %s", strings.Join(open, ", nor whether it is "))
		if at := c.behindWord(f.set, f.pos, "tool"); at != token.NoPos {
			found.Fix = &Fix{Message: "write what is published now: " + words, Pos: at, End: at, Text: " " + words}
		}
	}
}

// undecidedErrors: see the table.
func (c *checker) undecidedErrors() {
	for _, f := range c.inSource() {
		if f.call == nil || f.errorsSaid || !returnsError(f.call) {
			continue
		}
		c.report(nil, c.packagePos(), "", "add //mcp:defaults errors=declared to the package comment, so that only errors with //mcp:error and mcp.Errorf show their text, or errors=text if every error may be read",
			"it is not set whether clients may read the text of every error, such as those of %s", strings.Fields(f.subject)[1])
		return
	}
}

func returnsError(call *model.Call) bool {
	return slices.ContainsFunc(call.Result.Values, func(v *model.ResultValue) bool { return v.Role == model.RoleError }) ||
		call.Result.Kind == model.ResultSeqError
}
