package mcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/friend"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file adds enumerations that are known when a program starts (choices= of //mcp:arg) to
// descriptions. It copies the descriptions: each registration has its own choices, which do not
// change.

// choicesOf returns the choices for a decoder, keyed by their functions.
func choicesOf(all []friend.Choices) map[string]*wire.Choices {
	m := map[string]*wire.Choices{}
	for _, c := range all {
		if m[c.Function] == nil {
			m[c.Function] = wire.NewChoices(c.Values)
		}
	}
	return m
}

// withChoices returns a copy of the description whose schema has the choices.
func (i *ToolInfo) withChoices(all []friend.Choices) *ToolInfo {
	c := *i
	c.choices = choicesOf(all)
	for _, choice := range all {
		var values []byte
		for n, value := range choice.Values {
			if n > 0 {
				values = append(values, ',')
			}
			values = wire.AppendString(values, value)
		}
		c.InputSchema = strings.ReplaceAll(c.InputSchema, `"enum":["\u0000`+choice.Function+`"]`, `"enum":[`+string(values)+`]`)
	}
	if strings.Contains(c.InputSchema, `"enum":["\u0000`) {
		panic(fmt.Sprintf("mcp: input schema of tool %q has choices that are not given", i.Name))
	}
	return &c
}

// withChoices returns a copy of the description whose arguments are completed by the choices.
func (i *PromptInfo) withChoices(all []friend.Choices) *PromptInfo {
	c := *i
	c.choices = choicesOf(all)
	c.Arguments = slices.Clone(i.Arguments)
	for _, choice := range all {
		for n := range c.Arguments {
			if c.Arguments[n].Name == choice.Argument {
				c.Arguments[n].Values = choice.Values
			}
		}
	}
	return &c
}

// withChoices returns a copy of the description whose variables are completed by the choices.
func (i *TemplateInfo) withChoices(all []friend.Choices) *TemplateInfo {
	c := *i
	c.choices = choicesOf(all)
	c.Variables = slices.Clone(i.Variables)
	for _, choice := range all {
		at := slices.IndexFunc(c.Variables, func(v TemplateVariable) bool { return v.Name == choice.Argument })
		if at < 0 {
			at = len(c.Variables)
			c.Variables = append(c.Variables, TemplateVariable{Name: choice.Argument})
		}
		c.Variables[at].Values = choice.Values
	}
	return &c
}
