package mcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/valid"
	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file describes interfaces: pages that hosts show beside the results of tools (MCP Apps, the
// extension io.modelcontextprotocol/ui). A page is a resource whose URI begins with ui://.

// UIMIMEType is the MIME type of every page whose URI begins with ui://.
const UIMIMEType = valid.UIMIMEType

// ToolUI is the interface of a tool (MCP Apps, resource discovery). Clients of every revision get
// it.
type ToolUI struct {
	// ResourceURI is the URI of the page that shows results of the tool: a resource of the same
	// server, or a URI that matches one of its templates. It begins with ui://. "" means that the
	// tool has no page: pages of other tools call it.
	ResourceURI string
	// Visibility limits who calls the tool. Hosts enforce it. The server cannot, since a call of a
	// page looks like a call of the model.
	Visibility ToolVisibility
}

// ToolVisibility tells who calls a tool.
type ToolVisibility string

// The visibilities.
const (
	VisibleToBoth  ToolVisibility = ""      // the model, and the pages of the server
	VisibleToModel ToolVisibility = "model" // the model alone
	VisibleToApp   ToolVisibility = "app"   // the pages of the server alone
)

// ResourceUI describes a page to the hosts that show it (MCP Apps, UIResourceMeta). A nil one is a
// page that loads nothing, connects to nothing and asks for nothing.
//
// An origin is a scheme, a host and perhaps a port: https://api.example.com. The host *.example.com
// matches all subdomains.
type ResourceUI struct {
	ConnectDomains  []string // origins of requests by fetch, XMLHttpRequest and WebSocket; also ws: and wss:
	ResourceDomains []string // origins of scripts, styles, images, fonts and media
	FrameDomains    []string // origins of frames inside the page
	BaseURIDomains  []string // origins of the element base

	Permissions []UIPermission
	// Domain is the origin that the page would like to have. Its form is the host's, and differs
	// between hosts; "" leaves it to the host.
	Domain string
	// PrefersBorder asks for a border and a background around the page, or for none; nil leaves it
	// to the host.
	PrefersBorder *bool
}

// UIPermission is a permission that a page asks for. Hosts may refuse it.
type UIPermission string

// The permissions.
const (
	PermissionCamera         UIPermission = "camera"
	PermissionMicrophone     UIPermission = "microphone"
	PermissionGeolocation    UIPermission = "geolocation"
	PermissionClipboardWrite UIPermission = "clipboardWrite"
)

// The members of _meta that belong to interfaces.
const (
	uiMeta          = "ui"
	uiMetaOfOldHost = "ui/resourceUri" // before _meta.ui; hosts still read it
)

// check returns an error if hosts could not use the interface.
func (u *ToolUI) check() error {
	if u == nil {
		return nil
	}
	if u.ResourceURI != "" {
		if !valid.IsUI(u.ResourceURI) {
			return fmt.Errorf("the URI %q of its interface does not begin with %s", u.ResourceURI, valid.UIScheme)
		}
		if fault := valid.ResourceURI("its interface", u.ResourceURI); fault != nil {
			return fault
		}
	}
	switch u.Visibility {
	case VisibleToBoth, VisibleToModel, VisibleToApp:
		return nil
	}
	return fmt.Errorf("there is no visibility %q", string(u.Visibility))
}

// hasPage reports whether a page shows the results of the tool.
func (u *ToolUI) hasPage() bool { return u != nil && u.ResourceURI != "" }

// appOnly reports whether the model does not call the tool.
func (u *ToolUI) appOnly() bool { return u != nil && u.Visibility == VisibleToApp }

// appendTo writes the members of _meta, if there are any.
func (u *ToolUI) appendTo(b []byte) []byte {
	if u == nil || *u == (ToolUI{}) {
		return b
	}
	b = append(b, `"`+uiMeta+`":{`...)
	start := len(b)
	if u.ResourceURI != "" {
		b = append(b, `"resourceUri":`...)
		b = wire.AppendString(b, u.ResourceURI)
	}
	if u.Visibility != VisibleToBoth {
		b = append(jsonobject.Comma(b, start), `"visibility":[`...)
		b = append(wire.AppendString(b, string(u.Visibility)), ']')
	}
	b = append(b, '}')
	if u.ResourceURI != "" {
		b = append(b, `,"`+uiMetaOfOldHost+`":`...)
		b = wire.AppendString(b, u.ResourceURI)
	}
	return b
}

func (u *ToolUI) clone() *ToolUI {
	if u == nil {
		return nil
	}
	c := *u
	return &c
}

func (u *ResourceUI) clone() *ResourceUI {
	if u == nil {
		return nil
	}
	c := *u
	c.ConnectDomains, c.ResourceDomains = slices.Clone(u.ConnectDomains), slices.Clone(u.ResourceDomains)
	c.FrameDomains, c.BaseURIDomains = slices.Clone(u.FrameDomains), slices.Clone(u.BaseURIDomains)
	c.Permissions = slices.Clone(u.Permissions)
	if u.PrefersBorder != nil {
		c.PrefersBorder = new(*u.PrefersBorder)
	}
	return &c
}

// check returns an error if hosts could not use the description of the page.
func (u *ResourceUI) check() error {
	if u == nil {
		return nil
	}
	for i, origins := range [...][]string{u.ConnectDomains, u.ResourceDomains, u.FrameDomains, u.BaseURIDomains} {
		for _, origin := range origins {
			if fault := valid.Origin(origin, i == 0); fault != nil {
				return fault
			}
		}
	}
	for _, p := range u.Permissions {
		if !valid.IsUIPermission(string(p)) {
			return fmt.Errorf("there is no permission %q: the permissions are %s", string(p), strings.Join(valid.UIPermissions, ", "))
		}
	}
	return nil
}

// empty reports whether the description leaves everything to the host.
func (u *ResourceUI) empty() bool {
	return u == nil || len(u.ConnectDomains)+len(u.ResourceDomains)+len(u.FrameDomains)+len(u.BaseURIDomains)+len(u.Permissions) == 0 &&
		u.Domain == "" && u.PrefersBorder == nil
}

// appendTo writes the member of _meta, unless the description is empty.
func (u *ResourceUI) appendTo(b []byte) []byte {
	if u.empty() {
		return b
	}
	b = append(b, `"`+uiMeta+`":{`...)
	start := len(b)
	for _, part := range [...]struct {
		name    string
		origins []string
	}{
		{"connectDomains", u.ConnectDomains}, {"resourceDomains", u.ResourceDomains},
		{"frameDomains", u.FrameDomains}, {"baseUriDomains", u.BaseURIDomains},
	} {
		if len(part.origins) == 0 {
			continue
		}
		if len(b) == start {
			b = append(b, `"csp":{"`...)
		} else {
			b = append(b, `,"`...)
		}
		b = append(append(b, part.name...), `":[`...)
		for i, origin := range part.origins {
			if i > 0 {
				b = append(b, ',')
			}
			b = wire.AppendString(b, origin)
		}
		b = append(b, ']')
	}
	if len(b) > start {
		b = append(b, '}')
	}
	if len(u.Permissions) > 0 {
		b = append(jsonobject.Comma(b, start), `"permissions":{`...)
		for i, p := range u.Permissions {
			if slices.Contains(u.Permissions[:i], p) {
				continue
			}
			if i > 0 {
				b = append(b, ',')
			}
			b = append(wire.AppendString(b, string(p)), ":{}"...)
		}
		b = append(b, '}')
	}
	if u.Domain != "" {
		b = append(jsonobject.Comma(b, start), `"domain":`...)
		b = wire.AppendString(b, u.Domain)
	}
	if u.PrefersBorder != nil {
		b = append(jsonobject.Comma(b, start), `"prefersBorder":`...)
		b = wire.AppendBool(b, *u.PrefersBorder)
	}
	return append(b, '}')
}

// weight estimates the bytes of the description.
func (u *ResourceUI) weight() int {
	if u == nil {
		return 0
	}
	size := 200 + textWeight(len(u.Domain))
	for _, origins := range [...][]string{u.ConnectDomains, u.ResourceDomains, u.FrameDomains, u.BaseURIDomains} {
		for _, origin := range origins {
			size += textWeight(len(origin))
		}
	}
	return size
}

// checkPage returns an error for a page with another MIME type than hosts show, and for the
// description of a page at a resource that is none.
func checkPage(uri, mime string, ui *ResourceUI) error {
	switch page := valid.IsUI(uri); {
	case page && mime != UIMIMEType:
		return fmt.Errorf("%s has the MIME type %q: hosts show %s alone", uri, mime, UIMIMEType)
	case !page && ui != nil:
		return fmt.Errorf("%s has an interface, and its URI does not begin with %s", uri, valid.UIScheme)
	}
	return ui.check()
}

// checkUI panics if the description of a feature's interface is not valid.
func checkUI(kind FeatureKind, name string, m Meta, err error) {
	for _, err := range []error{err, m.checkNoUI()} {
		if err != nil {
			panic(fmt.Sprintf("mcp: %s %q: %v", kind, name, err))
		}
	}
}

// checkNoUI returns an error for metadata that a field describes.
func (m Meta) checkNoUI() error {
	for _, key := range [...]string{uiMeta, uiMetaOfOldHost} {
		if _, set := m[key]; set {
			return fmt.Errorf("the _meta key %q describes an interface: set the field UI instead", key)
		}
	}
	return nil
}
