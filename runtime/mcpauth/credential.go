package mcpauth

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/netip"
	"time"
)

// Schemes of a [Credential].
const (
	SchemeBearer      = "Bearer"      // RFC 6750: Token is set
	SchemeDPoP        = "DPoP"        // RFC 9449: Token is set
	SchemeBasic       = "Basic"       // RFC 7617: User and Password are set
	SchemeKey         = "Key"         // the header field Options.KeyHeader: Token is set
	SchemeCertificate = "Certificate" // only the certificate of the client
)

// Credential is a request's proof of its sender. Its formatted value contains no secrets.
type Credential struct {
	Scheme         string
	Token          string `json:"-"` // a b64token (RFC 6750, section 2.1) of at most 16 KiB
	User, Password string `json:"-"`
	// Resource is the guard's resource, the required audience of tokens.
	Resource string
	// Method is the HTTP method of the request, "" for a connection without requests.
	Method string
	// Chains are the client's certificate chains that TLS has verified, each from the certificate
	// to a root. They are also set with the other schemes.
	Chains [][]*x509.Certificate `json:"-"`
	// Address is the client's address, or zero if it is unknown.
	Address netip.Addr

	leeway time.Duration     // 0 means defaultLeeway
	path   string            // of the URL of the request
	proofs []string          // the values of the header field DPoP
	leaf   *x509.Certificate // of the client, verified or not
	guard  *Guard            // nil in tests of a verifier
}

// String returns a text with the scheme.
func (c *Credential) String() string { return "credential of the scheme " + c.Scheme }

// Format writes String for every verb, so that no secret reaches a log.
func (c *Credential) Format(s fmt.State, _ rune) { fmt.Fprint(s, c.String()) }

func (c *Credential) clockLeeway() time.Duration {
	if c.leeway > 0 {
		return c.leeway
	}
	return defaultLeeway
}

// isToken reports whether the credential is a token of OAuth.
func (c *Credential) isToken() bool { return c.Scheme == SchemeBearer || c.Scheme == SchemeDPoP }

// Verifier verifies one kind of credential. Its method is called concurrently, with every request,
// and should cache expensive results.
type Verifier interface {
	// Verify returns the owner of a credential. The Identity must not be modified afterwards. The
	// error wraps [ErrNotMine] if another verifier may recognise the credential, and [ErrInvalid]
	// if the credential is refused, which results in status 401. Any other error means that the
	// verification failed, and results in status 503. Errors may contain the credential: the guard
	// removes it before it logs an error. No error is sent to the client.
	Verify(ctx context.Context, c *Credential) (*Identity, error)
}

// Errors of a [Verifier].
var (
	ErrNotMine = errors.New("the credential is of another kind")
	ErrInvalid = errors.New("the credential is not valid")
)

// invalid is an error of this package that wraps ErrInvalid. Its text is a constant, or contains no
// part of the credential except names of algorithms, claims and types.
type invalid struct {
	reason  string
	code    string // of RFC 6750 and RFC 9449; "" means invalid_token
	nonce   string // to use in the next proof
	counted bool   // counted as a failure of the address
}

func refuse(format string, args ...any) error { return &invalid{reason: fmt.Sprintf(format, args...)} }

func (e *invalid) Error() string { return e.reason }

func (e *invalid) Is(target error) bool { return target == ErrInvalid }
