package netdial

import (
	"crypto"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"weak"
)

// TLSKey returns a digest of the data that a TLS configuration sends to a server, and of the
// certificates that it trusts, or "" for nil. The digest of a pool of certificates, or of a
// configuration with functions, is valid in this process only.
func TLSKey(c *tls.Config) string {
	if c == nil {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %t %q", c.ServerName, c.InsecureSkipVerify, c.NextProtos)
	for _, certificate := range c.Certificates {
		for _, der := range certificate.Certificate {
			fmt.Fprintf(h, " %d:%s", len(der), der)
		}
	}
	if c.RootCAs != nil {
		fmt.Fprintf(h, " pool %s", pools.number(c.RootCAs, c.RootCAs.Equal))
	}
	if c.GetClientCertificate != nil || c.VerifyPeerCertificate != nil || c.VerifyConnection != nil {
		// Two functions cannot be compared.
		fmt.Fprintf(h, " config %s", configs.number(c, func(other *tls.Config) bool { return other == c }))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// KnowsClient reports whether TLSKey identifies the client that a server sees by its certificate:
// the configuration must not choose certificates by a function, must contain the private key of
// each, and must not resume sessions, which may belong to another configuration.
func KnowsClient(c *tls.Config) bool {
	if c == nil {
		return true
	}
	if c.GetClientCertificate != nil || c.ClientSessionCache != nil {
		return false
	}
	return !slices.ContainsFunc(c.Certificates, func(certificate tls.Certificate) bool { return !hasKey(&certificate) })
}

// hasKey reports whether the private key of a certificate fits it. With another key, the
// certificate belongs to someone else.
func hasKey(c *tls.Certificate) bool {
	leaf := c.Leaf
	if leaf == nil && len(c.Certificate) > 0 {
		leaf, _ = x509.ParseCertificate(c.Certificate[0])
	}
	key, ok := c.PrivateKey.(crypto.Signer)
	if leaf == nil || !ok {
		return false
	}
	public, ok := key.Public().(interface{ Equal(crypto.PublicKey) bool })
	return ok && public.Equal(leaf.PublicKey)
}

// numbers are the numbers of values without content that could be hashed. They do not keep the
// values alive.
type numbers[T any] struct {
	mu   sync.Mutex
	last int
	all  map[weak.Pointer[T]]string
}

var (
	pools   = numbers[x509.CertPool]{all: map[weak.Pointer[x509.CertPool]]string{}}
	configs = numbers[tls.Config]{all: map[weak.Pointer[tls.Config]]string{}}
	process = sync.OnceValue(rand.Text)
)

// number returns the number of a value, or of an equal value.
func (n *numbers[T]) number(v *T, equals func(*T) bool) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	at := weak.Make(v)
	if number, ok := n.all[at]; ok {
		return number
	}
	number := ""
	for other, is := range n.all {
		if o := other.Value(); o != nil && equals(o) {
			number = is
			break
		}
	}
	if number == "" {
		n.last++
		number = process() + strconv.Itoa(n.last)
	}
	n.all[at] = number
	runtime.AddCleanup(v, func(at weak.Pointer[T]) {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.all, at)
	}, at)
	return number
}
