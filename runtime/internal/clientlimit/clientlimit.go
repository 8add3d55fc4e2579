// Package clientlimit identifies clients for limits per client, and counts their use.
package clientlimit

import (
	"hash/maphash"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"unique"
)

// Client is the unit of limits per client: a principal, or else a network. All clients without
// either count as one. It is comparable.
//
// It is a handle, since several tables look up the client of a request: the principal or the
// network is hashed once.
type Client struct {
	of unique.Handle[identity]
}

type identity struct {
	principal string
	network   netip.Prefix
}

// Of returns the client of a principal or, if principal is "", of an address. The zero address
// means that it is not known.
func Of(principal string, address netip.Addr) Client {
	if principal != "" {
		return Client{unique.Make(identity{principal: principal})}
	}
	return Client{unique.Make(identity{network: network(address)})}
}

// String returns a text that is different for every client.
func (c Client) String() string {
	var of identity // of the zero Client
	if c != (Client{}) {
		of = c.of.Value()
	}
	switch {
	case of.principal != "":
		return "principal " + of.principal
	case !of.network.IsValid():
		return "address unknown"
	case of.network.IsSingleIP():
		return "address " + of.network.Addr().String()
	}
	return "address " + of.network.String()
}

// networkBits is the prefix length of an IPv6 address that identifies a client: a customer gets at
// least a network of that size, and can choose the rest of the address.
const networkBits = 64

// network returns the network whose addresses count as one client: for IPv4 a single address. It is
// the zero Prefix for the zero address.
func network(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	bits := a.BitLen()
	if a.Is6() {
		bits = networkBits
	}
	p, _ := a.Prefix(bits) // bits is in range
	return p
}

// Address returns the IP address in a text that may contain a port, such as
// http.Request.RemoteAddr, or the zero Addr if the text does not contain one, as for a Unix socket.
func Address(remote string) netip.Addr {
	if !strings.ContainsAny(remote, ".:") {
		return netip.Addr{} // ParseAddr would allocate an error
	}
	if at, err := netip.ParseAddrPort(remote); err == nil {
		return at.Addr()
	}
	a, _ := netip.ParseAddr(remote)
	return a
}

// DefaultShare is the percentage of a limit that one client may use.
const DefaultShare = 25

// Share returns the limit of one client: a percentage of the limit of all, rounded up. More than
// 100 percent are 100.
func Share(most, percent int) int {
	percent = min(percent, 100)
	return most/100*percent + (most%100*percent+99)/100 // most*percent could be too large
}

// Quarter is the default share of one client.
func Quarter(most int) int { return Share(most, DefaultShare) }

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

// Counter counts concurrent uses. It limits the uses of all clients, and the uses of each client.
// Its methods may be called by several goroutines.
type Counter struct {
	most, each int
	total      atomic.Int64
	seed       maphash.Seed
	parts      [16]part // by client, so that clients rarely share a lock
}

type part struct {
	mu sync.Mutex
	of Table
}

// NewCounter returns a counter that allows most uses in all, and each for one client.
func NewCounter(most, each int) *Counter {
	c := &Counter{most: most, each: each, seed: maphash.MakeSeed()}
	for i := range c.parts {
		c.parts[i].of = Table{}
	}
	return c
}

// Take counts one more use. It returns false, and counts nothing, if a limit is reached. A nil
// client counts only for the limit of all.
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

// Give releases a use that Take has counted.
func (c *Counter) Give(who *Client) {
	if who != nil {
		p := c.part(who)
		p.mu.Lock()
		p.of.Remove(*who)
		p.mu.Unlock()
	}
	c.total.Add(-1)
}

// Full reports whether Take would now return false for every client.
func (c *Counter) Full() bool { return c.total.Load() >= int64(c.most) }

// Total returns the number of uses.
func (c *Counter) Total() int { return int(c.total.Load()) }

func (c *Counter) part(who *Client) *part {
	return &c.parts[maphash.Comparable(c.seed, *who)%uint64(len(c.parts))]
}
