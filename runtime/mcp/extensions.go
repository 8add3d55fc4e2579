package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file defines the extensions that a server declares. They do not change after [NewServer].

// Extension is an extension of the protocol (versioning, extension negotiation). It is declared
// from revision 2025-11-25 on; in earlier revisions its methods do not exist.
type Extension struct {
	// Name consists of a prefix, a slash and a name: com.example/search. It has the syntax of the
	// keys of [Meta].
	Name string
	// Settings are published to clients, as a JSON object; nil means an empty object.
	Settings json.RawMessage
	// Methods are the handlers of requests, by method.
	Methods map[string]ExtensionFunc
	// Notifications are the handlers of notifications, by method. Each notification is handled in
	// its own goroutine. params is a copy, or nil if the notification contains none. The context is
	// cancelled when the connection closes, and after the time that a method may take.
	Notifications map[string]func(ctx context.Context, params json.RawMessage)
	// Required makes the methods fail with a [*CapabilityError] for clients that have not declared
	// the extension.
	Required bool
	// Experimental declares an experimental capability instead, in every revision. Its name may be
	// any text, and it cannot be Required, since clients have no place to declare it.
	Experimental bool
}

// ExtensionFunc answers a request of an extension. The result is a JSON object, or nil for an empty
// one; the server adds the members that the revision requires in every result, if they are missing.
// Errors are handled as the errors of any handler: their texts are hidden unless they are a
// [*ProtocolError] or made by [Errorf].
type ExtensionFunc func(ctx context.Context, req *Request) (json.RawMessage, error)

// extensions are the extensions of a server. They do not change after [NewServer].
type extensions struct {
	settings      map[string]json.RawMessage
	experimental  map[string]json.RawMessage
	methods       map[string]*extensionMethod
	notifications map[string]func(context.Context, json.RawMessage)
}

type extensionMethod struct {
	extension string
	required  bool
	own       bool // the server writes the results
	call      ExtensionFunc
}

func (x *extensions) declare(e Extension, settings json.RawMessage) {
	if x.settings == nil {
		x.settings, x.experimental = map[string]json.RawMessage{}, map[string]json.RawMessage{}
		x.methods = map[string]*extensionMethod{}
		x.notifications = map[string]func(context.Context, json.RawMessage){}
	}
	all := x.settings
	if e.Experimental {
		all = x.experimental
	}
	if _, twice := all[e.Name]; twice {
		panic(fmt.Sprintf("mcp: extension %s declared twice", e.Name))
	}
	all[e.Name] = settings
	for method, call := range e.Methods {
		if x.methods[method] != nil || protocol.Known(method) {
			panic(fmt.Sprintf("mcp: method %s of extension %s is taken", method, e.Name))
		}
		x.methods[method] = &extensionMethod{extension: e.Name, required: e.Required, call: call}
	}
	for method, take := range e.Notifications {
		if x.notifications[method] != nil || protocol.Known(method) {
			panic(fmt.Sprintf("mcp: notification %s of extension %s is taken", method, e.Name))
		}
		x.notifications[method] = take
	}
}

// appendTo writes the capabilities, as members of the object that begins at start. features has the
// settings of extensions that features bring, and belongs to the call. What [WithExtension] has
// declared itself comes before that.
func (x *extensions) appendTo(b []byte, start int, rev *protocol.Revision, features map[string]json.RawMessage) []byte {
	settings := x.settings
	if len(features) > 0 {
		maps.Copy(features, settings)
		settings = features
	}
	if rev.Fields.Extensions {
		b = appendSettings(b, start, "extensions", settings)
	}
	return appendSettings(b, start, "experimental", x.experimental)
}

func appendSettings(b []byte, start int, name string, all map[string]json.RawMessage) []byte {
	if len(all) == 0 {
		return b
	}
	b = append(jsonobject.Comma(b, start), '"')
	b = append(b, name...)
	b = append(b, `":{`...)
	for i, key := range slices.Sorted(maps.Keys(all)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = wire.AppendString(b, key)
		b = append(b, ':')
		b = append(b, all[key]...)
	}
	return append(b, '}')
}

// method returns a method of an extension, or nil if there is no such method or the revision does
// not support the extension.
func (s *Server) method(name string, rev *protocol.Revision) *extensionMethod {
	if !rev.Fields.Extensions {
		return nil
	}
	if brought := s.brought.Load(); brought != nil && rev.Skills {
		if m := brought.methods[name]; m != nil {
			return m
		}
	}
	return s.extensions.methods[name]
}
