package vet

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// undecidedHints checks the rule undecided-hints.
func (c *checker) undecidedHints() {
	for _, f := range c.features {
		if f.tool == nil || f.tool.EffectSaid && f.tool.ReachSaid {
			continue
		}
		var open, published []string
		if !f.tool.EffectSaid {
			open = append(open, "readonly, destructive or additive")
			if f.tool.Hints.Destructive { // otherwise destructive=false sets a part of the hints
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
		word := ""
		if f.tool.EffectSaid {
			word = open[0]
		}
		found := c.report(f.set, f.pos, f.subject, "add the words that are true to the directive, or to //mcp:defaults; now it is published as "+words,
			"it is not set whether it is %s", strings.Join(open, ", nor whether it is "))
		found.Word = word
		if at := c.behindWord(f.set, f.pos, "tool"); at != token.NoPos {
			found.Fix = &Fix{Message: "write the words that are published now: " + words, Pos: at, End: at, Text: " " + words}
		}
	}
}

// shownSubjects limits the subjects that a joined finding names.
const shownSubjects = 5

// Join joins, for people, the findings that one word of //mcp:defaults settles; each finding has
// its own edit.
func Join(all []*Finding) []*Finding {
	type key struct{ rule, word string }
	same := map[key][]*Finding{}
	for _, f := range all {
		if f.Word != "" {
			same[key{f.Rule, f.Word}] = append(same[key{f.Rule, f.Word}], f)
		}
	}
	var joined []*Finding
	for _, f := range all {
		group := same[key{f.Rule, f.Word}]
		switch {
		case f.Word == "" || len(group) == 1:
			joined = append(joined, f)
		case f == group[0]:
			joined = append(joined, joinedFinding(group))
		}
	}
	return joined
}

func joinedFinding(group []*Finding) *Finding {
	var names []string
	for _, f := range group[:min(len(group), shownSubjects)] {
		names = append(names, strings.TrimPrefix(f.Subject, "tool "))
	}
	text := strings.Join(names, ", ")
	if more := len(group) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	f := group[0]
	return &Finding{
		Rule: f.Rule, Pos: f.Pos,
		Message: fmt.Sprintf("it is not set of %d tools whether they are %s: %s", len(group), f.Word, text),
		Hint:    "add one word to //mcp:defaults in the package comment, and the other to the directives of tools that differ",
	}
}

// undecidedErrors checks the rule undecided-errors.
func (c *checker) undecidedErrors() {
	for _, f := range c.inSource() {
		if f.call == nil || f.errorsSaid || !returnsError(f.call) {
			continue
		}
		c.report(nil, c.packagePos(), "", "add //mcp:defaults errors=declared to the package comment, so that only errors with //mcp:error and mcp.Errorf show their text, or errors=text if every error may be read",
			"it is not set whether clients may read the text of every error, such as the errors of %s", strings.Fields(f.subject)[1])
		return
	}
}

func returnsError(call *model.Call) bool {
	return slices.ContainsFunc(call.Result.Values, func(v *model.ResultValue) bool { return v.Role == model.RoleError }) ||
		call.Result.Kind == model.ResultSeqError
}
