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

// Options configure [New].
type Options struct {
	// URL is the issuer: http://127.0.0.1:8080, http://localhost:8080/login or the like. Its host
	// must be a loopback address or localhost.
	URL string
	// Resources are the servers that tokens may be for (RFC 8707). A client that asks for none
	// gets a token for the first one.
	Resources []string
	// Personas are who can log in. Nil is one with the name dev, who may have every scope.
	Personas []Persona
	// Clients are known in advance. Others register themselves, or have a document at their id.
	Clients []Client
	// Scopes are published as scopes_supported. Nil is those of the personas.
	Scopes []string
	// TokenTime is how long access tokens are valid. Zero is five minutes.
	TokenTime time.Duration
	// Nonces makes proofs of DPoP need a nonce of the issuer (RFC 9449, section 8), for tests of
	// clients.
	Nonces bool
	// HTTP has the Transport that requests the documents of clients. Nil is one that connects to
	// public addresses alone.
	HTTP *http.Client
	// Log has who has logged in, and which requests were refused; no secrets. Nil is
	// slog.Default.
	Log *slog.Logger
}

// Persona is whom a person at the page can be.
type Persona struct {
	Name   string         // the claim sub
	Scopes []string       // that the persona may have; "*" means all that are asked for
	Claims map[string]any // of access tokens, besides those of the issuer
}

// Client is an OAuth client.
type Client struct {
	ID     string
	Secret string // "" for a client without one
	Name   string // for the page
	// RedirectURIs are compared exactly, but for the port of loopback addresses (RFC 8252,
	// section 7.3).
	RedirectURIs []string
	// Keys is the key set (RFC 7517) that verifies the assertions of the client (RFC 7523). Nil
	// for a client without one.
	Keys []byte
	// Scopes are what the client gets by its own credentials. Nil means that it cannot.
	Scopes []string
}

// Issuer is an authorization server. Its methods may be called by several goroutines.
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
	fetches  chan struct{} // has room for those that may run
	nonceKey []byte

	mu         sync.Mutex
	clients    map[string]*client // of the options
	known      table[*client]     // that have registered
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
	ticketTime   = 10 * time.Minute // for a person at the page
	codeTime     = time.Minute
	refreshTime  = 24 * time.Hour // for which a refresh token can be used
	clientTime   = 24 * time.Hour // for which a registration is kept
	documentTime = 5 * time.Minute
	proofTime    = 5 * time.Minute // how old a proof or a nonce may be
	assertTime   = time.Hour       // for which an assertion may be valid
	maxScopes    = 100             // of a request
	maxFetches   = 8               // documents that are requested at a time
)

// New returns an issuer. It makes a new key, and contacts no other program.
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

// makeKey makes the key of access tokens.
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

// URL returns the issuer, as its tokens have it.
func (i *Issuer) URL() string { return i.o.URL }

// Keys returns the key set (RFC 7517) that verifies access tokens, for mcpauth.JWTOptions. It must not
// be changed.
func (i *Issuer) Keys() []byte { return i.keys }

// persona returns the persona with that name.
func (i *Issuer) persona(name string) (Persona, bool) {
	at := slices.IndexFunc(i.o.Personas, func(p Persona) bool { return p.Name == name })
	if at < 0 {
		return Persona{}, false
	}
	return i.o.Personas[at], true
}

// allows returns those of the scopes that the persona may have.
func (p *Persona) allows(scopes []string) []string {
	return slices.DeleteFunc(slices.Clone(scopes), func(s string) bool {
		return !slices.Contains(p.Scopes, s) && !slices.Contains(p.Scopes, "*")
	})
}

// scopes returns what is published.
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
