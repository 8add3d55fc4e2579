package mcp

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/mcpgen/mcpgen/internal/visible"
	"github.com/mcpgen/mcpgen/runtime/internal/toolschema"
)

// This file changes descriptions of features while they are registered. [Override] registers
// copies: it leaves the features as they are, and the copies share nothing with them that a
// function could change.

// Overrides are functions that change descriptions of features, for [Override]. Each gets a copy,
// with the published names, and must not keep it. A nil function changes nothing.
//
// They may change name and title, description, groups and icons, aliases and hints of tools,
// annotations of resources, the policies of pages, metadata, timeouts and limits of results; and in
// schemas and in the arguments of prompts, the texts that people and models read: title,
// description, examples and $comment. The values that clients send and functions return, the URIs
// of resources and the interfaces of tools stay as the program defines them.
type Overrides struct {
	Tool     func(*ToolInfo)
	Resource func(*ResourceInfo)
	Template func(*TemplateInfo)
	Prompt   func(*PromptInfo)
}

// Override returns a Registrar that registers with r copies of features whose descriptions the
// functions have changed, for instance by the configuration of a deployment. It combines with
// [Prefix], [Select] and others: each gets the features that the Registrar around it passes on. The
// functions run in Register.
//
// Register panics if a function changes anything that [Overrides] does not list, if a text contains
// a hidden character, and in the cases of [Server.Register], also for names that the functions have
// made equal.
func Override(r Registrar, o Overrides) Registrar {
	return registrarFunc(func(f Feature) { r.Register(f.(overridable).overridden(&o)) })
}

// overridable is implemented by each [Feature].
type overridable interface {
	// overridden returns a copy with a changed description, or the feature itself if no function
	// changes it.
	overridden(o *Overrides) Feature
}

var _, _, _, _ overridable = (*tool)(nil), (*resource)(nil), (*template)(nil), (*prompt)(nil)

// textFields are the fields of descriptions that may change.
var textFields = []string{
	"Name", "Title", "Description", "Groups", "Scopes", "Icons", "Aliases", "Hints", "Annotations", "Meta", "Timeout", "MaxResult", "MaxBytes",
	// checked separately, since only parts of them may change
	"InputSchema", "OutputSchema", "Arguments",
}

func (t *tool) overridden(o *Overrides) Feature {
	if o.Tool == nil {
		return t
	}
	given := t.info.clone()
	given.Name, given.Aliases = t.name, slices.Clone(t.also)
	o.Tool(&given)
	info := given.clone()
	info.choices = t.info.choices
	c := &overrideCheck{kind: KindTool, name: t.name}
	c.fields(reflect.ValueOf(t.info).Elem(), reflect.ValueOf(&info).Elem())
	c.schema("InputSchema", t.info.InputSchema, info.InputSchema, toolschema.CheckInput)
	c.schema("OutputSchema", t.info.OutputSchema, info.OutputSchema, toolschema.CheckOutput)
	c.published(info.Name, info.Title, info.Description, info.Groups, info.Icons, info.Meta)
	c.texts("aliases", info.Aliases...)
	return t.copied(&info)
}

func (r *resource) overridden(o *Overrides) Feature {
	if o.Resource == nil {
		return r
	}
	given := r.info.clone()
	given.Name = r.name
	o.Resource(&given)
	info := given.clone()
	c := &overrideCheck{kind: KindResource, name: r.name}
	c.fields(reflect.ValueOf(r.info).Elem(), reflect.ValueOf(&info).Elem(), "UI")
	c.page(info.UI)
	c.published(info.Name, info.Title, info.Description, info.Groups, info.Icons, info.Meta)
	changed := newResource(&info, r.read)
	changed.part = r.part
	return changed
}

func (t *template) overridden(o *Overrides) Feature {
	if o.Template == nil {
		return t
	}
	given := t.info.clone()
	given.Name = t.name
	o.Template(&given)
	info := given.clone()
	info.choices = t.info.choices
	c := &overrideCheck{kind: KindTemplate, name: t.name}
	same := slices.EqualFunc(t.info.Variables, info.Variables, func(a, b TemplateVariable) bool {
		return a.Name == b.Name && slices.Equal(a.Values, b.Values)
	})
	if !same {
		c.fail("changes Variables")
	}
	info.Variables = t.info.Variables // since they contain functions
	c.fields(reflect.ValueOf(t.info).Elem(), reflect.ValueOf(&info).Elem(), "Variables", "UI")
	c.page(info.UI)
	c.published(info.Name, info.Title, info.Description, info.Groups, info.Icons, info.Meta)
	return t.parse.template(&info, info.Name, t.read, t.complete)
}

func (p *prompt) overridden(o *Overrides) Feature {
	if o.Prompt == nil {
		return p
	}
	given := p.info.clone()
	given.Name = p.name
	o.Prompt(&given)
	info := given.clone()
	info.choices = p.info.choices
	c := &overrideCheck{kind: KindPrompt, name: p.name}
	same := slices.EqualFunc(p.info.Arguments, info.Arguments, func(a, b PromptArgument) bool {
		return a.Name == b.Name && a.Required == b.Required && a.NotBlank == b.NotBlank && slices.Equal(a.Values, b.Values)
	})
	if !same {
		c.fail("changes Arguments in more than titles and descriptions")
	}
	for i := range info.Arguments {
		a := &info.Arguments[i]
		a.Values, a.Complete = p.info.Arguments[i].Values, p.info.Arguments[i].Complete
		c.texts("argument "+a.Name, a.Title, a.Description)
	}
	c.fields(reflect.ValueOf(p.info).Elem(), reflect.ValueOf(&info).Elem())
	c.published(info.Name, info.Title, info.Description, info.Groups, info.Icons, info.Meta)
	return newPrompt(&info, p.get, p.complete)
}

// The functions below copy a description with everything that a function of [Overrides] could
// change in it. They are called before such a function, to protect the description of the program,
// and after it, since the function may keep its copy.

func (i *ToolInfo) clone() ToolInfo {
	c := *i
	c.Groups, c.Scopes, c.Icons, c.Meta = slices.Clone(i.Groups), slices.Clone(i.Scopes), cloneIcons(i.Icons), cloneMeta(i.Meta)
	c.UI = i.UI.clone()
	c.Aliases, c.Requires, c.Narrow = slices.Clone(i.Aliases), slices.Clone(i.Requires), slices.Clone(i.Narrow)
	c.ArgumentAliases = slices.Clone(i.ArgumentAliases)
	return c
}

func (i *ResourceInfo) clone() ResourceInfo {
	c := *i
	c.Groups, c.Scopes, c.Icons, c.Meta = slices.Clone(i.Groups), slices.Clone(i.Scopes), cloneIcons(i.Icons), cloneMeta(i.Meta)
	c.Annotations, c.Requires, c.UI = cloneAnnotations(i.Annotations), slices.Clone(i.Requires), i.UI.clone()
	return c
}

func (i *TemplateInfo) clone() TemplateInfo {
	c := *i
	c.Groups, c.Scopes, c.Icons, c.Meta = slices.Clone(i.Groups), slices.Clone(i.Scopes), cloneIcons(i.Icons), cloneMeta(i.Meta)
	c.Annotations, c.Requires, c.Variables = cloneAnnotations(i.Annotations), slices.Clone(i.Requires), slices.Clone(i.Variables)
	c.UI = i.UI.clone()
	for n := range c.Variables {
		c.Variables[n].Values = slices.Clone(c.Variables[n].Values)
	}
	return c
}

func (i *PromptInfo) clone() PromptInfo {
	c := *i
	c.Groups, c.Scopes, c.Icons, c.Meta = slices.Clone(i.Groups), slices.Clone(i.Scopes), cloneIcons(i.Icons), cloneMeta(i.Meta)
	c.Requires, c.Arguments, c.ReadOnly = slices.Clone(i.Requires), slices.Clone(i.Arguments), slices.Clone(i.ReadOnly)
	for n := range c.Arguments {
		c.Arguments[n].Values = slices.Clone(c.Arguments[n].Values)
	}
	return c
}

func cloneMeta(m Meta) Meta {
	m = maps.Clone(m)
	for key, value := range m {
		m[key] = slices.Clone(value)
	}
	return m
}

func cloneIcons(icons []Icon) []Icon {
	icons = slices.Clone(icons)
	for i := range icons {
		icons[i].Sizes = slices.Clone(icons[i].Sizes)
	}
	return icons
}

func cloneAnnotations(a *Annotations) *Annotations {
	if a == nil {
		return nil
	}
	c := *a
	c.Audience = slices.Clone(a.Audience)
	if a.Priority != nil {
		p := *a.Priority
		c.Priority = &p
	}
	return &c
}

// overrideCheck checks the description of one feature after a function has changed it.
type overrideCheck struct {
	kind FeatureKind
	name string
}

func (c *overrideCheck) fail(format string, args ...any) {
	panic(fmt.Sprintf("mcp: Override of %s %q %s", c.kind, c.name, fmt.Sprintf(format, args...)))
}

// fields checks the fields of a description that must not change, and restores its functions, which
// cannot be compared.
func (c *overrideCheck) fields(before, after reflect.Value, others ...string) {
	for field, value := range after.Fields() {
		was := before.FieldByIndex(field.Index)
		switch {
		case !field.IsExported():
		case slices.Contains(textFields, field.Name), slices.Contains(others, field.Name):
		case field.Anonymous:
			c.fields(was, value)
		case value.Kind() == reflect.Func:
			value.Set(was)
		case value.Kind() == reflect.Slice && value.Len() == 0 && was.Len() == 0:
		case !reflect.DeepEqual(was.Interface(), value.Interface()):
			c.fail("changes %s", field.Name)
		}
	}
}

// published checks all texts in a description.
func (c *overrideCheck) published(name, title, description string, groups []string, icons []Icon, meta Meta) {
	c.texts("name", name)
	c.texts("title", title)
	c.texts("description", description)
	c.texts("groups", groups...)
	for _, icon := range icons {
		c.texts("icons", icon.Source, icon.MIMEType)
	}
	for key, value := range meta {
		c.texts("metadata", key)
		c.json("metadata "+key, value)
	}
}

// page checks the texts in the description of a page. Registration checks the rest.
func (c *overrideCheck) page(ui *ResourceUI) {
	if ui != nil {
		c.texts("domain", ui.Domain)
	}
}

// texts refuses characters that a reviewer does not see and a model reads.
func (c *overrideCheck) texts(what string, texts ...string) {
	for _, text := range texts {
		if r, found := visible.Hidden(text); found {
			c.fail("has the hidden character %U in its %s", r, what)
		}
	}
}

// json is like texts for all texts in a JSON value, escaped or not. Registration refuses invalid
// values.
func (c *overrideCheck) json(what string, text []byte) {
	value, err := readJSON(text)
	if err != nil {
		return
	}
	eachText(value, func(text string) { c.texts(what, text) })
}

// schema checks that a schema that changed means the same.
func (c *overrideCheck) schema(field, before, after string, check func(string) error) {
	if before == after {
		return
	}
	if before == "" || after == "" {
		c.fail("changes %s", field)
	}
	if err := check(after); err != nil {
		c.fail("makes %s invalid: %v", field, err)
	}
	was, err := readJSON([]byte(before))
	if err != nil {
		c.fail("cannot compare %s: %v", field, err)
	}
	is, err := readJSON([]byte(after))
	if err != nil {
		c.fail("makes %s invalid: %v", field, err)
	}
	if at, differs := schemaDifference(was, is, ""); differs {
		c.fail("changes %s at %q in more than title, description, examples and $comment", field, at)
	}
	c.json(field, []byte(after))
}
