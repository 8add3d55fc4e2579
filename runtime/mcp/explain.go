package mcp

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/runtime/internal/toolschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// longestSaid limits the bytes of a description that an answer repeats.
const longestSaid = 300

// explained adds to the error for invalid arguments an example or the description of each argument
// that does not match its pattern: few models derive a value from a regular expression. They come
// from the published schema, so generated code does not repeat them.
func (r *Request) explained(e *wire.ArgumentsError) *wire.ArgumentsError {
	problems := e.Problems
	for i, p := range e.Problems {
		if p.Rule != wire.RulePattern && p.Rule != wire.RulePropertyNames {
			continue
		}
		if said := r.said(p); said != "" {
			if &problems[0] == &e.Problems[0] {
				problems = slices.Clone(problems)
			}
			problems[i].Message += said
		}
	}
	return &wire.ArgumentsError{Problems: problems, More: e.More}
}

func (r *Request) said(p wire.Violation) string {
	var example, description string
	switch {
	case r.tool() != nil:
		example, description = toolschema.Said(r.tool().info.InputSchema, p.Path, func(pattern string) bool {
			if p.Rule == wire.RulePropertyNames {
				return p.Message == "the name must match the pattern "+pattern
			}
			return strings.HasPrefix(p.Message, "must match the pattern "+pattern+", got ")
		})
	case r.prompt() != nil:
		if i, ok := r.prompt().argument(p.Path); ok {
			description = r.prompt().info.Arguments[i].Description
		}
	}
	switch {
	case example != "" && len(example) <= longestSaid:
		return "; an example is " + example
	case description != "":
		return "; its description is: " + shortened(strings.Join(strings.Fields(description), " "))
	}
	return ""
}

// shortened cuts a text to longestSaid.
func shortened(text string) string {
	if len(text) <= longestSaid {
		return text
	}
	end := longestSaid
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
