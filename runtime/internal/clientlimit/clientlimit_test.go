package clientlimit_test

import (
	"math"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
)

func TestClients(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.1:80": "address 192.0.2.1", "192.0.2.1": "address 192.0.2.1", "[::ffff:192.0.2.1]:80": "address 192.0.2.1",
		"[2001:db8:1:2:3::1]:80": "address 2001:db8:1:2::/64", "2001:db8:1:2:ffff::": "address 2001:db8:1:2::/64",
		"[fe80::1%eth0]:1": "address fe80::/64", "[::1]:1": "address ::/64",
		"": "address unknown", "@": "address unknown", "/run/x.sock": "address unknown", "a:b": "address unknown", "pipe": "address unknown",
	} {
		c := clientlimit.Of("", clientlimit.Address(remote))
		if got := c.String(); got != want {
			t.Errorf("%q: %s, want %s", remote, got, want)
		}
		if p := clientlimit.Of("ada", clientlimit.Address(remote)); p.String() != "principal ada" || p != clientlimit.Of("ada", netip.Addr{}) {
			t.Errorf("%q: %s", remote, p)
		}
	}
	// A principal is never equal to an address with the same text.
	if clientlimit.Of("address unknown", netip.Addr{}).String() == clientlimit.Of("", netip.Addr{}).String() {
		t.Error("a principal is taken for an address")
	}
}

func TestShare(t *testing.T) {
	for _, c := range [][3]int{
		{10_000, 25, 2500}, {1000, 25, 250}, {1, 25, 1}, {5, 25, 2}, {8, 25, 2}, {9, 25, 3}, {0, 25, 0},
		{10_000, 1, 100}, {99, 1, 1}, {101, 1, 2}, {7, 100, 7}, {7, 12345, 7}, {math.MaxInt32, 100, math.MaxInt32}, {math.MaxInt32, 50, 1 << 30},
		{math.MaxInt, 100, math.MaxInt}, {math.MaxInt, 25, math.MaxInt/4 + 1}, {math.MaxInt, math.MaxInt, math.MaxInt}, {math.MaxInt, 1, math.MaxInt/100 + 1},
	} {
		if got := clientlimit.Share(c[0], c[1]); got != c[2] {
			t.Errorf("%d percent of %d: %d, want %d", c[1], c[0], got, c[2])
		}
	}
	for most := range 100 {
		if got := clientlimit.Quarter(most); got != (most+3)/4 {
			t.Errorf("a quarter of %d: %d", most, got)
		}
	}
}

func TestCounter(t *testing.T) {
	c := clientlimit.NewCounter(100, 30)
	ada, bob := clientlimit.Of("ada", netip.Addr{}), clientlimit.Of("", netip.MustParseAddr("192.0.2.1"))
	taken := func(who *clientlimit.Client, tries int) int {
		var n atomic.Int64
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range tries / 8 {
					if c.Take(who) {
						n.Add(1)
					}
				}
			})
		}
		all.Wait()
		return int(n.Load())
	}
	if n := taken(&ada, 800); n != 30 || c.Total() != 30 || c.Full() {
		t.Errorf("%d of one, %d in all", n, c.Total())
	}
	if n := taken(&bob, 800); n != 30 {
		t.Errorf("%d of another", n)
	}
	if n := taken(nil, 800); n != 40 || !c.Full() || c.Take(&ada) || c.Take(nil) {
		t.Errorf("%d of those that have no share", n)
	}
	for range 30 {
		c.Give(&ada)
		c.Give(&bob)
	}
	for range 40 {
		c.Give(nil)
	}
	if c.Total() != 0 || taken(&ada, 800) != 30 {
		t.Errorf("%d are left", c.Total())
	}
	if n := c.Clients(); n != 1 {
		t.Errorf("%d clients are remembered", n)
	}
}
