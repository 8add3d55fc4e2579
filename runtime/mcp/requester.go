package mcp

import (
	"strconv"
	"sync/atomic"
)

// connections counts those of the process, to tell them apart.
var connections atomic.Uint64

// Peer returns a text that tells who makes the request, as well as is known, for
// what is kept by caller, such as rate limits: the principal, if it has an ID; or else
// the network address, of IPv6 the network of 64 bits, whatever the session or
// connection; or else, on stdio and in memory, the connection. All clients whose
// address is not known, as on a Unix socket, have one text. Two requests with the same
// text come from the same one of these, in this process; what it looks like may change.
//
// Behind a proxy the address is that of the proxy, unless the transport is told
// otherwise: see mcphttp.WithClientAddress and mcpws.WithClientAddress.
func (r *Request) Peer() string {
	if client := r.x.from.share(); client != nil {
		return client.String()
	}
	return "connection " + strconv.FormatUint(r.x.conn.number, 10)
}

// Tool returns the tool that a tools/call is about, by whatever of its names it
// is called, and whether there is one. It does not look whether the request may
// see it.
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
