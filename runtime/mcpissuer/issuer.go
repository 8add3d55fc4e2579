package mcpissuer

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/internal/unreadbody"
)

// Options configures [New].
type Options struct {
	// URL is the issuer: http://127.0.0.1:8080, http://localhost:8080/login or the like. Its host
	// must be a loopback address or localhost.
	URL string
	// Resources are the servers for which tokens can be issued (RFC 8707). A client that names none
	// gets a token for the first one.
	Resources []string
	// Personas are the personas that can log in. Nil means one with the name dev, who may have
	// every scope.
	Personas []Persona
	// Clients are registered in advance. Others register themselves, or publish a document at their
	// id.
	Clients []Client
	// Scopes are published as scopes_supported. Nil means the scopes of the personas.
	Scopes []string
	// TokenTime is the lifetime of access tokens. Zero means five minutes.
	TokenTime time.Duration
	// Nonces makes the issuer require its nonce in DPoP proofs (RFC 9449, section 8), for tests of
	// clients.
	Nonces bool
	// HTTP contains the Transport that requests clients' documents. Nil means one that connects
	// only to public addresses.
	HTTP *http.Client
	// Log gets logins and refused requests, without secrets. Nil is slog.Default.
	Log *slog.Logger
}

// Persona is an identity that a person can choose on the page.
type Persona struct {
	Name   string         // the claim sub
	Scopes []string       // of the persona; "*" means all that a client requests
	Claims map[string]any // additional claims of access tokens
}

// Client is an OAuth client.
type Client struct {
	ID     string
	Secret string // "" for a client without a secret
	Name   string // for the page
	// RedirectURIs are compared exactly, except for the port of loopback addresses (RFC 8252,
	// section 7.3).
	RedirectURIs []string
	// Keys is the key set (RFC 7517) that verifies the client's assertions (RFC 7523). Nil for a
	// client without keys.
	Keys []byte
	// Scopes are available to the client with its own credentials. Nil means that it gets no tokens
	// for itself.
	Scopes []string
}

// Issuer is an authorization server. Its methods are safe for concurrent use.
type Issuer struct {
	o        Options
	url      *url.URL
	log      *slog.Logger
	key      *ecdsa.PrivateKey
	keys     []byte // the public key set
	signer   jose.Signer
	metadata []byte
	routes   map[string]route
	bodies   unreadbody.Bodies
	fetch    *fetch.Client
	fetches  chan struct{} // limits the concurrent requests
	nonceKey []byte

	mu         sync.Mutex
	clients    map[string]*client // from the options
	known      table[*client]     // that registered themselves
	documents  table[*client]
	tickets    table[*ticket]
	codes      table[*code]
	refreshes  table[*family]
	tokens     table[*token] // by the ids of access tokens
	proofs     table[struct{}]
	assertions table[struct{}]
}

const (
	tokenTime    = 5 * time.Minute
	maxTokenTime = 24 * time.Hour
	ticketTime   = 10 * time.Minute // for a person on the page
	codeTime     = time.Minute
	refreshTime  = 24 * time.Hour // lifetime of a refresh token
	clientTime   = 24 * time.Hour // lifetime of a registration
	documentTime = 5 * time.Minute
	proofTime    = 5 * time.Minute // maximum age of a proof or a nonce
	assertTime   = time.Hour       // maximum lifetime of an assertion
	maxScopes    = 100             // of a request
	maxFetches   = 8               // concurrent requests for documents
)

// New returns an issuer. It generates a new key, and sends no requests.
func New(o Options) (*Issuer, error) {
	u, err := url.Parse(o.URL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("mcpissuer: Options.URL %q is not a URL like http://127.0.0.1:8080", o.URL)
	case !isLoopback(u.Hostname()):
		return nil, fmt.Errorf("mcpissuer: Options.URL %q has a host that is not this machine: everybody can log in at this issuer, so it serves loopback addresses alone", o.URL)
	}
	if len(o.Resources) == 0 {
		return nil, errors.New("mcpissuer: Options.Resources is empty: tokens need a server that they are for")
	}
	for _, r := range o.Resources {
		if u, err := url.Parse(r); err != nil || u.Host == "" || u.Fragment != "" {
			return nil, fmt.Errorf("mcpissuer: Options.Resources has %q, which is not a URL without a fragment", r)
		}
	}
	if o.TokenTime < 0 || o.TokenTime > maxTokenTime {
		return nil, fmt.Errorf("mcpissuer: Options.TokenTime is %v, and may be at most %v", o.TokenTime, maxTokenTime)
	}
	if o.TokenTime == 0 {
		o.TokenTime = tokenTime
	}
	if o.Personas == nil {
		o.Personas = []Persona{{Name: "dev", Scopes: []string{"*"}}}
	}
	if err := checkPersonas(o.Personas); err != nil {
		return nil, fmt.Errorf("mcpissuer: %w", err)
	}
	i := &Issuer{
		o: o, url: u, log: o.Log, fetch: fetch.New(o.HTTP, false), clients: map[string]*client{},
		fetches: make(chan struct{}, maxFetches), nonceKey: []byte(rand.Text()),
		known: newTable[*client](maxClients, clientTime), documents: newTable[*client](maxDocuments, documentTime),
		tickets: newTable[*ticket](maxTickets, ticketTime), codes: newTable[*code](maxCodes, codeTime),
		refreshes: newTable[*family](maxRefreshes, refreshTime), tokens: newTable[*token](maxTokens, maxTokenTime),
		proofs: newTable[struct{}](maxProofs, proofTime+leeway), assertions: newTable[struct{}](maxAssertions, assertTime+leeway),
	}
	if i.log == nil {
		i.log = slog.Default()
	}
	for _, c := range o.Clients {
		known, err := c.known()
		if err != nil {
			return nil, err
		}
		if i.clients[c.ID] != nil {
			return nil, fmt.Errorf("mcpissuer: two clients have the id %q", c.ID)
		}
		i.clients[c.ID] = known
	}
	if err := i.makeKey(); err != nil {
		return nil, err
	}
	i.makeRoutes()
	return i, nil
}

func checkPersonas(all []Persona) error {
	names := map[string]bool{}
	for n, p := range all {
		if p.Name == "" {
			return fmt.Errorf("persona %d has an empty name", n+1)
		}
		if names[p.Name] {
			return fmt.Errorf("two personas have the name %q", p.Name)
		}
		names[p.Name] = true
		for _, s := range p.Scopes {
			if !isScope(s) {
				return fmt.Errorf("persona %q has %q, which is not a scope", p.Name, s)
			}
		}
		if _, err := json.Marshal(p.Claims); err != nil {
			return fmt.Errorf("persona %q has claims without a JSON form: %w", p.Name, err)
		}
	}
	return nil
}

// makeKey generates the key for access tokens.
func (i *Issuer) makeKey() (err error) {
	if i.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return fmt.Errorf("mcpissuer: make a key: %w", err)
	}
	public := jose.JSONWebKey{Key: i.key.Public(), KeyID: rand.Text(), Algorithm: string(jose.ES256), Use: "sig"}
	if i.keys, err = json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{public}}); err != nil {
		return fmt.Errorf("mcpissuer: encode the key: %w", err)
	}
	options := new(jose.SignerOptions).WithType("at+jwt").WithHeader("kid", public.KeyID)
	if i.signer, err = jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: i.key}, options); err != nil {
		return fmt.Errorf("mcpissuer: use the key: %w", err)
	}
	return nil
}

// URL returns the URL of the issuer, as in its tokens.
func (i *Issuer) URL() string { return i.o.URL }

// Keys returns the key set (RFC 7517) that verifies access tokens, for mcpauth.JWTOptions. It must
// not be modified.
func (i *Issuer) Keys() []byte { return i.keys }

// persona returns the persona with a name.
func (i *Issuer) persona(name string) (Persona, bool) {
	at := slices.IndexFunc(i.o.Personas, func(p Persona) bool { return p.Name == name })
	if at < 0 {
		return Persona{}, false
	}
	return i.o.Personas[at], true
}

// allows returns the scopes that the persona may have.
func (p *Persona) allows(scopes []string) []string {
	return slices.DeleteFunc(slices.Clone(scopes), func(s string) bool {
		return !slices.Contains(p.Scopes, s) && !slices.Contains(p.Scopes, "*")
	})
}

// scopes returns the published scopes.
func (i *Issuer) scopes() []string {
	if i.o.Scopes != nil {
		return i.o.Scopes
	}
	var all []string
	for _, p := range i.o.Personas {
		for _, s := range p.Scopes {
			if s != "*" && !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return all
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}

// isScope reports whether a text is a scope (RFC 6749, section 3.3).
func isScope(s string) bool {
	return s != "" && len(s) <= 200 && !strings.ContainsFunc(s, func(r rune) bool { return r < '!' || r == '"' || r == '\\' || r > '~' })
}
