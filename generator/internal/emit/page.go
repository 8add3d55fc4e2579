package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// toolUI returns the interface of a tool, or nil.
func (g *generator) toolUI(ui *model.ToolUI) code {
	if ui == nil {
		return nil
	}
	var l items
	l.quoted("ResourceURI", ui.ResourceURI)
	if ui.Visibility != "" {
		l.put("Visibility", g.mcp(map[string]string{"model": "VisibleToModel", "app": "VisibleToApp"}[ui.Visibility]))
	}
	return jen.Op("&").Add(g.mcp("ToolUI")).Values(l...)
}

// pageUI returns the description of a page, or nil if it leaves everything to the host.
func (g *generator) pageUI(ui *model.PageUI) code {
	if ui.Empty() {
		return nil
	}
	var l items
	l.list("ConnectDomains", ui.Connect)
	l.list("ResourceDomains", ui.Load)
	l.list("FrameDomains", ui.Frames)
	l.list("BaseURIDomains", ui.Base)
	var permissions []jen.Code
	for _, p := range ui.Permissions {
		permissions = append(permissions, g.mcp(map[string]string{
			"camera": "PermissionCamera", "microphone": "PermissionMicrophone",
			"geolocation": "PermissionGeolocation", "clipboardWrite": "PermissionClipboardWrite",
		}[p]))
	}
	if len(permissions) > 0 {
		l.put("Permissions", jen.Index().Add(g.mcp("UIPermission")).Values(permissions...))
	}
	l.quoted("Domain", ui.Domain)
	if ui.Border != nil {
		l.put("PrefersBorder", jen.New(jen.Lit(*ui.Border)))
	}
	return jen.Op("&").Add(g.mcp("ResourceUI")).Add(composite(true, l...))
}
