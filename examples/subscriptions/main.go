// Subscriptions notifies clients of changes to a resource to which they subscribed.
//
//	go run ./subscriptions                             # serves the client that has started it
//	go run ./subscriptions -http 8080                  # one counter for all clients, at http://127.0.0.1:8080/mcp
//	go tool mcpgen read ./subscriptions counter:///now # reads the resource of a new server
package main

import (
	"context"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

//go:generate go tool mcpgen

func main() { mcpcmd.Main(newServer()) }

// newServer creates the counter and its server, which refer to each other.
func newServer() *mcp.Server {
	c := &Counter{}
	s := NewMCPServer(c)
	c.changed = func() { s.ResourceUpdated("counter:///now") }
	return s
}

// Counter is a number that clients raise.
type Counter struct {
	value   atomic.Int64
	changed func() // notifies subscribers; nil in a Counter without a server
}

// Value is the value of the counter.
type Value struct {
	Value int64 `json:"value"`
}

// Now is the value of the counter at this moment.
//
//mcp:resource counter:///now
func (c *Counter) Now(context.Context) Value { return Value{c.value.Load()} }

// Raise raises the counter and returns its new value. Subscribers are notified: they read the
// resource when they want to know the value.
//
//mcp:tool additive closedworld
//mcp:arg by "by how much" default=1 minimum=1 maximum=1000
func (c *Counter) Raise(_ context.Context, by int64) Value {
	v := Value{c.value.Add(by)}
	if c.changed != nil {
		c.changed()
	}
	return v
}
