package mcp

import (
	"net/netip"
	"strconv"
	"sync/atomic"
)

// connections counts those of the process, to tell them apart.
var connections atomic.Uint64

// Peer returns a text that tells who makes the request, as well as is known, for
// what is kept by caller, such as rate limits: the principal; or else the
// connection or session; or else, for a request without either, the network
// address, of IPv6 the network of 64 bits. It is "" where nothing is known. Two
// requests with the same text come from the same one of these, in this process;
// what it looks like may change.
//
// Behind a proxy the address is that of the proxy.
func (r *Request) Peer() string {
	x := r.x
	if id := x.call.principal.ID; id != "" {
		return "principal " + id
	}
	if n := x.conn.number; n != 0 {
		return "connection " + strconv.FormatUint(n, 10)
	}
	if x.from.remote == "" {
		return ""
	}
	return "address " + network(x.from.remote)
}

// network is an address without the port, of IPv6 the network that one customer
// has to choose addresses from.
func network(remote string) string {
	var addr netip.Addr
	if at, err := netip.ParseAddrPort(remote); err == nil {
		addr = at.Addr()
	} else if addr, err = netip.ParseAddr(remote); err != nil {
		return remote
	}
	addr = addr.Unmap().WithZone("")
	if addr.Is6() {
		if p, err := addr.Prefix(64); err == nil {
			return p.String()
		}
	}
	return addr.String()
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
		if t, _ = r.x.conn.server.lookUp(shelfTools, r.Name).(*tool); t == nil {
			return FeatureInfo{}, false
		}
	}
	return t.Info(), true
}
