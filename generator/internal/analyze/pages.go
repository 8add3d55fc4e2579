package analyze

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/internal/valid"
)

// This file reads the keys of pages, which hosts show, and of the tools that have one.

// toolUI reads ui= and visibility=. The page is looked up when all resources are known.
func (a *analyzer) toolUI(tool *model.Tool, dir *directive.Directive, at diag.Place) bool {
	uri, hasPage := dir.Get("ui")
	visibility, limited := dir.Get("visibility")
	if !hasPage && !limited {
		return true
	}
	ui := &model.ToolUI{Pos: uri.ValuePos}
	if limited && visibility.Value != "both" {
		ui.Visibility = visibility.Value
	}
	if !hasPage {
		if ui.Pos = visibility.ValuePos; ui.Visibility != "" {
			tool.UI = ui
		}
		return true
	}
	a.interfaces = true
	ui.ResourceURI = uritemplate.Encode(uri.Value)
	tool.UI = ui
	switch fault := valid.ResourceURI("the page", ui.ResourceURI); {
	case !a.visible(uri.Value, "ui=", at.At(uri.ValuePos)):
		return false
	case !valid.IsUI(uri.Value):
		a.diags.Errorf(uri.ValuePos, at.Subject, "the page %q does not begin with %s", uri.Value, valid.UIScheme).
			Hint = "hosts show pages of this scheme alone: write ui=" + valid.UIScheme + strings.TrimLeft(afterScheme(uri.Value), "/")
		return false
	case fault != nil:
		a.diags.Errorf(uri.ValuePos, at.Subject, "%s", fault.Problem).Hint = fault.Hint
		return false
	}
	return true
}

// afterScheme returns a URI without its scheme.
func afterScheme(uri string) string {
	if m := scheme.FindString(uri); m != "" {
		return uri[len(m):]
	}
	return uri
}

// pageURI is the URI of a page, or its template, also of a page that is refused.
type pageURI struct {
	uri      string
	template *uritemplate.Template
}

// checkInterfaces checks that the pages of tools exist, and that a page can call the tools that
// are for pages alone.
func (a *analyzer) checkInterfaces() {
	if a.out.NotEmitted {
		return // the package that emits the features knows all of them
	}
	if slices.ContainsFunc(a.sources, func(s *analyzer) bool { return s.damaged || len(s.refused) > 0 }) {
		return
	}
	var uris []string
	for _, p := range a.pages {
		uris = append(uris, p.uri)
	}
	for _, t := range a.out.Tools {
		subject := "tool " + t.Func.Symbol
		switch ui := t.UI; {
		case ui == nil:
		case ui.ResourceURI != "" && !a.hasPage(ui.ResourceURI):
			d := a.diags.Errorf(ui.Pos, subject, "no resource of the server is the page %s", ui.ResourceURI)
			d.Hint = "write //mcp:resource " + ui.ResourceURI + " above the string or embedded file that contains its HTML"
			if near := diag.Nearest(ui.ResourceURI, uris); near != "" {
				d.Hint = "did you mean " + near + "?"
			}
		case ui.Visibility == "app" && !a.interfaces:
			a.diags.Errorf(ui.Pos, subject, "the tool is for pages alone, and no tool of the server has a page that could call it").
				Hint = "write ui=ui://NAME at the tool whose page calls this one, or leave visibility=app out"
		}
	}
}

func (a *analyzer) hasPage(uri string) bool {
	return slices.ContainsFunc(a.pages, func(p pageURI) bool {
		if p.template == nil || len(p.template.Variables()) == 0 {
			return uritemplate.Normal(p.uri) == uritemplate.Normal(uri)
		}
		_, matches := p.template.Match(uri, false)
		return matches
	})
}

// pageKeys are the keys that only pages have.
var pageKeys = []string{"connect", "load", "frames", "base", "permissions", "domain", "border"}

// pageUI reads the keys of a page, and refuses them at other resources.
func (a *analyzer) pageUI(r *model.Resource, dir *directive.Directive, at diag.Place) (ok bool) {
	ok = true
	if !valid.IsUI(r.URI) {
		for _, key := range pageKeys {
			if arg, set := dir.Get(key); set {
				a.diags.Errorf(arg.Pos, at.Subject, "%s= is for pages, whose URI begins with %s", key, valid.UIScheme).
					Hint = "write //mcp:resource " + valid.UIScheme + strings.TrimLeft(afterScheme(r.URI), "/") + ", or leave it out"
				ok = false
			}
		}
		return ok
	}
	r.UI = &model.PageUI{}
	for key, target := range map[string]*[]string{"connect": &r.UI.Connect, "load": &r.UI.Load, "frames": &r.UI.Frames, "base": &r.UI.Base} {
		arg, set := dir.Get(key)
		if !set {
			continue
		}
		for _, item := range arg.Names() {
			*target = append(*target, item.Value)
			if fault := valid.Origin(item.Value, key == "connect"); fault != nil {
				a.diags.Errorf(item.Pos, at.Subject, "%s", fault.Problem).Hint = fault.Hint
				ok = false
			}
		}
	}
	if arg, set := dir.Get("permissions"); set {
		for _, item := range arg.Names() {
			r.UI.Permissions = append(r.UI.Permissions, item.Value)
			if valid.IsUIPermission(item.Value) {
				continue
			}
			d := a.diags.Errorf(item.Pos, at.Subject, "there is no permission %q", item.Value)
			d.Hint = "the permissions are " + strings.Join(valid.UIPermissions, ", ")
			if near := diag.Nearest(item.Value, valid.UIPermissions); near != "" {
				d.Hint = "did you mean " + near + "?"
			}
			ok = false
		}
	}
	if arg, set := dir.Get("domain"); set {
		r.UI.Domain = arg.Value
		ok = a.visible(arg.Value, "domain=", at.At(arg.ValuePos)) && ok
	}
	if border, set := dir.Flag("border"); set {
		r.UI.Border = &border
	}
	if r.MIME != "" && r.MIME != valid.UIMIMEType {
		a.diags.Errorf(valuePos(dir, "mime"), at.Subject, "a page has the MIME type %s, and no other", valid.UIMIMEType).Hint = "leave mime= out"
		ok = false
	}
	r.MIME = valid.UIMIMEType
	return ok
}
