// Package reference writes the reference of a server for people, as Markdown or as an HTML page. It
// contains only the features that a server publishes; all texts are escaped.
package reference

import (
	"encoding/json"
	"fmt"

	"github.com/mcpgen/mcpgen/internal/valid"
)

// Server contains the features that a reference describes.
type Server struct {
	// Identity is a JSON object: name, title, version, description, instructions, websiteUrl.
	Identity json.RawMessage
	Tools    []*Feature
	// Resources, Templates, Prompts and Skills are in the order in which they are written, like
	// Tools within their group.
	Resources, Templates, Prompts []*Feature
	Skills                        []*Feature
	Forms                         []*Form
	Errors                        []*Error
}

// Feature is a tool, a resource, a resource template, a prompt or a skill.
type Feature struct {
	// Listing is the entry of the protocol's lists (revision 2026-07-28), a JSON object.
	Listing json.RawMessage
	Groups  []string
	Scopes  []string // scopes that a caller needs
	Aliases []string // other names of a tool
	Tools   []string // that a caller of a skill must be allowed to use
	Task    string   // whether calls run as tasks: "", optional or required
	Errors  []string // names of the declared errors that a call can return
	// HidesErrors is set if calls can fail and clients receive only the messages of declared
	// errors.
	HidesErrors bool
}

// Form describes a form that a user can be asked to fill in.
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

// Error is a declared error, whose message the model may read.
type Error struct {
	Name string
	Text string // "" means the error's own message
}

// Markdown returns the reference as Markdown, in the dialect of GitHub.
func (s *Server) Markdown() ([]byte, error) {
	d, err := s.document(s.contents)
	if err != nil {
		return nil, err
	}
	return d.markdown(), nil
}

// HTML returns the reference as one HTML page with a list at its side and a search. It loads
// nothing else.
func (s *Server) HTML() ([]byte, error) {
	d, err := s.document()
	if err != nil {
		return nil, err
	}
	return d.html(), nil
}

// generated explains the origin of the page.
const generated = "Written by mcpgen docs; it is overwritten."

// document makes the blocks of the page, with some parts before the features.
func (s *Server) document(before ...func(*document) error) (*document, error) {
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
			web := f.member == "websiteUrl" && valid.Website(text) == nil
			facts = append(facts, []inline{{text: f.name + ": "}, {text: text, code: !web, web: web}})
		}
	}
	d.list(facts...)
	if text := id.Str("instructions"); text != "" {
		d.heading(2, "instructions", plain("Instructions for models"))
		d.texts(text)
	}
	for _, part := range append(before, s.tools, s.resources, s.prompts, s.skills, s.forms, s.errors) {
		if err := part(d); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// first returns the first text that is not empty.
func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
