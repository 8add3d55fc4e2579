// Package reference writes the reference of a server for people, as Markdown or as a page of HTML.
// It contains what a server publishes, and only that: texts of authors are rendered as text,
// whatever they look like.
package reference

import (
	"encoding/json"
	"fmt"
)

// Server is what a reference describes.
type Server struct {
	// Identity is a JSON object: name, title, version, description, instructions, websiteUrl.
	Identity json.RawMessage
	Tools    []*Feature
	// Resources, Templates and Prompts are in the order in which they are written, as Tools are
	// within their group.
	Resources, Templates, Prompts []*Feature
	Forms                         []*Form
	Errors                        []*Error
}

// Feature is a tool, a resource, a resource template or a prompt.
type Feature struct {
	// Listing is the entry of the protocol's lists (revision 2026-07-28), a JSON object.
	Listing json.RawMessage
	Groups  []string
	Scopes  []string // that a caller must have
	Aliases []string // further names of a tool
	Task    string   // whether calls run as tasks: "", optional or required
	Errors  []string // names of declared errors
	// HidesErrors is set if clients get the texts of declared errors alone.
	HidesErrors bool
}

// Form is what a user can be asked for.
type Form struct {
	Name   string
	Fields []*FormField
}

// FormField is one field of a form.
type FormField struct {
	Name, Title, Type, Description string
	Required                       bool
	Choices                        []string
}

// Error is a declared error, which is meant for the model.
type Error struct {
	Name string
	Text string // "" if it is that of the error itself
}

// Markdown returns the reference as Markdown, in the dialect of GitHub.
func (s *Server) Markdown() ([]byte, error) {
	d, err := s.document()
	if err != nil {
		return nil, err
	}
	return d.markdown(), nil
}

// HTML returns the reference as one page of HTML, which loads nothing else.
func (s *Server) HTML() ([]byte, error) {
	d, err := s.document()
	if err != nil {
		return nil, err
	}
	return d.html(), nil
}

// generated says how the page came about.
const generated = "Written by mcpgen docs; it is overwritten."

// document makes the blocks of the page.
func (s *Server) document() (*document, error) {
	id, err := parse(s.Identity)
	if err != nil {
		return nil, fmt.Errorf("read server: %w", err)
	}
	d := &document{title: first(id.Str("title"), id.Str("name"))}
	d.heading(1, "", plain(d.title))
	d.texts(id.Str("description"))
	facts := [][]inline{}
	for _, f := range []struct{ name, member string }{{"Name", "name"}, {"Version", "version"}, {"Website", "websiteUrl"}} {
		if text := id.Str(f.member); text != "" {
			facts = append(facts, []inline{{text: f.name + ": "}, {text: text, code: true}})
		}
	}
	d.list(facts...)
	if text := id.Str("instructions"); text != "" {
		d.heading(2, "instructions", plain("Instructions for models"))
		d.texts(text)
	}
	for _, part := range []func(*document) error{s.contents, s.tools, s.resources, s.prompts, s.forms, s.errors} {
		if err := part(d); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// first is the first text that is not empty.
func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
