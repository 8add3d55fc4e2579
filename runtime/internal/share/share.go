// Package share says who a client is where limits count by client, and counts.
package share

import (
	"hash/maphash"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
)

// Client is whom limits count by: a principal, or else a network. All clients of whom
// neither is known are one. It can be compared.
type Client struct {
	principal string
	network   netip.Prefix
}

// Of returns the client with that principal or, where it is "", that address. The
// address may be the zero one, which means that it is not known.
func Of(principal string, address netip.Addr) Client {
	if principal != "" {
		return Client{principal: principal}
	}
	return Client{network: Network(address)}
}

// String returns a text that differs from that of every other client.
func (c Client) String() string {
	switch {
	case c.principal != "":
		return "principal " + c.principal
	case !c.network.IsValid():
		return "address unknown"
	case c.network.IsSingleIP():
		return "address " + c.network.Addr().String()
	}
	return "address " + c.network.String()
}

// networkBits is the part of an IPv6 address that is not for the client to choose: one
// customer has at least a network of that size.
const networkBits = 64

// Network returns the network that one client has the addresses of: of IPv4 a single
// one. It is the zero Prefix for the zero address.
func Network(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	if !a.IsValid() {
		return netip.Prefix{}
	}
	bits := a.BitLen()
	if a.Is6() {
		bits = networkBits
	}
	p, _ := a.Prefix(bits) // the number fits
	return p
}

// Address returns the IP address in a text that may have a port, as that in
// http.Request.RemoteAddr; the zero one where there is none, as of a Unix socket.
func Address(remote string) netip.Addr {
	if !strings.ContainsAny(remote, ".:") {
		return netip.Addr{} // without an error to make
	}
	if at, err := netip.ParseAddrPort(remote); err == nil {
		return at.Addr()
	}
	a, _ := netip.ParseAddr(remote)
	return a
}

// Quarter is the share of one client unless said otherwise.
func Quarter(most int) int { return (most + 3) / 4 }

// Each returns how many of so many one client may have: as said, or a quarter of what is
// said for all, or as before where neither is said.
func Each(most, each, before int) int {
	switch {
	case each > 0:
		return each
	case most > 0:
		return Quarter(most)
	}
	return before
}

// Table counts by client. It serves one goroutine at a time.
type Table map[Client]int

// Add counts one more.
func (t Table) Add(c Client) { t[c]++ }

// Remove counts one less.
func (t Table) Remove(c Client) {
	if t[c]--; t[c] <= 0 {
		delete(t, c)
	}
}

// Counter counts what clients have at the same time: up to a number in all, and up to
// another one for each client. Its methods may be called by many goroutines.
type Counter struct {
	most, each int
	total      atomic.Int64
	seed       maphash.Seed
	parts      [16]part // by client, so that clients do not wait for one another
}

type part struct {
	mu sync.Mutex
	of Table
}

// NewCounter returns a counter that allows so many in all, and for each client.
func NewCounter(most, each int) *Counter {
	c := &Counter{most: most, each: each, seed: maphash.MakeSeed()}
	for i := range c.parts {
		c.parts[i].of = Table{}
	}
	return c
}

// Take counts one more, unless there are too many. A nil client counts for the number
// in all alone.
func (c *Counter) Take(who *Client) bool {
	if c.total.Add(1) > int64(c.most) {
		c.total.Add(-1)
		return false
	}
	if who == nil {
		return true
	}
	p := c.part(who)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of[*who] >= c.each {
		c.total.Add(-1)
		return false
	}
	p.of.Add(*who)
	return true
}

// Give undoes Take.
func (c *Counter) Give(who *Client) {
	if who != nil {
		p := c.part(who)
		p.mu.Lock()
		p.of.Remove(*who)
		p.mu.Unlock()
	}
	c.total.Add(-1)
}

// Full reports whether Take would report false for every client.
func (c *Counter) Full() bool { return c.total.Load() >= int64(c.most) }

// Total returns how many there are.
func (c *Counter) Total() int { return int(c.total.Load()) }

func (c *Counter) part(who *Client) *part {
	return &c.parts[maphash.Comparable(c.seed, *who)%uint64(len(c.parts))]
}
