package mcp

import (
	"iter"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// inflight are the requests of a connection that are not answered yet, by their ids.
// Where there is only one, as nearly always, it needs no map.
type inflight struct {
	only *exchange
	more map[jsonrpc.Key]*exchange
}

func (f *inflight) get(key jsonrpc.Key) *exchange {
	if f.only != nil && f.only.key == key {
		return f.only
	}
	return f.more[key]
}

// add adds a request whose id is not there.
func (f *inflight) add(x *exchange) {
	switch {
	case f.only == nil:
		f.only = x
	case f.more == nil:
		f.more = map[jsonrpc.Key]*exchange{x.key: x}
	default:
		f.more[x.key] = x
	}
}

// remove removes a request, if it is there.
func (f *inflight) remove(x *exchange) {
	if f.only == x {
		f.only = nil
	} else {
		delete(f.more, x.key)
	}
}

func (f *inflight) all() iter.Seq[*exchange] {
	return func(yield func(*exchange) bool) {
		if f.only != nil && !yield(f.only) {
			return
		}
		for _, x := range f.more {
			if !yield(x) {
				return
			}
		}
	}
}
