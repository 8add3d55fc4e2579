package mcp

import (
	"encoding/json"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file sets and returns the feature that a request concerns.

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

// foundResource returns the resource that is read or completed, or nil before it is found.
func (r *Request) foundResource() *foundResource {
	f, _ := r.found.(*foundResource)
	return f
}

// setTool sets the tool that the request calls.
func (r *Request) setTool(t *tool) { r.found, r.reading, r.output = t, t.reading, t.form }

// setPrompt sets the prompt that the request is about.
func (r *Request) setPrompt(p *prompt) {
	r.found, r.reading, r.description = p, reading{wire.Leniency(), p.info.choices}, p.info.Description
}

// setResource sets the resource that the request is about.
func (r *Request) setResource(f *foundResource) {
	r.found, r.reading, r.resource = f, reading{wire.Leniency(), f.choices()}, &f.resourceForm
}

func (*tool) variables() json.RawMessage            { return nil }
func (*prompt) variables() json.RawMessage          { return nil }
func (f *foundResource) variables() json.RawMessage { return f.appendVariables(nil) }
