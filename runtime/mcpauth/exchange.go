package mcpauth

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	exchangedTime = 5 * time.Minute  // maximum time for which a token is cached
	exchangedEnd  = 30 * time.Second // a token is not returned this long before its end
)

// ErrNoToken is returned by [Exchanger.Token] if the caller's token is not available: the caller
// has another credential or none, or its identity comes from another process.
var ErrNoToken = errors.New("mcpauth: the token of the caller is not at hand")

// ExchangeError reports that an issuer refused to exchange a token.
type ExchangeError struct {
	// Code is an error code of RFC 6749, section 5.2, or RFC 8693, section 2.2.2, such as
	// invalid_target; "" if the issuer sent none.
	Code   string
	Status int // of HTTP
}

// Error returns a text with the code and the status.
func (e *ExchangeError) Error() string {
	if e.Code == "" {
		return fmt.Sprintf("mcpauth: the issuer does not exchange the token: status %d", e.Status)
	}
	return fmt.Sprintf("mcpauth: the issuer does not exchange the token: %s", e.Code)
}

// ExchangerOptions configures [NewExchanger].
type ExchangerOptions struct {
	// Issuer is the issuer of the callers' tokens. It gets no tokens of other issuers.
	Issuer string
	// Endpoint is the URL of the token endpoint. "" means the token_endpoint in the metadata.
	Endpoint string
	// ClientID and ClientSecret are the server's credentials at the issuer, sent as user name and
	// password (RFC 6749, section 2.3.1).
	ClientID, ClientSecret string
	// HTTP contains the Transport for requests to the issuer. Nil means the default of net/http.
	HTTP *http.Client
}

// Exchanger gets tokens for other services on behalf of callers (RFC 8693). The caller's own token
// is valid for this server only and must not be passed on, so an Exchanger does not return it. Its
// methods are safe for concurrent use.
type Exchanger struct {
	o        ExchangerOptions
	f        fetcher // of tokens
	metadata fetcher
	known    *cache[string]

	mu      sync.Mutex
	at      string // the endpoint from the metadata
	foundAt time.Time
}

// NewExchanger returns an Exchanger. It sends no requests.
func NewExchanger(o ExchangerOptions) (*Exchanger, error) {
	if _, err := checkURL(o.Issuer); err != nil {
		return nil, fmt.Errorf("mcpauth: ExchangerOptions.Issuer %w", err)
	}
	if o.Endpoint != "" {
		if _, err := checkURL(o.Endpoint); err != nil {
			return nil, fmt.Errorf("mcpauth: ExchangerOptions.Endpoint %w", err)
		}
	}
	if o.ClientID == "" || o.ClientSecret == "" {
		return nil, errors.New("mcpauth: ExchangerOptions.ClientID and ClientSecret are needed")
	}
	return &Exchanger{o: o, f: newFetcher(o.HTTP, maxReplyBytes), metadata: newFetcher(o.HTTP, maxDocumentBytes), known: newCache[string](maxCached)}, nil
}

// Token returns a bearer token with some scopes for another service, which the issuer knows by the
// name audience. ctx is the context of the call. A token is cached for 5 minutes, unless it or the
// caller's token expires earlier.
//
// The error is [ErrNoToken], an *[ExchangeError], or an error of the request to the issuer.
func (x *Exchanger) Token(ctx context.Context, audience string, scopes ...string) (string, error) {
	i := IdentityFromContext(ctx)
	if i == nil || i.token == nil || i.Issuer != x.o.Issuer {
		return "", ErrNoToken
	}
	if audience == "" {
		return "", errors.New("mcpauth: the audience of an exchange is empty")
	}
	for _, s := range scopes {
		if !isScope(s) {
			return "", fmt.Errorf("mcpauth: %q is not a scope", s)
		}
	}
	token := i.token()
	key := exchangeKey(token, audience, scopes)
	if t, ok := x.known.get(key); ok {
		return t, nil
	}
	t, until, err := x.ask(ctx, token, audience, scopes)
	if err != nil {
		return "", err
	}
	x.known.put(key, t, entryBytes+len(t), keepUntil(time.Until(until), i.Expires))
	return t, nil
}

// exchangeKey returns the cache key of a token.
func exchangeKey(token, audience string, scopes []string) digest {
	h := sha256.New()
	for _, s := range []string{token, audience, strings.Join(scopes, " ")} {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return digest(h.Sum(nil))
}

// ask sends the request to the issuer (RFC 8693, section 2).
func (x *Exchanger) ask(ctx context.Context, token, audience string, scopes []string) (exchanged string, until time.Time, err error) {
	at, err := x.endpoint(ctx)
	if err != nil {
		return "", until, fmt.Errorf("mcpauth: find the token endpoint: %w", err)
	}
	const tokenType = "urn:ietf:params:oauth:token-type:access_token"
	form := url.Values{
		"grant_type":    {"urn:ietf:params:oauth:grant-type:token-exchange"},
		"subject_token": {token}, "subject_token_type": {tokenType}, "requested_token_type": {tokenType}, "audience": {audience},
	}
	if len(scopes) > 0 {
		form.Set("scope", strings.Join(scopes, " "))
	}
	r, err := http.NewRequest(http.MethodPost, at, strings.NewReader(form.Encode()))
	if err != nil {
		return "", until, errors.New("mcpauth: the token endpoint is not a URL")
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.SetBasicAuth(url.QueryEscape(x.o.ClientID), url.QueryEscape(x.o.ClientSecret))
	asked := time.Now()
	reply, err := x.f.object(ctx, r)
	if e, ok := errors.AsType[*statusError](err); ok {
		return "", until, &ExchangeError{Code: e.code, Status: e.status}
	}
	if err != nil {
		return "", until, fmt.Errorf("mcpauth: exchange a token: %w", err)
	}
	exchanged, _ = reply["access_token"].(string)
	kind, _ := reply["token_type"].(string)
	if !isB64Token(exchanged) || len(exchanged) > maxTokenBytes || !strings.EqualFold(kind, SchemeBearer) {
		return "", until, errors.New("mcpauth: the issuer has not sent a bearer token")
	}
	return exchanged, asked.Add(lifeOf(reply) - exchangedEnd), nil
}

// lifeOf returns for how long the token in a reply may be used.
func lifeOf(reply map[string]any) time.Duration {
	n, _ := reply["expires_in"].(json.Number)
	seconds, err := strconv.Atoi(n.String())
	if err != nil || seconds < 0 {
		return 0 // unknown: it is not cached
	}
	return min(time.Duration(min(seconds, 86400))*time.Second, exchangedTime+exchangedEnd)
}

// endpoint returns the URL of the token endpoint.
func (x *Exchanger) endpoint(ctx context.Context) (string, error) {
	if x.o.Endpoint != "" {
		return x.o.Endpoint, nil
	}
	x.mu.Lock()
	at, age := x.at, time.Since(x.foundAt)
	x.mu.Unlock()
	if at != "" && age < endpointTime {
		return at, nil
	}
	document, err := discover(ctx, x.metadata, x.o.Issuer)
	if err != nil {
		return "", err
	}
	at, _ = document["token_endpoint"].(string)
	if _, err := checkURL(at); err != nil {
		return "", fmt.Errorf("the token_endpoint of the issuer %w", err)
	}
	x.mu.Lock()
	x.at, x.foundAt = at, time.Now()
	x.mu.Unlock()
	return at, nil
}
