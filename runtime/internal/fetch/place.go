package fetch

import (
	"net/netip"
	"strconv"
	"strings"
)

// place is the kind of network that an address belongs to.
type place int

const (
	public   place = iota
	loopback       // this machine
	private        // RFC 1918, RFC 4193, RFC 6598
	linkLocal
	special // multicast, reserved and unspecified addresses
)

func (p place) String() string {
	return [...]string{"public", "loopback", "private", "link-local", "reserved"}[p]
}

// privateNetworks are networks of one organization or provider that [netip.Addr.IsPrivate] does not
// contain.
var privateNetworks = []netip.Prefix{netip.MustParsePrefix("100.64.0.0/10")}

// specialNetworks are the rest of the special-purpose registries of IANA (RFC 6890).
var specialNetworks = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("192.0.0.0/24"), netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("100::/64"), netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("3fff::/20"), netip.MustParsePrefix("5f00::/16"), netip.MustParsePrefix("fec0::/10"),
}

// embedding are networks whose addresses contain an IPv4 address, from that byte on.
var embedding = []struct {
	network netip.Prefix
	at      int
	inverse bool
}{
	{netip.MustParsePrefix("64:ff9b::/96"), 12, false},   // NAT64, RFC 6052
	{netip.MustParsePrefix("64:ff9b:1::/48"), 12, false}, // NAT64 of one network, RFC 8215
	{netip.MustParsePrefix("2002::/16"), 2, false},       // 6to4, RFC 3056
	{netip.MustParsePrefix("2001::/32"), 12, true},       // Teredo, RFC 4380
	{netip.MustParsePrefix("::/96"), 12, false},          // IPv4-compatible, RFC 4291
}

// placeOf returns the kind of network of an address. An address that contains an IPv4 address
// counts as that address.
func placeOf(a netip.Addr) place {
	a = a.Unmap().WithZone("")
	switch {
	case a.IsLoopback():
		return loopback
	case a.IsUnspecified(), a.IsMulticast():
		return special
	case a.IsLinkLocalUnicast():
		return linkLocal
	case a.IsPrivate() || contains(privateNetworks, a):
		return private
	case contains(specialNetworks, a):
		return special
	}
	for _, e := range embedding {
		if e.network.Contains(a) {
			all := a.As16()
			v4 := [4]byte(all[e.at : e.at+4])
			if e.inverse {
				for i := range v4 {
					v4[i] ^= 0xff
				}
			}
			return placeOf(netip.AddrFrom4(v4))
		}
	}
	return public
}

func contains(networks []netip.Prefix, a netip.Addr) bool {
	for _, n := range networks {
		if n.Contains(a) {
			return true
		}
	}
	return false
}

// blockedError is the error for an address that the peer must not name.
type blockedError struct{ text string }

func (e *blockedError) Error() string { return e.text }

// checkAddress returns an error if a peer at a place must not name an address.
func checkAddress(from place, a netip.Addr) error {
	at := placeOf(a)
	switch {
	case at == public, at == from && at != special, from == loopback && at == private:
		return nil
	}
	return &blockedError{"the address " + a.String() + " is a " + at.String() + " one, which a " + from.String() + " server must not name: allow it with AllowPrivate if you trust the server"}
}

// quote returns a peer's text for messages: of bounded length and without control characters.
func quote(text string) string {
	const most = 200
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return strconv.QuoteToASCII(text)
}

// quoted is like quote without the quotation marks.
func quoted(text string) string {
	q := quote(text)
	return q[1 : len(q)-1]
}
