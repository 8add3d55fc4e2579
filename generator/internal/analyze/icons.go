package analyze

import (
	"encoding/json"
	"errors"
	"go/token"
	"io"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/internal/valid"
)

// This file reads icon= and meta=, which clients receive unchanged.

// iconProblem is an error in an icon, and its position.
type iconProblem struct {
	pos           token.Position
	message, hint string
}

// iconHint is the form of an icon with all of its members.
const iconHint = `write icon=URL, or icon={"src":"https://example.com/48.png","sizes":["48x48"],"theme":"light"}, or an array of these`

// iconsOver reads icon=, or returns the defaults' icons. It returns ok unchanged unless an icon is
// wrong.
func (a *analyzer) iconsOver(defaults []model.Icon, dir *directive.Directive, at diag.Place, ok bool) ([]model.Icon, bool) {
	arg, set := dir.Get("icon")
	if !set {
		return defaults, ok
	}
	icons, problems := readIcons(arg)
	for _, p := range problems {
		a.diags.Errorf(p.pos, at.Subject, "%s", p.message).Hint = p.hint
		ok = false
	}
	return icons, ok
}

// checkDefaultIcons reports wrong icons of //mcp:defaults, once for all features.
func (a *analyzer) checkDefaultIcons() {
	for _, d := range a.declared("defaults") {
		a.iconsOver(nil, d.dir, diag.Place{Pos: d.dir.Pos, Subject: "//mcp:defaults"}, true)
	}
}

// readIcons reads a URL, several with commas, or icons as clients receive them: JSON objects (Icon
// in the specification's schema).
func readIcons(arg directive.Arg) (icons []model.Icon, problems []iconProblem) {
	if text := arg.Value; strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		return readIconObjects(arg, text)
	}
	for _, item := range arg.Items() {
		icon := model.Icon{Source: item.Value}
		icons = append(icons, icon)
		if fault := (*valid.Icon)(&icon).Fault(); fault != nil {
			problems = append(problems, iconProblem{item.Pos, fault.Problem, fault.Hint})
		}
	}
	return icons, problems
}

func readIconObjects(arg directive.Arg, text string) (icons []model.Icon, problems []iconProblem) {
	if strings.HasPrefix(text, "{") {
		text = "[" + text + "]"
	}
	var all []struct {
		Source   string   `json:"src"`
		MIMEType string   `json:"mimeType"`
		Sizes    []string `json:"sizes"`
		Theme    string   `json:"theme"`
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(&all)
	if err == nil && len(all) == 0 {
		err = errors.New("there is no icon")
	}
	if _, more := d.Token(); err == nil && more != io.EOF {
		err = errors.New("there is more than one value")
	}
	if err != nil {
		return nil, []iconProblem{{arg.ValuePos, "the icons cannot be read: " + strings.TrimPrefix(err.Error(), "json: "), iconHint}}
	}
	for _, i := range all {
		icon := model.Icon{Source: i.Source, MIMEType: i.MIMEType, Sizes: i.Sizes, Theme: i.Theme}
		icons = append(icons, icon)
		if fault := (*valid.Icon)(&icon).Fault(); fault != nil {
			problems = append(problems, iconProblem{arg.ValuePos, fault.Problem, fault.Hint})
		}
	}
	return icons, problems
}

// meta reads meta=, a JSON object. It returns ok unchanged unless the object is wrong.
func (a *analyzer) meta(dir *directive.Directive, at diag.Place, ok bool) ([]model.Meta, bool) {
	arg, set := dir.Get("meta")
	if !set {
		return nil, ok
	}
	fail := func(hint, format string, args ...any) ([]model.Meta, bool) {
		a.diags.Errorf(arg.ValuePos, at.Subject, format, args...).Hint = hint
		return nil, false
	}
	const hint = `write an object whose keys begin with a domain of yours, such as meta={"com.example/owner":"catalogue"}`
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(arg.Value), &members); err != nil || members == nil {
		return fail(hint, "the metadata is not a JSON object")
	}
	if name := jsontext.Repeated(arg.Value); name != "" {
		return fail("leave one of them out", "the metadata has the name %q twice in one object", name)
	}
	var all []model.Meta
	for _, key := range sortedKeys(members) {
		if fault := valid.MetaKey(key); fault != nil {
			return fail(fault.Hint, "%s", fault.Problem)
		}
		if key == "ui" || key == "ui/resourceUri" {
			return fail("write ui= and visibility= at a tool, and connect=, load= and others at the resource of its page",
				"the _meta key %q describes an interface, which has keys of its own", key)
		}
		value := jsontext.Compact(string(members[key]))
		if problem := jsontext.NotStrict(value); problem != "" {
			return fail("write JSON that every client reads alike", "the value of the _meta key %q %s", key, problem)
		}
		if text, isText := jsontext.String(value); valid.IsTraceKey(key) && (!isText || !valid.IsTraceField(key, text)) {
			return fail("leave the key out, or write a text as its specification has it", "the value of the _meta key %q does not have the form of W3C Trace Context or Baggage", key)
		}
		if prefix, reserved := valid.ReservedPrefix(key); reserved {
			a.diags.Warnf(arg.ValuePos, at.Subject, "the _meta key %q has a prefix that the specification reserves: a server without an extension below %s panics when it registers the feature", key, prefix).
				Hint = "declare the extension by mcp.WithExtension, or use your own domain"
		}
		all = append(all, model.Meta{Key: key, JSON: value})
	}
	return all, ok
}
