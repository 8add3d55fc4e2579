package mcp

import (
	"runtime/debug"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ServerInfo is the identity of a server (Implementation in the specification's schema), with
// instructions and properties of its lists.
type ServerInfo struct {
	Name         string `json:"name"`            // for programs
	Title        string `json:"title,omitempty"` // for people
	Version      string `json:"version"`         // "" = the version of the main module, read from the build info
	Description  string `json:"description,omitempty"`
	Instructions string `json:"instructions,omitempty"` // how to use the server, for the model
	Website      string `json:"websiteUrl,omitempty"`   // a URL
	Icons        []Icon `json:"icons,omitempty"`

	// ListTTL is the time for which a client may cache a list, from revision 2026-07-28 on.
	ListTTL time.Duration `json:"-"`
	// PrivateLists forbids shared caches to return a list to other clients. It is implied by
	// [WithAccess].
	PrivateLists bool `json:"-"`
}

// Icon is a picture for a user interface (from revision 2025-11-25 on).
type Icon struct {
	Source   string   `json:"src"`                // https: or data: URI
	MIMEType string   `json:"mimeType,omitempty"` // "" = the type of the source
	Sizes    []string `json:"sizes,omitempty"`    // such as "48x48", or "any"
	Theme    string   `json:"theme,omitempty"`    // "light", "dark" or "" for both
}

// buildVersion is the version of the main module, the revision it was built from, or "devel".
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	return versionOf(info)
}

func versionOf(info *debug.BuildInfo) string {
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && s.Value != "" {
			return s.Value[:min(len(s.Value), 12)]
		}
	}
	return "devel"
}

// appendImplementation writes the identity with the members of the revision, in full or only with
// its names.
func (i *ServerInfo) appendImplementation(b []byte, f *protocol.Fields, full bool) []byte {
	b = append(b, `{"name":`...)
	b = wire.AppendString(b, i.Name)
	if f.Title {
		b = jsonobject.AppendText(b, "title", i.Title)
	}
	b = append(b, `,"version":`...)
	b = wire.AppendString(b, i.Version)
	if full && f.Website {
		b = jsonobject.AppendText(b, "description", i.Description)
		b = jsonobject.AppendText(b, "websiteUrl", i.Website)
	}
	if full && f.Icons {
		b = appendIcons(b, i.Icons)
	}
	return append(b, '}')
}

// appendIcons writes the member icons after others, unless icons is empty.
func appendIcons(b []byte, icons []Icon) []byte {
	if len(icons) == 0 {
		return b
	}
	b = append(b, `,"icons":[`...)
	for n, icon := range icons {
		if n > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"src":`...)
		b = wire.AppendString(b, icon.Source)
		b = jsonobject.AppendText(b, "mimeType", icon.MIMEType)
		if len(icon.Sizes) > 0 {
			b = append(b, `,"sizes":[`...)
			for k, size := range icon.Sizes {
				if k > 0 {
					b = append(b, ',')
				}
				b = wire.AppendString(b, size)
			}
			b = append(b, ']')
		}
		b = jsonobject.AppendText(b, "theme", icon.Theme)
		b = append(b, '}')
	}
	return append(b, ']')
}
