package mcpclient

import (
	"encoding/json"
	"maps"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// initialized is the result of initialize.
type initialized struct {
	Version string // that the server has chosen
	Server  ServerInfo
}

// readInitialize reads the result of initialize. It refers to data, as a tool's result.
func readInitialize(data []byte, l *Limits, report func(text string)) (*initialized, error) {
	return read(data, l, report, (*reader).initialized)
}

var initializeMembers = wire.Fields{
	{Name: "protocolVersion", Required: true}, {Name: "capabilities", Required: true}, {Name: "serverInfo"}, {Name: "instructions"},
}

func (r *reader) initialized(v *initialized) {
	d := &r.d
	for o := d.Object(initializeMembers); o.Next(); {
		switch o.Name() {
		case "protocolVersion":
			wire.String(d, &v.Version)
		case "capabilities":
			readCapabilities(d, &v.Server.Capabilities)
		case "serverInfo":
			readImplementation(d, &v.Server.Implementation)
		case "instructions":
			wire.String(d, &v.Server.Instructions)
		}
	}
	if v.Server.Implementation.Name == "" && !d.Failed() {
		r.note("the result of initialize has no serverInfo with a name")
	}
}

// discovered is the result of server/discover.
type discovered struct {
	Server ServerInfo
	ResultInfo
}

// readDiscover reads the result of server/discover. It refers to data, as a tool's result.
func readDiscover(data []byte, l *Limits, report func(text string)) (*discovered, error) {
	return read(data, l, report, (*reader).discovered)
}

var discoverMembers = wire.Fields{
	{Name: "supportedVersions", Required: true}, {Name: "capabilities", Required: true}, {Name: "instructions"},
	{Name: "resultType"}, {Name: "ttlMs"}, {Name: "cacheScope"}, {Name: "_meta"},
}

func (r *reader) discovered(v *discovered) {
	d := &r.d
	for o := d.Object(discoverMembers); o.Next(); {
		switch o.Name() {
		case "supportedVersions":
			wire.Slice(d, &v.Server.Versions, wire.String)
		case "capabilities":
			readCapabilities(d, &v.Server.Capabilities)
		case "instructions":
			wire.String(d, &v.Server.Instructions)
		default:
			r.info(d, o.Name(), &v.ResultInfo)
		}
	}
	if d.Failed() {
		return
	}
	info, err := readServerInfo(v.Meta, r.limits)
	if err != nil {
		d.Fail(wire.RuleType, "_meta: "+protocol.MetaServerInfo+": "+err.Error())
		return
	}
	if info != nil {
		v.Server.Implementation = *info
	}
}

// readServerInfo reads the name of the server from the _meta of a result, as revisions without
// initialize have it; nil if it is not there.
func readServerInfo(m Meta, l *Limits) (*Implementation, error) {
	text := m[protocol.MetaServerInfo]
	if text == nil {
		return nil, nil
	}
	return read(text, l, nil, func(r *reader, i *Implementation) { readImplementation(&r.d, i) })
}

var implementationFields = wire.Fields{
	{Name: "name"}, {Name: "title"}, {Name: "version"}, {Name: "description"}, {Name: "websiteUrl"}, {Name: "icons"},
}

func readImplementation(d *wire.Decoder, i *Implementation) {
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
			wire.Slice(d, &i.Icons, readIcon)
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
