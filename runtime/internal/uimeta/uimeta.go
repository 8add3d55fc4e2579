// Package uimeta reads the interfaces of tools and pages from metadata (MCP Apps), for clients and
// for tools of other libraries. Members of another type than the specification's are left out: the
// metadata itself stays as it came.
package uimeta

import (
	"encoding/json"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// The members of metadata that describe the interface of a tool.
const (
	uiKey  = "ui"
	oldKey = "ui/resourceUri" // as servers wrote it before _meta.ui
)

// Tool returns the interface of a tool, or nil.
func Tool(m mcp.Meta) *mcp.ToolUI {
	var ui mcp.ToolUI
	eachMember(m[uiKey], func(name string, value []byte) {
		switch name {
		case "resourceUri":
			ui.ResourceURI, _ = jsonrpc.String(value)
		case "visibility":
			ui.Visibility = visibility(value)
		}
	})
	if ui.ResourceURI == "" {
		ui.ResourceURI, _ = jsonrpc.String(m[oldKey])
	}
	if ui == (mcp.ToolUI{}) {
		return nil
	}
	return &ui
}

// Take returns the interface of a tool, and removes its members from the metadata.
func Take(m mcp.Meta) *mcp.ToolUI {
	ui := Tool(m)
	delete(m, uiKey)
	delete(m, oldKey)
	return ui
}

// visibility reads the list of those who call a tool. A tool that no one calls is not for the
// model.
func visibility(value []byte) mcp.ToolVisibility {
	if len(value) == 0 || value[0] != '[' {
		return mcp.VisibleToBoth
	}
	model, app := false, false
	for _, who := range texts(value) {
		model, app = model || who == string(mcp.VisibleToModel), app || who == string(mcp.VisibleToApp)
	}
	switch {
	case model && app:
		return mcp.VisibleToBoth
	case model:
		return mcp.VisibleToModel
	}
	return mcp.VisibleToApp
}

// Resource returns the description of a page, or nil.
func Resource(m mcp.Meta) *mcp.ResourceUI {
	if !jsonobject.Is(m[uiKey]) {
		return nil
	}
	ui := new(mcp.ResourceUI)
	eachMember(m[uiKey], func(name string, value []byte) {
		switch name {
		case "csp":
			eachMember(value, func(name string, value []byte) {
				switch name {
				case "connectDomains":
					ui.ConnectDomains = texts(value)
				case "resourceDomains":
					ui.ResourceDomains = texts(value)
				case "frameDomains":
					ui.FrameDomains = texts(value)
				case "baseUriDomains":
					ui.BaseURIDomains = texts(value)
				}
			})
		case "permissions":
			eachMember(value, func(name string, _ []byte) { ui.Permissions = append(ui.Permissions, mcp.UIPermission(name)) })
		case "domain":
			ui.Domain, _ = jsonrpc.String(value)
		case "prefersBorder":
			if text := string(value); text == "true" || text == "false" {
				ui.PrefersBorder = new(text == "true")
			}
		}
	})
	return ui
}

// eachMember calls f with the members of an object.
func eachMember(object json.RawMessage, f func(name string, value []byte)) {
	if jsonobject.Is(object) {
		jsonrpc.Members(object, func(name, value []byte) bool {
			f(string(name), value)
			return true
		})
	}
}

// texts returns the texts in an array.
func texts(array []byte) (all []string) {
	if len(array) > 0 && array[0] == '[' {
		jsonrpc.Elements(array, func(value []byte) bool {
			if text, ok := jsonrpc.String(value); ok {
				all = append(all, text)
			}
			return true
		})
	}
	return all
}
