package mcpauth

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"strings"
)

// CertificateOptions configures [Certificates].
type CertificateOptions struct {
	// Identify returns the identity for a certificate: Subject, Scopes and Roles. Nil, or an
	// Identity without Subject, means that the subject is [CertificateName]. An error that wraps
	// ErrInvalid refuses the client. Identify is called with every request. It must not return a
	// Subject that is the CertificateName of another client.
	Identify func(ctx context.Context, leaf *x509.Certificate) (*Identity, error)
}

// Certificates returns a Verifier for client certificates. It accepts only certificates that TLS
// has verified: the tls.Config of the server needs ClientCAs, and ClientAuth
// tls.VerifyClientCertIfGiven or tls.RequireAndVerifyClientCert. It ignores header fields in which
// a proxy passes on a certificate.
//
// If a request also contains another credential, that credential decides.
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
			*i = *found // the function may return the same value again
		}
	}
	if i.Subject == "" {
		i.Subject = CertificateName(leaf)
	}
	sum := sha256.Sum256(leaf.Raw)
	i.Issuer, i.Method, i.Machine, i.Expires, i.TokenID = "", "certificate", true, leaf.NotAfter, hex.EncodeToString(sum[:4])
	return i, nil
}

// CertificateName returns the name of a certificate: its URI, as in SPIFFE, or else its DNS name,
// if it has exactly one, or else "sha256:" and the fingerprint in hexadecimal digits. It does not
// use the common name, whose form authorities do not check.
//
// Names of two kinds are never equal: the fingerprint replaces a URI without a scheme or with the
// scheme sha256, and a DNS name with characters other than letters, digits and - _ . *.
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

// fingerprintScheme and a colon precede the fingerprint of a certificate.
const fingerprintScheme = "sha256"

// isDNSName reports whether a string consists of characters of DNS names. Package x509 checks only
// that it is ASCII.
func isDNSName(s string) bool {
	for i := range len(s) {
		if !isAlphanumeric(s[i]) && strings.IndexByte("-_.*", s[i]) < 0 {
			return false
		}
	}
	return s != ""
}
