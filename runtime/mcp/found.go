package mcp

import (
	"encoding/json"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file finds the feature that a request concerns.

// tool returns the called tool, or nil before it is found.
func (r *Request) tool() *tool {
	t, _ := r.found.(*tool)
	return t
}

// prompt returns the prompt that is fetched or completed, or nil before it is found.
func (r *Request) prompt() *prompt {
	p, _ := r.found.(*prompt)
	return p
}

// resource returns the resource that is read or completed, or nil before it is found.
func (r *Request) resource() *foundResource {
	f, _ := r.found.(*foundResource)
	return f
}

func (t *tool) reading() (help wire.Help, choices map[string]*wire.Choices) {
	if t.info.Lenient {
		return wire.Leniency(), t.info.choices
	}
	return wire.Advice(), t.info.choices
}
func (t *tool) resultLimit() int         { return t.info.MaxResult }
func (*tool) variables() json.RawMessage { return nil }

func (p *prompt) reading() (help wire.Help, choices map[string]*wire.Choices) {
	return wire.Leniency(), p.info.choices
}
func (*prompt) resultLimit() int           { return 0 }
func (*prompt) variables() json.RawMessage { return nil }

func (f *foundResource) reading() (help wire.Help, choices map[string]*wire.Choices) {
	return wire.Leniency(), f.choices()
}
func (*foundResource) resultLimit() int             { return 0 }
func (f *foundResource) variables() json.RawMessage { return f.appendVariables(nil) }
