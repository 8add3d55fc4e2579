package mcpauth

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/internal/friend"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/show"
	"github.com/mcpgen/mcpgen/runtime/internal/unreadbody"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// Options configures a [Guard].
type Options struct {
	// Resource is the URL of the endpoint as clients write it: https://mcp.example.com/mcp. It is
	// the audience of tokens, and the resource in the metadata. No request changes it, so a proxy
	// in front does not affect it. Only a URL for this machine may use http.
	Resource string
	// Verifiers are asked in order. The first one that recognises a credential decides.
	Verifiers []Verifier
	// Scopes are required for every request.
	Scopes []string
	// HideScopes omits the scopes of features from public documents: scopes_supported of the
	// metadata, and the challenges. Clients then request Scopes first, and the scopes of a feature
	// when it is refused.
	HideScopes bool
	// ScopeHierarchy contains the scopes that a scope includes, such as "books:admin":
	// {"books:read", "books:write"}. Included scopes may include others.
	ScopeHierarchy map[string][]string
	// Lists selects whether lists contain features whose scopes the caller lacks.
	Lists ListMode
	// Roles defines the features that each role may see: [RoleMap] or [RolesFile]. Nil means that
	// roles do not matter.
	Roles RoleSource
	// Name and Documentation are members of the metadata: resource_name, and the URL
	// resource_documentation.
	Name, Documentation string
	// KeyHeader is the name of a header field for an API key, such as X-API-Key, as an alternative
	// to the field Authorization. "" means no such field.
	KeyHeader string
	// Leeway is the tolerated clock difference to issuers and clients. Default: 30 seconds.
	Leeway time.Duration
	// MaxFailuresPerMinute limits the refused credentials per minute from one address (IPv6: from a
	// /64 network). After that the response is 429. A valid credential is still accepted, except
	// for passwords that have not been verified in the last minutes. Default: 60.
	MaxFailuresPerMinute int
	// TrustedProxy returns the client's address if a proxy connects. It must use only data that
	// this proxy wrote. Nil, or the zero Addr, means the peer's address.
	TrustedProxy func(*http.Request) netip.Addr
	// Audit receives a record of each refusal. Nil means no records.
	Audit *slog.Logger
	// AuditGrants adds records of accepted requests.
	AuditGrants bool
	// Log receives the errors of verifiers. Nil means slog.Default.
	Log *slog.Logger
}

// Guard authenticates the requests of one endpoint. Its methods are safe for concurrent use.
type Guard struct {
	o         Options
	scopes    hierarchy
	failures  *failures
	log       *logs.Log
	described description
	metaPaths []string
	bodies    unreadbody.Bodies
	metaURL   string

	mu        sync.Mutex // of changes of the publication
	published atomic.Pointer[publication]
}

// New returns a guard. It contacts no other program; [Guard.Check] does. An error names the option
// that is wrong.
func New(o Options) (*Guard, error) {
	if o.Resource == "" {
		return nil, errors.New("mcpauth: Options.Resource is empty: set it to the URL of the endpoint as clients write it")
	}
	resource, err := checkURL(o.Resource)
	if err == nil && (resource.RawQuery != "" || resource.ForceQuery) {
		err = errors.New("must not have a query")
	}
	if err == nil && resource.Host != strings.ToLower(resource.Host) {
		err = errors.New("must have its host in lower case, as clients write it")
	}
	if err != nil {
		return nil, fmt.Errorf("mcpauth: Options.Resource %w", err)
	}
	if len(o.Verifiers) == 0 {
		return nil, errors.New("mcpauth: Options.Verifiers is empty: no request could be let in")
	}
	g := &Guard{o: o}
	if g.o.Roles, err = rolesOf(o.Roles, loggerOr(o.Log)); err != nil {
		return nil, fmt.Errorf("mcpauth: Options.Roles: %w", err)
	}
	if o.Lists > Granted {
		return nil, fmt.Errorf("mcpauth: Options.Lists is %d: it must be StepUp or Granted", o.Lists)
	}
	if o.Leeway < 0 || o.MaxFailuresPerMinute < 0 {
		return nil, errors.New("mcpauth: Options.Leeway and Options.MaxFailuresPerMinute must not be negative")
	}
	if g.o.Leeway == 0 {
		g.o.Leeway = defaultLeeway
	}
	if g.o.MaxFailuresPerMinute == 0 {
		g.o.MaxFailuresPerMinute = defaultFailures
	}
	g.log = logs.New(loggerOr(o.Log))
	g.failures = newFailures(g.o.MaxFailuresPerMinute)
	if err := checkScopes(o.Scopes); err != nil {
		return nil, fmt.Errorf("mcpauth: Options.Scopes %w", err)
	}
	if g.scopes, err = closeHierarchy(o.ScopeHierarchy); err != nil {
		return nil, fmt.Errorf("mcpauth: Options.ScopeHierarchy %w", err)
	}
	if err := checkKeyHeader(o.KeyHeader); err != nil {
		return nil, err
	}
	g.o.KeyHeader = http.CanonicalHeaderKey(o.KeyHeader)
	g.described.dpopOnly = true
	for n, v := range o.Verifiers {
		if v == nil {
			return nil, fmt.Errorf("mcpauth: Options.Verifiers[%d] is nil", n)
		}
		if c, ok := v.(interface{ configuration() error }); ok {
			if err := c.configuration(); err != nil {
				return nil, fmt.Errorf("mcpauth: Options.Verifiers[%d]: %w", n, err)
			}
		}
		if l, ok := v.(interface{ logTo(*slog.Logger) }); ok {
			l.logTo(loggerOr(o.Log))
		}
		if d, ok := v.(interface{ describe(*description) }); ok {
			d.describe(&g.described)
		}
	}
	g.describe(resource)
	return g, nil
}

// checkKeyHeader checks Options.KeyHeader.
func checkKeyHeader(name string) error {
	if name == "" {
		return nil
	}
	for i := range len(name) {
		if !isAlphanumeric(name[i]) && name[i] != '-' && name[i] != '_' {
			return fmt.Errorf("mcpauth: Options.KeyHeader %q is not the name of a header field", name)
		}
	}
	for _, taken := range append([]string{"Host", "Content-Type", "Content-Length", "Accept", "Origin", "Last-Event-Id"}, credentialFields...) {
		if strings.EqualFold(name, taken) {
			return fmt.Errorf("mcpauth: Options.KeyHeader is %s, which has another meaning", name)
		}
	}
	if len(name) >= 4 && strings.EqualFold(name[:4], "Mcp-") {
		return fmt.Errorf("mcpauth: Options.KeyHeader is %s, which belongs to the protocol", name)
	}
	return nil
}

// HTTP returns the options of the handlers of mcphttp. The guard publishes the scopes that the
// features of their servers need, see Options.HideScopes.
func (g *Guard) HTTP() []mcphttp.Option {
	options := []mcphttp.Option{mcphttp.WithPrincipal(g.Principal), mcphttp.WithChallenge(g.challenge)}
	if !g.o.HideScopes {
		options = append(options, mcphttp.WithServer(friend.Key{}, g.publish))
	}
	if g.o.TrustedProxy != nil {
		options = append(options, mcphttp.WithClientAddress(g.o.TrustedProxy))
	}
	return options
}

// Principal authenticates a request, for mcphttp.WithPrincipal, mcpws.WithPrincipal or middleware.
// The Value of the principal is an [*Identity], its Access decides by scopes and roles, and it
// expires with the credential. An error is a *mcphttp.Refusal, with the response.
//
// It removes the credentials from the header of r: the fields Authorization, Proxy-Authorization,
// DPoP, Cookie and Options.KeyHeader. Therefore handlers and logs do not see them, and a second
// call finds no credential.
func (g *Guard) Principal(r *http.Request) (mcp.Principal, error) {
	c, e := g.credential(r)
	g.removeCredentials(r.Header)
	var i *Identity
	if e == nil {
		i, e = g.authenticate(r.Context(), &c)
	}
	if e != nil {
		if e.counts && !e.counted {
			g.failures.add(c.Address)
		}
		if e.counts && g.failures.tooMany(c.Address) {
			e = e.tooMany()
		}
		g.auditRefusal(r, &c, e)
		return mcp.Principal{}, e.response()
	}
	g.auditGrant(r, &c, i)
	return g.principal(i), nil
}

// Conn authenticates a connection by the certificate of its client, for mcpnet.WithPrincipal. The
// connection must be a *tls.Conn after its handshake, or implement a method NetConn that returns
// one.
func (g *Guard) Conn(conn net.Conn) (mcp.Principal, error) {
	c := Credential{Scheme: SchemeCertificate, Resource: g.o.Resource, leeway: g.o.Leeway, guard: g}
	if a := conn.RemoteAddr(); a != nil {
		c.Address = clientlimit.Address(a.String())
	}
	t, ok := conn.(*tls.Conn)
	if wrapper, wraps := conn.(interface{ NetConn() net.Conn }); !ok && wraps {
		t, ok = wrapper.NetConn().(*tls.Conn)
	}
	if ok {
		state := t.ConnectionState()
		c.setTLS(&state)
	}
	i, e := g.authenticate(context.Background(), &c)
	if e != nil {
		g.auditRefusal(nil, &c, e)
		return mcp.Principal{}, errors.New(e.reason)
	}
	g.auditGrant(nil, &c, i)
	return g.principal(i), nil
}

// principal returns the principal of an identity.
func (g *Guard) principal(i *Identity) mcp.Principal {
	decision := i.permission
	if decision == nil || decision.g != g || decision.i != i { // of another guard, or a copy
		decision = &permission{g, i}
	}
	p := mcp.Principal{ID: i.ID(), Value: i, Access: decision}
	if !i.Expires.IsZero() {
		p.Expires = i.Expires.Add(g.o.Leeway)
	}
	return p
}

// Check fetches what the verifiers lack, such as the keys of an issuer, and returns an error if it
// cannot. It is for readiness probes.
func (g *Guard) Check(ctx context.Context) error {
	var all []error
	for _, v := range g.o.Verifiers {
		if p, ok := v.(interface{ probe(context.Context) error }); ok {
			all = append(all, p.probe(ctx))
		}
	}
	return errors.Join(all...)
}

// authenticate verifies a credential, and checks the requirements for every request.
func (g *Guard) authenticate(ctx context.Context, c *Credential) (*Identity, *refusal) {
	if c.Scheme == "" || c.Scheme == SchemeCertificate && len(c.Chains) == 0 {
		return nil, g.current().needsCreds
	}
	i, err := g.ask(ctx, c)
	if e, ok := errors.AsType[*invalid](err); ok {
		return nil, g.invalidCredential(e.reason, e)
	}
	switch {
	case err == nil:
	case errors.Is(err, ErrNotMine) && c.Scheme == SchemeCertificate:
		return nil, g.current().needsCreds // TLS requests certificates, this endpoint other credentials
	case errors.Is(err, ErrNotMine):
		return nil, g.invalidCredential("no verifier recognises the credential", nil)
	case errors.Is(err, ErrInvalid):
		return nil, g.invalidCredential(redact(err.Error(), c), nil)
	default:
		text := redact(err.Error(), c)
		g.log.Client(ctx, slog.LevelWarn, "a credential cannot be verified now", slog.String("reason", text))
		return nil, cannotTell(text)
	}
	if !i.Expires.IsZero() && !time.Now().Before(i.Expires.Add(g.o.Leeway)) {
		return nil, g.invalidCredential("the credential has expired", nil)
	}
	if missing := g.scopes.missing(i.Scopes, g.o.Scopes); missing != nil {
		return nil, g.needsScopes(missing, i)
	}
	return i, nil
}

// ask asks the verifiers.
func (g *Guard) ask(ctx context.Context, c *Credential) (*Identity, error) {
	for _, v := range g.o.Verifiers {
		i, err := verifyWith(ctx, v, c)
		if errors.Is(err, ErrNotMine) {
			continue
		}
		if err == nil {
			err = i.check()
		}
		if err != nil {
			return nil, err
		}
		return i, nil
	}
	return nil, ErrNotMine
}

// verifyWith calls a verifier. The panic message may contain the credential, so it must not reach a
// log.
func verifyWith(ctx context.Context, v Verifier, c *Credential) (i *Identity, err error) {
	defer func() {
		if p := recover(); p != nil {
			i, err = nil, fmt.Errorf("panic in a verifier: %s", show.Panic(p))
		}
	}()
	return v.Verify(ctx, c)
}

// setTLS records the certificates of a connection.
func (c *Credential) setTLS(state *tls.ConnectionState) {
	if state != nil && len(state.PeerCertificates) > 0 {
		c.leaf, c.Chains = state.PeerCertificates[0], state.VerifiedChains
	}
}

// redact removes the secrets of a credential from a text.
func redact(s string, c *Credential) string {
	secrets := append([]string{c.Token, c.Password}, c.proofs...)
	for part := range strings.SplitSeq(c.Token, ".") {
		secrets = append(secrets, part)
	}
	if c.Scheme == SchemeBasic {
		secrets = append(secrets, basicText(c.User, c.Password))
	}
	for _, secret := range secrets {
		for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret)} {
			if len(form) >= minRedacted {
				s = strings.ReplaceAll(s, form, "[credential]")
			}
		}
	}
	if len(c.Password) > 0 && len(c.Password) < minRedacted && strings.Contains(s, c.Password) {
		return "the text of the error has the password"
	}
	const most = 1 << 10
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// minRedacted is the minimum length of a replaced text: shorter ones are parts of ordinary words.
const minRedacted = 6
