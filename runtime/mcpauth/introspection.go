package mcpauth

import (
	"context"
	"crypto"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/clientauth"
	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
)

const (
	introspectedTime = 30 * time.Second // for which an answer is cached
	refusedTime      = 5 * time.Second  // for which a refusal is cached
	maxQuestions     = 64               // concurrent questions to the issuer
	endpointTime     = 15 * time.Minute // for which the endpoint is cached
)

// IntrospectionOptions configures [Introspection].
type IntrospectionOptions struct {
	// Issuer is the issuer of the tokens, exactly as in its metadata.
	Issuer string
	// Endpoint is the URL of the introspection endpoint. "" means the introspection_endpoint in the
	// issuer's metadata.
	Endpoint string
	// ClientID, and ClientSecret or Key, are the server's registration at the issuer.
	ClientID, ClientSecret string
	// Key signs the assertions of the server (private_key_jwt, RFC 7523 section 2.2), whose
	// audience is Issuer: an ECDSA, RSA or Ed25519 key. Its method Sign must be safe for concurrent
	// use.
	Key crypto.Signer
	// AuthMethod is the authentication method of the server: private_key_jwt, client_secret_basic
	// or client_secret_post. "" means the first of these for which the server has credentials and
	// which the issuer's metadata lists in introspection_endpoint_auth_methods_supported. Without
	// that list, or with Endpoint, it means the first for which the server has credentials.
	AuthMethod string
	// Audience, AudienceFrom, RolesFrom, Clients and DPoP are as in [JWTOptions]. The claims are
	// the members of the answer.
	Audience     string
	AudienceFrom func(claims map[string]any) []string
	RolesFrom    func(claims map[string]any) []string
	Clients      []string
	DPoP         DPoPOptions
	// HTTP contains the Transport for requests to the issuer. Nil means the default of net/http.
	HTTP *http.Client
	// Log gets errors of these requests. Nil is slog.Default.
	Log *slog.Logger
}

// Introspection returns a Verifier that asks the issuer about access tokens (RFC 7662). It
// recognises every token that does not have the form of an API key or of another issuer's JWT, so
// list it after other verifiers of tokens.
//
// An answer is cached for 30 seconds, but no longer than the token is valid; a refusal for 5
// seconds. Only one question about a token is in progress at a time, and up to 64 in all, 16 of
// them for one address (IPv6: for one /64 network). The address comes from [Options].TrustedProxy
// if it is set.
func Introspection(o IntrospectionOptions) Verifier {
	v := &introspection{
		o: o, known: newCache[answer](maxCached), open: map[digest]*question{}, f: newFetcher(o.HTTP, maxReplyBytes),
		metadata: newFetcher(o.HTTP, maxDocumentBytes), asking: clientlimit.NewCounter(maxQuestions, clientlimit.Quarter(maxQuestions)), log: logs.New(loggerOr(o.Log)),
	}
	v.binding, v.wrong = newBinding(o.DPoP)
	if v.wrong == nil {
		v.wrong = v.check()
	}
	return v
}

type introspection struct {
	o        IntrospectionOptions
	wrong    error   // caused by the options
	f        fetcher // of answers about tokens
	metadata fetcher
	log      *logs.Log
	binding  *binding
	known    *cache[answer]
	asking   *clientlimit.Counter // questions in progress, by address

	mu      sync.Mutex
	open    map[digest]*question
	found   questionPlace // by metadata
	foundAt time.Time
}

// questionPlace is the endpoint of the issuer, and the authentication method.
type questionPlace struct {
	url        string
	method     string   // of authentication
	algorithms []string // of assertions; empty if the metadata does not list them
}

// answer is the issuer's answer about a token: one of the two fields is set.
type answer struct {
	found *verified
	err   error // wraps ErrInvalid
}

// question is shared by all requests with the same token.
type question struct {
	done   chan struct{}
	answer answer
}

func (v *introspection) check() error {
	if _, err := checkURL(v.o.Issuer); err != nil {
		return fmt.Errorf("IntrospectionOptions.Issuer %w", err)
	}
	if v.o.Endpoint != "" {
		if _, err := checkURL(v.o.Endpoint); err != nil {
			return fmt.Errorf("IntrospectionOptions.Endpoint %w", err)
		}
	}
	if v.o.ClientID == "" || v.o.ClientSecret == "" && v.o.Key == nil {
		return errors.New("IntrospectionOptions.ClientID, and ClientSecret or Key, are needed: an issuer answers only clients that it knows (RFC 7662, section 2.1)")
	}
	if v.o.Key != nil {
		if err := clientauth.CheckKey(v.o.Key); err != nil {
			return fmt.Errorf("IntrospectionOptions.Key: %w", err)
		}
	}
	if v.o.AuthMethod != "" {
		if _, err := clientauth.Choose([]string{v.o.AuthMethod}, v.o.Key != nil, v.o.ClientSecret != ""); err != nil {
			return fmt.Errorf("IntrospectionOptions.AuthMethod is %q, which needs other credentials, or is not one of private_key_jwt, client_secret_basic and client_secret_post", v.o.AuthMethod)
		}
	}
	return nil
}

func (v *introspection) configuration() error { return v.wrong }

func (v *introspection) describe(d *description) {
	d.issuers = append(d.issuers, v.o.Issuer)
	d.bearer = true
	v.binding.describe(d)
}

// probe is called by Guard.Check.
func (v *introspection) probe(ctx context.Context) error {
	_, err := v.endpoint(ctx)
	return err
}

func (v *introspection) Verify(ctx context.Context, c *Credential) (*Identity, error) {
	if v.wrong != nil {
		return nil, v.wrong
	}
	if !c.isToken() || strings.HasPrefix(c.Token, keyPrefix) {
		return nil, ErrNotMine
	}
	// This issuer does not get tokens of another issuer.
	if t, ok := parseCompact(c.Token); ok && t.claims["iss"] != nil && t.claims["iss"] != v.o.Issuer {
		return nil, ErrNotMine
	}
	key := digestOf(c)
	a, ok := v.known.get(key)
	if !ok {
		var err error
		if a, err = v.question(ctx, key, c); err != nil {
			return nil, err
		}
	}
	if a.err != nil {
		return nil, a.err
	}
	if err := v.binding.check(ctx, c, a.found.bound); err != nil {
		return nil, err
	}
	return a.found.identity, nil
}

// question asks about a token, or waits for the answer if a question about it is in progress.
func (v *introspection) question(ctx context.Context, key digest, c *Credential) (answer, error) {
	v.mu.Lock()
	q := v.open[key]
	if q == nil {
		// Random tokens from one address do not prevent questions about the tokens of other
		// addresses.
		var who *clientlimit.Client
		if c.Address.IsValid() {
			client := clientlimit.Of("", c.Address)
			who = &client
		}
		if !v.asking.Take(who) {
			v.mu.Unlock()
			return answer{}, errors.New("too many questions to the issuer are open, or too many of them for the address")
		}
		q = &question{done: make(chan struct{})}
		v.open[key] = q
		// All waiting requests share the question, so it does not end with the request that began
		// it.
		asked := *c
		go func() {
			defer func() {
				if p := recover(); p != nil { // a function of the program panicked
					q.answer = answer{err: errors.New("panic in AudienceFrom, RolesFrom or the Transport")}
				}
				v.mu.Lock()
				delete(v.open, key)
				v.mu.Unlock()
				v.asking.Give(who)
				close(q.done)
			}()
			q.answer = v.ask(&asked, key)
		}()
	}
	v.mu.Unlock()
	select {
	case <-q.done:
	case <-ctx.Done():
		return answer{}, context.Cause(ctx)
	}
	if q.answer.err != nil && !errors.Is(q.answer.err, ErrInvalid) {
		return answer{}, q.answer.err
	}
	return q.answer, nil
}

// ask sends a question to the issuer. It caches answers, but not failures.
func (v *introspection) ask(c *Credential, key digest) answer {
	ctx, cancel := context.WithTimeout(context.Background(), fetchTime)
	defer cancel()
	claims, err := v.claims(ctx, c.Token)
	if err != nil {
		v.log.Client(ctx, slog.LevelWarn, "an issuer cannot be asked about a token", slog.String("issuer", v.o.Issuer), slog.String("error", redact(err.Error(), c)))
		return answer{err: fmt.Errorf("ask the issuer about the token: %w", err)}
	}
	found, err := v.read(claims, c)
	kept, end, bytes := introspectedTime, time.Time{}, entryBytes
	if err != nil {
		kept = refusedTime
	} else {
		if end = found.identity.Expires; !end.IsZero() {
			end = end.Add(c.clockLeeway())
		}
		bytes = found.bytes(c.Token)
	}
	a := answer{found, err}
	v.known.put(key, a, bytes, keepUntil(kept, end))
	return a
}

// claims sends the request (RFC 7662, section 2.1).
func (v *introspection) claims(ctx context.Context, token string) (map[string]any, error) {
	at, err := v.endpoint(ctx)
	if err != nil {
		return nil, err
	}
	form := url.Values{"token": {token}, "token_type_hint": {"access_token"}}
	header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	client := clientauth.Client{
		Method: at.method, ID: v.o.ClientID, Secret: v.o.ClientSecret, Key: v.o.Key, Issuer: v.o.Issuer, Algorithms: at.algorithms,
	}
	if err := client.Authenticate(header, form); err != nil {
		return nil, err
	}
	r, err := http.NewRequest(http.MethodPost, at.url, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, errors.New("the introspection endpoint is not a URL")
	}
	r.Header = header
	return v.f.object(ctx, r)
}

// endpoint returns the endpoint and the authentication method.
func (v *introspection) endpoint(ctx context.Context) (questionPlace, error) {
	if v.o.Endpoint != "" {
		return v.place(v.o.Endpoint, nil, nil)
	}
	v.mu.Lock()
	found, age := v.found, time.Since(v.foundAt)
	v.mu.Unlock()
	if found.url != "" && age < endpointTime {
		return found, nil
	}
	document, err := discover(ctx, v.metadata, v.o.Issuer)
	if err != nil {
		return questionPlace{}, err
	}
	at, _ := document["introspection_endpoint"].(string)
	if _, err := checkURL(at); err != nil {
		return questionPlace{}, fmt.Errorf("the introspection_endpoint of the issuer %w", err)
	}
	methods, ok := texts(document, "introspection_endpoint_auth_methods_supported")
	algorithms, ok2 := texts(document, "introspection_endpoint_auth_signing_alg_values_supported")
	if !ok || !ok2 {
		return questionPlace{}, errors.New("the metadata of the issuer does not have the form of RFC 8414, section 2")
	}
	if found, err = v.place(at, methods, algorithms); err != nil {
		return questionPlace{}, err
	}
	v.mu.Lock()
	v.found, v.foundAt = found, time.Now()
	v.mu.Unlock()
	return found, nil
}

// place chooses the authentication method for an endpoint.
func (v *introspection) place(at string, methods, algorithms []string) (questionPlace, error) {
	if v.o.AuthMethod != "" {
		return questionPlace{at, v.o.AuthMethod, algorithms}, nil
	}
	method, err := clientauth.Choose(methods, v.o.Key != nil, v.o.ClientSecret != "")
	return questionPlace{at, method, algorithms}, err
}

// read checks an answer (RFC 7662, section 2.2).
func (v *introspection) read(claims map[string]any, c *Credential) (*verified, error) {
	if claims["active"] != true {
		return nil, refuse("the issuer says that the token is not active")
	}
	if iss, there := claims["iss"]; there && iss != v.o.Issuer {
		return nil, refuse("the token is of another issuer")
	}
	switch kind, _ := claims["token_type"].(string); strings.ToLower(kind) {
	case "", "bearer", "dpop", "access_token":
	default:
		return nil, refuse("the token is not an access token by its token_type")
	}
	from := claimsOf{
		issuer: v.o.Issuer, method: "introspection", audience: v.o.Audience, audienceFrom: v.o.AudienceFrom, rolesFrom: v.o.RolesFrom,
		clients: v.o.Clients,
	}
	if err := from.check(claims, c); err != nil {
		return nil, err
	}
	return from.read(claims, c)
}
