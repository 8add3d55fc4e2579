package mcpimpl

import (
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/visible"
	"github.com/mcpgen/mcpgen/runtime/internal/friend"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Choices contains the values of arguments that are known when features are registered (choices= of
// //mcp:arg). It is immutable.
type Choices struct {
	function string
	argument string
	values   []string
}

// NewChoices calls the function of choices=. It panics if the function returns no values, a
// duplicate, or a value that cannot be published.
func NewChoices(function string, f func() []string) Choices {
	return newChoices(function, f(), nil)
}

// NewChoicesErr is like [NewChoices], for a function with a context, which is never cancelled, and
// an error, with which NewChoicesErr panics.
func NewChoicesErr(function string, f func(context.Context) ([]string, error)) Choices {
	values, err := f(context.Background())
	return newChoices(function, values, err)
}

func newChoices(function string, values []string, err error) Choices {
	fail := func(format string, args ...any) {
		panic(fmt.Sprintf("mcpgen: choices of %s: ", function) + fmt.Sprintf(format, args...))
	}
	if err != nil {
		fail("%v", err)
	}
	if len(values) == 0 {
		fail("there are none")
	}
	seen := map[string]bool{}
	for _, value := range values {
		switch r, hidden := visible.Hidden(value); {
		case seen[value]:
			fail("%q is there twice", value)
		case !utf8.ValidString(value):
			fail("%q is not UTF-8", value)
		case hidden:
			fail("%q has the hidden character %U", value, r)
		}
		seen[value] = true
	}
	return Choices{function: function, values: slices.Clone(values)}
}

// For returns the choices for an argument. It panics if one of its defaults or examples is not
// among them.
func (c Choices) For(argument string, values ...string) Choices {
	for _, value := range values {
		if !slices.Contains(c.values, value) {
			panic(fmt.Sprintf("mcpgen: argument %s has the default or example %q, which is not one of the choices of %s", argument, value, c.function))
		}
	}
	c.argument = argument
	return c
}

// ToolChoices returns a description whose schema has the choices.
func ToolChoices(info *mcp.ToolInfo, choices ...Choices) *mcp.ToolInfo {
	return funcs.ToolChoices(info, lists(choices))
}

// PromptChoices returns a description whose arguments are completed by the choices.
func PromptChoices(info *mcp.PromptInfo, choices ...Choices) *mcp.PromptInfo {
	return funcs.PromptChoices(info, lists(choices))
}

// TemplateChoices returns a description whose variables are completed by the choices.
func TemplateChoices(info *mcp.TemplateInfo, choices ...Choices) *mcp.TemplateInfo {
	return mcp.ImplTemplates(friend.Key{}).Choices(info, lists(choices))
}

func lists(choices []Choices) []friend.Choices {
	var all []friend.Choices
	for _, c := range choices {
		all = append(all, friend.Choices{Function: c.function, Argument: c.argument, Values: c.values})
	}
	return all
}
