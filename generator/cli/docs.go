package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/pipeline"
	"github.com/mcpgen/mcpgen/generator/internal/reach"
	"github.com/mcpgen/mcpgen/generator/internal/reference"
)

const helpDocs = `usage: mcpgen docs [flags] PACKAGES

Writes the reference of a server for people, as Markdown: its description, its
tools by group with their arguments, results, hints, errors and a valid example
call, its resources, prompts, skills and forms. Several packages are one server.
The page depends on the source alone, and each feature has an anchor that
stays: #tool-NAME.

	-o FILE     write that file, and not to standard output
	-check      write nothing; exit 1 with a diff if the file of -o is not
	            current
	-html       write one page of HTML with a list and a search, which loads
	            nothing else
` + helpFlags

// docs writes or checks the reference of packages.
func (c *command) docs(args []string) int {
	f := newFlags("docs")
	file := f.String("o", "", "write that `file`")
	check := f.Bool("check", false, "write nothing; exit 1 with a diff if the file is not current")
	asHTML := f.Bool("html", false, "write one page of HTML")
	patterns, code, ok := c.parse(f, args)
	switch {
	case !ok:
		return code
	case *check && *file == "":
		return c.usage("docs", "flag -check has no meaning without -o", "name the file that is checked")
	}
	packages, code := c.documented(f, patterns)
	if code != exitDone {
		return code
	}
	var loaded []*load.Package
	for _, p := range packages {
		loaded = append(loaded, p.Loaded)
	}
	server, err := referenceOf(c.ctx, models(packages), reach.NewGraph(loaded...))
	if err != nil {
		return c.fail(err)
	}
	text, err := server.Markdown()
	if *asHTML {
		text, err = server.HTML()
	}
	if err != nil {
		return c.fail(fmt.Errorf("write reference: %w", err))
	}
	if *file == "" {
		if _, err := c.data.Write(text); err != nil {
			return c.fail(fmt.Errorf("write reference: %w", err))
		}
		return exitDone
	}
	return c.outputFile(&outputFile{name: *file, what: "reference", text: text, check: *check, verbose: f.verbose})
}

// documented loads the packages of a reference.
func (c *command) documented(f *flags, patterns []string) ([]*pipeline.Package, int) {
	result, err := pipeline.Generate(c.ctx, pipeline.Config{
		Dir: c.dir, Env: c.environment(), Tags: f.tags, Patterns: patterns, Progress: c.progress.begin, Packages: c.progress.packages, Unformatted: true,
	})
	c.progress.end()
	if nothing, ok := errors.AsType[*load.Error](err); ok && c.ctx.Err() == nil {
		c.diagnostic(*nothing.Diagnostic())
		return nil, exitFound
	}
	switch {
	case err != nil:
		return nil, c.fail(err)
	case result.Diagnostics.HasErrors():
		c.diagnostics(result.Diagnostics)
		return nil, exitFound
	case len(result.Packages) == 0:
		c.diagnostic(*c.nothing(patterns...))
		return nil, exitFound
	}
	return result.Packages, exitDone
}

// referenceOf returns the reference of a server with the features of some packages.
func referenceOf(ctx context.Context, packages []*model.Package, graph *reach.Graph) (*reference.Server, error) {
	// The contract refuses two features of one name, and several packages that are servers.
	if _, err := publishedBy(ctx, packages); err != nil {
		return nil, err
	}
	s := &reference.Server{Identity: identity(serverOf(packages))}
	for _, m := range packages {
		if err := addReference(ctx, s, m, graph); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// addReference adds the features of a package.
func addReference(ctx context.Context, s *reference.Server, m *model.Package, graph *reach.Graph) error {
	l, err := listed(ctx, m)
	if err != nil {
		return err
	}
	for _, e := range m.Errors {
		name := errorName(e)
		if !slices.ContainsFunc(s.Errors, func(other *reference.Error) bool { return other.Name == name }) {
			s.Errors = append(s.Errors, &reference.Error{Name: name, Text: e.Text})
		}
	}
	for i, t := range m.Tools {
		f := &reference.Feature{Listing: l.tools[i], Groups: t.Groups, Scopes: t.Scopes, Aliases: t.Aliases, Task: t.Task.Support()}
		if slices.ContainsFunc(t.Call.Result.Values, func(v *model.ResultValue) bool { return v.Role == model.RoleError }) {
			f.HidesErrors = t.HideErrors
			for _, e := range graph.Errors(m, &t.Call) {
				f.Errors = append(f.Errors, errorName(e))
			}
		}
		s.Tools = append(s.Tools, f)
	}
	for i, r := range m.Resources {
		s.Resources = append(s.Resources, &reference.Feature{Listing: l.resources[i], Groups: r.Groups, Scopes: r.Scopes})
	}
	for i, r := range m.Templates {
		s.Templates = append(s.Templates, &reference.Feature{Listing: l.templates[i], Groups: r.Groups, Scopes: r.Scopes})
	}
	for i, p := range m.Prompts {
		s.Prompts = append(s.Prompts, &reference.Feature{Listing: l.prompts[i], Groups: p.Groups, Scopes: p.Scopes})
	}
	for i, one := range m.AllSkills() {
		s.Skills = append(s.Skills, &reference.Feature{Listing: l.skills[i], Groups: one.Of.Groups, Scopes: one.Of.Scopes, Tools: one.Of.Tools})
	}
	for _, f := range m.Forms {
		s.Forms = append(s.Forms, formReference(f))
	}
	return nil
}

// errorName returns the name of a declared error, with its package if that is another one.
func errorName(e *model.DeclaredError) string {
	if e.Pkg != nil {
		return e.Pkg.Name() + "." + e.Name
	}
	return e.Name
}

// formTypes describes the kinds of fields.
var formTypes = map[model.FormKind]string{
	model.FormString: "string", model.FormInteger: "integer", model.FormNumber: "number", model.FormBoolean: "boolean",
	model.FormChoiceOne: "choice", model.FormChoiceMany: "choices",
}

func formReference(f *model.Form) *reference.Form {
	form := &reference.Form{Name: f.Type.Name}
	for _, field := range f.Fields {
		r := &reference.FormField{
			Name: field.Name, Title: field.Title, Type: formTypes[field.Kind], Description: cmp.Or(field.Text, field.Description), Required: field.Required,
		}
		if field.Format != "" {
			r.Type += ", format " + field.Format
		}
		for _, choice := range field.Choices {
			r.Choices = append(r.Choices, choice.Value)
		}
		form.Fields = append(form.Fields, r)
	}
	return form
}
