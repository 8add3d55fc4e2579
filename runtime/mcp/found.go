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
func (r *Request) setTool(t *tool) { r.found, r.traits = t, &t.traits }

// setPrompt sets the prompt that the request is about.
func (r *Request) setPrompt(p *prompt) { r.found, r.traits = p, &p.traits }

// setResource sets the resource that the request is about.
func (r *Request) setResource(f *foundResource) {
	r.found, r.traits, r.resource = f, &oneResource, &f.resourceForm
	if f.template != nil {
		r.traits = &f.template.traits
	}
}

// oneResource are the traits of resources without a template.
var oneResource = traits{help: wire.Leniency()}

func (*tool) variables() json.RawMessage            { return nil }
func (*prompt) variables() json.RawMessage          { return nil }
func (f *foundResource) variables() json.RawMessage { return f.appendVariables(nil) }
