package mcp

import (
	"strconv"
	"sync/atomic"
)

// connections counts those of the process, to tell them apart.
var connections atomic.Uint64

// Peer returns a text that identifies the sender of the request, for state by sender such as rate
// limits: the principal, if it has an ID; or else the network address, of IPv6 the network of 64
// bits, independent of session and connection; or else, on stdio and in memory, the connection.
// All clients with an unknown address, as on a Unix socket, have one text. Within a process, two
// requests with the same text have the same sender in this sense. The form of the text may change.
//
// Behind a proxy the address is that of the proxy, unless the transport is configured otherwise:
// see mcphttp.WithClientAddress and mcpws.WithClientAddress.
func (r *Request) Peer() string {
	if client := r.x.from.countedAs(); client != nil {
		return client.String()
	}
	return "connection " + strconv.FormatUint(r.x.conn.number, 10)
}

// Tool returns the tool of a tools/call, found by name or alias, and whether there is one. It does
// not check whether the request may see the tool.
func (r *Request) Tool() (info FeatureInfo, ok bool) {
	if !r.isCall() {
		return FeatureInfo{}, false
	}
	t := r.tool
	if t == nil {
		if t, _ = r.x.conn.server.lookUp(toolSet, r.Name).(*tool); t == nil {
			return FeatureInfo{}, false
		}
	}
	return t.Info(), true
}
