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

// Credential is what a request proves with who makes it. It formats without its secrets.
type Credential struct {
	Scheme         string
	Token          string `json:"-"` // has the form b64token (RFC 6750, section 2.1), 16 KiB at most
	User, Password string `json:"-"`
	// Resource is that of the guard, which tokens have to be meant for.
	Resource string
	// Method is the HTTP method of the request, "" for a connection without requests.
	Method string
	// Chains are the certificate chains of the client that TLS has verified, each from its
	// certificate to a root. They are also there with the other schemes.
	Chains [][]*x509.Certificate `json:"-"`
	// Address is that of the client, zero if it is not known.
	Address netip.Addr

	leeway time.Duration     // 0 is defaultLeeway
	path   string            // of the URL of the request
	proofs []string          // the header fields DPoP
	leaf   *x509.Certificate // of the client, verified or not
	guard  *Guard            // nil in tests of a verifier
}

// String names the scheme.
func (c *Credential) String() string { return "credential of the scheme " + c.Scheme }

// Format writes String for every verb, so that no secret gets into a log.
func (c *Credential) Format(s fmt.State, _ rune) { fmt.Fprint(s, c.String()) }

func (c *Credential) clockLeeway() time.Duration {
	if c.leeway > 0 {
		return c.leeway
	}
	return defaultLeeway
}

// isToken reports whether the credential is a token of OAuth.
func (c *Credential) isToken() bool { return c.Scheme == SchemeBearer || c.Scheme == SchemeDPoP }

// Verifier verifies one kind of credential. Its method is called by many goroutines at once,
// with every request, and should keep what is costly to find out.
type Verifier interface {
	// Verify returns who a credential belongs to. The Identity is not changed afterwards. The
	// error wraps [ErrNotMine] if another verifier may recognise the credential, and
	// [ErrInvalid] if it is refused, which is answered with 401. Any other error means that
	// this cannot be found out now, and is answered with 503. Errors need not be free of the
	// credential: its texts are taken out of them before they are logged. No error is sent to
	// the client.
	Verify(ctx context.Context, c *Credential) (*Identity, error)
}

// Errors of a [Verifier].
var (
	ErrNotMine = errors.New("the credential is of another kind")
	ErrInvalid = errors.New("the credential is not valid")
)

// invalid is an error of this package that wraps ErrInvalid. Its text is a constant, or has
// nothing of the credential but the names of algorithms, claims and types.
type invalid struct {
	reason  string
	code    string // of RFC 6750 and RFC 9449; "" is invalid_token
	nonce   string // to be used in the next proof
	counted bool   // as a failure of the address
}

func refuse(format string, args ...any) error { return &invalid{reason: fmt.Sprintf(format, args...)} }

func (e *invalid) Error() string { return e.reason }

func (e *invalid) Is(target error) bool { return target == ErrInvalid }
