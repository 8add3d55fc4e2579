package mcp

import "github.com/mcpgen/mcpgen/runtime/jsonrpc"

// flight are the requests of a connection that have no reply yet. Most connections
// never have more than one at a time, and need no table.
type flight struct {
	one  *exchange
	more map[jsonrpc.Key]*exchange // by their ids
}

// find returns the request with that id, nil if there is none.
func (f *flight) find(key jsonrpc.Key) *exchange {
	if f.one != nil && f.one.key == key {
		return f.one
	}
	return f.more[key]
}

// add enters a request whose id is not there yet.
func (f *flight) add(x *exchange) {
	if f.one == nil {
		f.one = x
		return
	}
	if f.more == nil {
		f.more = map[jsonrpc.Key]*exchange{}
	}
	f.more[x.key] = x
}

// remove takes a request out that is there.
func (f *flight) remove(x *exchange) {
	if f.one == x {
		f.one = nil
		return
	}
	delete(f.more, x.key)
}

// all returns the requests in no order.
func (f *flight) all() []*exchange {
	all := make([]*exchange, 0, len(f.more)+1)
	if f.one != nil {
		all = append(all, f.one)
	}
	for _, x := range f.more {
		all = append(all, x)
	}
	return all
}
