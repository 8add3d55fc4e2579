package mcpclient

import (
	"encoding/json"
	"maps"
	"runtime/debug"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func sortedKeys[V any](m map[string]V) []string {
	if len(m) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(m))
}

// infoOf returns the identity that the client declares. The default is the main module.
func infoOf(info mcp.ClientInfo) mcp.ClientInfo {
	build, ok := debug.ReadBuildInfo()
	if info.Name == "" && ok {
		info.Name = build.Main.Path
		if info.Version == "" {
			info.Version = build.Main.Version
		}
	}
	if info.Name == "" {
		info.Name = "mcpclient"
	}
	if info.Version == "" {
		info.Version = "0"
	}
	return info
}

// appendInfo appends the identity as JSON (Implementation).
func (c *Client) appendInfo(b []byte, r *protocol.Revision) []byte {
	b = addMember(append(b, '{'), "name", wire.AppendString(nil, c.info.Name))
	b = addMember(b, "version", wire.AppendString(nil, c.info.Version))
	if c.info.Title != "" && r.Fields.Title {
		b = addMember(b, "title", wire.AppendString(nil, c.info.Title))
	}
	return append(b, '}')
}

// appendCapabilities appends the capabilities of the client as JSON (ClientCapabilities).
func (c *Client) appendCapabilities(b []byte, r *protocol.Revision) []byte {
	o, declare := &c.options, &r.ClientMessages
	start := len(b)
	b = append(b, '{')
	kinds := func(names ...string) []byte {
		k := []byte{'{'}
		if declare.CapabilityMembers {
			for _, name := range names {
				if name != "" {
					k = addMember(k, name, []byte("{}"))
				}
			}
		}
		return append(k, '}')
	}
	when := func(set bool, name string) string {
		if set {
			return name
		}
		return ""
	}
	if forms, links := c.opensForms(r), c.opensLinks(r); forms || links {
		b = addMember(b, "elicitation", kinds(when(forms, "form"), when(links, "url")))
	}
	if o.Sample != nil {
		b = addMember(b, "sampling", kinds(when(o.SampleContext, "context"), when(o.SampleTools, "tools")))
	}
	if o.Roots != nil {
		roots := "{}"
		if declare.RootsListChanged {
			roots = `{"listChanged":true}`
		}
		b = addMember(b, "roots", []byte(roots))
	}
	if len(o.Extensions) > 0 && r.Fields.Extensions {
		b = addMember(b, "extensions", appendObjects(o.Extensions))
	}
	if len(o.Experimental) > 0 {
		b = addMember(b, "experimental", appendObjects(o.Experimental))
	}
	b = append(b, '}')
	if c.testing != nil {
		return append(b[:start], c.testing.Capabilities(slices.Clone(b[start:]))...)
	}
	return b
}

// appendObjects appends an object of objects, which Connect has checked.
func appendObjects(m map[string]json.RawMessage) []byte {
	b := []byte{'{'}
	for _, name := range sortedKeys(m) {
		b = addMember(b, name, m[name])
	}
	return append(b, '}')
}

// metaOf returns the members, without braces, that a revision without sessions requires in the
// _meta of every request.
func (c *Client) metaOf(r *protocol.Revision) []byte {
	return c.metas[r.Index()]
}

func (c *Client) makeMeta(r *protocol.Revision) []byte {
	if !r.PerRequest {
		return nil
	}
	b := []byte{'{'}
	b = addMember(b, protocol.MetaVersion, wire.AppendString(nil, r.Version))
	b = addMember(b, protocol.MetaClientInfo, c.appendInfo(nil, r))
	b = addMember(b, protocol.MetaCapabilities, c.appendCapabilities(nil, r))
	return b[1:]
}
