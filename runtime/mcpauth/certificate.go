package mcpauth

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"strings"
)

// CertificateOptions configure [Certificates].
type CertificateOptions struct {
	// Identify returns who has a certificate: Subject, Scopes and Roles. Nil, or an Identity
	// without Subject, takes [CertificateName] as subject. An error that wraps ErrInvalid
	// refuses the client. It is called with every request. A Subject that it returns must not be
	// the CertificateName of another client.
	Identify func(ctx context.Context, leaf *x509.Certificate) (*Identity, error)
}

// Certificates returns a Verifier of client certificates. Only those count that TLS has
// verified: the tls.Config of the server needs ClientCAs, and ClientAuth
// tls.VerifyClientCertIfGiven or tls.RequireAndVerifyClientCert. Header fields in which a proxy
// names a certificate are not looked at.
//
// A request with another credential is decided by that one.
func Certificates(o CertificateOptions) Verifier { return certificates{o} }

type certificates struct{ o CertificateOptions }

func (v certificates) Verify(ctx context.Context, c *Credential) (*Identity, error) {
	if c.Scheme != SchemeCertificate || len(c.Chains) == 0 || len(c.Chains[0]) == 0 {
		return nil, ErrNotMine
	}
	leaf := c.Chains[0][0]
	i := new(Identity)
	if v.o.Identify != nil {
		found, err := v.o.Identify(ctx, leaf)
		if err != nil {
			return nil, err
		}
		if found != nil {
			*i = *found // the function may return the same one again
		}
	}
	if i.Subject == "" {
		i.Subject = CertificateName(leaf)
	}
	sum := sha256.Sum256(leaf.Raw)
	i.Issuer, i.Method, i.Machine, i.Expires, i.TokenID = "", "certificate", true, leaf.NotAfter, hex.EncodeToString(sum[:4])
	return i, nil
}

// CertificateName returns the name of a certificate: its URI, as SPIFFE has one, or else its DNS
// name, if there is exactly one, or else "sha256:" and the fingerprint in hexadecimal digits.
// The common name is not used: it has no form that authorities check.
//
// Names of two kinds are never equal: instead of a URI without a scheme or with the scheme sha256,
// and of a DNS name with other characters than letters, digits and - _ . *, it is the fingerprint.
func CertificateName(leaf *x509.Certificate) string {
	switch {
	case len(leaf.URIs) == 1:
		if scheme := leaf.URIs[0].Scheme; scheme != "" && scheme != fingerprintScheme {
			return leaf.URIs[0].String()
		}
	case len(leaf.URIs) == 0 && len(leaf.DNSNames) == 1:
		if isDNSName(leaf.DNSNames[0]) {
			return leaf.DNSNames[0]
		}
	}
	sum := sha256.Sum256(leaf.Raw)
	return fingerprintScheme + ":" + hex.EncodeToString(sum[:])
}

// fingerprintScheme and a colon are before the fingerprint of a certificate.
const fingerprintScheme = "sha256"

// isDNSName reports whether a text has the characters of DNS names. Package x509 checks only that it
// is ASCII.
func isDNSName(s string) bool {
	for i := range len(s) {
		if !isAlphanumeric(s[i]) && strings.IndexByte("-_.*", s[i]) < 0 {
			return false
		}
	}
	return s != ""
}
