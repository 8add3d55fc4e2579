package mcpclient

import (
	"bytes"
	"encoding/json"
	"maps"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// initialized is the result of initialize.
type initialized struct {
	version string // the server's choice
	server  DiscoverResult
}

// readInitialize reads the result of initialize. It copies data.
func readInitialize(data []byte) (version string, server *DiscoverResult, err error) {
	v := new(initialized)
	err = read(bytes.Clone(data), &defaultLimits, nil, func(r *reader) { r.initialized(v) })
	return v.version, &v.server, err
}

var initializeMembers = wire.Fields{
	{Must: "protocolVersion"}, {Must: "capabilities"}, {Name: "serverInfo"}, {Name: "instructions"},
}

func (r *reader) initialized(v *initialized) {
	d := &r.d
	for o := d.Object(initializeMembers); o.Next(); {
		switch o.Name() {
		case "protocolVersion":
			wire.String(d, &v.version)
		case "capabilities":
			readCapabilities(d, &v.server.Capabilities)
		case "serverInfo":
			readImplementation(d, &v.server.ServerInfo)
		case "instructions":
			wire.String(d, &v.server.Instructions)
		}
	}
}

// readDiscover reads the result of server/discover. It copies data, which may be stored for other
// clients.
func readDiscover(data []byte) (*DiscoverResult, error) {
	v := new(DiscoverResult)
	return whole(v, read(bytes.Clone(data), &defaultLimits, nil, func(r *reader) { r.discovered(v) }))
}

var discoverMembers = wire.Fields{
	{Must: "supportedVersions"}, {Must: "capabilities"}, {Name: "instructions"}, {Name: "_meta"},
}

func (r *reader) discovered(s *DiscoverResult) {
	d := &r.d
	for o := d.Object(discoverMembers); o.Next(); {
		switch o.Name() {
		case "supportedVersions":
			wire.Slice(d, &s.Versions, wire.String)
		case "capabilities":
			readCapabilities(d, &s.Capabilities)
		case "instructions":
			wire.String(d, &s.Instructions)
		case "_meta":
			for o := d.Object(serverMetaFields); o.Next(); {
				readImplementation(d, &s.ServerInfo)
			}
		}
	}
}

var serverMetaFields = wire.Fields{{Name: protocol.MetaServerInfo}}

var implementationFields = wire.Fields{
	{Name: "name"}, {Name: "title"}, {Name: "version"}, {Name: "description"}, {Name: "websiteUrl"}, {Name: "icons"},
}

func readImplementation(d *wire.Decoder, i *mcp.ServerInfo) {
	for o := d.Object(implementationFields); o.Next(); {
		switch o.Name() {
		case "name":
			wire.String(d, &i.Name)
		case "title":
			wire.String(d, &i.Title)
		case "version":
			wire.String(d, &i.Version)
		case "description":
			wire.String(d, &i.Description)
		case "websiteUrl":
			wire.String(d, &i.Website)
		case "icons":
			i.Icons = readIcons(d)
		}
	}
}

// readCapabilities reads the capabilities of a server: objects, by name.
func readCapabilities(d *wire.Decoder, c *map[string]json.RawMessage) {
	wire.Map(d, c, readCapability)
	maps.DeleteFunc(*c, func(_ string, v json.RawMessage) bool { return v == nil })
}

func readCapability(d *wire.Decoder, v *json.RawMessage) {
	if !d.Null() {
		readObject(d, v)
	}
}
