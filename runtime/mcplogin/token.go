package mcplogin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/clientauth"
	"github.com/mcpgen/mcpgen/runtime/internal/fetch"
)

// token is a response of a token endpoint (RFC 6749, section 5.1).
type token struct {
	access, refresh string
	kind            string // Bearer or DPoP
	expires         time.Time
	scopes          []string // the granted ones; nil if the response does not contain them
}

// maxTokenBytes limits the stored data of a token endpoint's response.
const maxTokenBytes = 64 << 10

// tokenRequest is a request to a token endpoint.
type tokenRequest struct {
	from     fetch.Peer
	endpoint string
	issuer   string
	client   *registration
	form     url.Values
	key      *proofKey // nil for a token without binding
}

// requestToken sends a request to a token endpoint. If the authorization server requires a nonce in
// the proof, it sends the request once more.
func (l *Login) requestToken(ctx context.Context, q *tokenRequest) (*token, error) {
	endpoint, err := q.from.CheckURL(q.endpoint)
	if err != nil {
		return nil, fmt.Errorf("the token endpoint: %w", err)
	}
	for attempt := 1; ; attempt++ {
		header, body, err := l.tokenMessage(q, endpoint)
		if err != nil {
			return nil, err
		}
		reply, got, err := l.http.Post(ctx, q.from, q.endpoint, header, body)
		if status, ok := errors.AsType[*fetch.Status](err); ok {
			got = status.Header
		}
		fresh := l.nonces.put(endpoint, got)
		if err != nil {
			err = oauthError(err)
			if e, ok := errors.AsType[*OAuthError](err); ok && e.Code == "use_dpop_nonce" && q.key != nil && fresh && attempt == 1 {
				continue
			}
			return nil, err
		}
		return readToken(reply, q.key != nil)
	}
}

// tokenMessage returns header and body of a token request, with the client's credentials.
func (l *Login) tokenMessage(q *tokenRequest, endpoint *url.URL) (http.Header, []byte, error) {
	header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	form := url.Values{}
	for name, values := range q.form {
		form[name] = values
	}
	client := clientauth.Client{
		Method: q.client.Method, ID: q.client.ID, Secret: q.client.Secret, Key: l.c.Key, Issuer: q.issuer, Algorithms: q.client.Algorithms,
	}
	if err := client.Authenticate(header, form); err != nil {
		return nil, nil, err
	}
	if q.key != nil {
		proof, err := q.key.proof(http.MethodPost, endpoint, "", l.nonces.get(endpoint))
		if err != nil {
			return nil, nil, err
		}
		header.Set("Dpop", proof)
	}
	return header, []byte(form.Encode()), nil
}

// readToken reads the response of a token endpoint.
func readToken(reply []byte, bound bool) (*token, error) {
	var m struct {
		Access  string          `json:"access_token"`
		Kind    string          `json:"token_type"`
		Expires json.RawMessage `json:"expires_in"`
		Refresh string          `json:"refresh_token"`
		Scope   *string         `json:"scope"`
	}
	if err := json.Unmarshal(reply, &m); err != nil {
		return nil, errors.New("read the response of the token endpoint: it does not have the form of RFC 6749, section 5.1")
	}
	switch {
	case !validToken(m.Access):
		return nil, errors.New("the response of the token endpoint has no access_token that can be sent (RFC 6750, section 2.1)")
	case len(m.Refresh) > maxTokenBytes:
		return nil, errors.New("the response of the token endpoint has a refresh_token that is too long")
	case strings.EqualFold(m.Kind, "DPoP") && bound:
		m.Kind = "DPoP"
	case strings.EqualFold(m.Kind, "Bearer"):
		m.Kind = "Bearer"
	default:
		return nil, fmt.Errorf("the response of the token endpoint has the token_type %s, which was not asked for", quote(m.Kind))
	}
	t := &token{access: m.Access, refresh: m.Refresh, kind: m.Kind}
	// Some authorization servers send the number as a string.
	if seconds, err := strconv.ParseFloat(strings.Trim(string(m.Expires), `"`), 64); err == nil && seconds > 0 {
		t.expires = time.Now().Add(time.Duration(min(seconds, 10*365*24*3600) * float64(time.Second)))
	}
	if m.Scope != nil {
		t.scopes = splitScopes(*m.Scope)
		if t.scopes == nil {
			t.scopes = []string{}
		}
	}
	return t, nil
}

// validToken reports whether a token can be sent in a header field (RFC 6750, section 2.1). Some
// authorization servers issue other tokens, which are refused only if they would break the field.
func validToken(text string) bool {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] > '~' {
			return false
		}
	}
	return text != "" && len(text) <= maxTokenBytes
}

// exchangeToken sends a token exchange request (RFC 8693), and returns the issued token, which must
// have the type kind.
func (l *Login) exchangeToken(ctx context.Context, q *tokenRequest, kind string) (string, error) {
	endpoint, err := q.from.CheckURL(q.endpoint)
	if err != nil {
		return "", fmt.Errorf("the token endpoint: %w", err)
	}
	header, body, err := l.tokenMessage(q, endpoint)
	if err != nil {
		return "", err
	}
	reply, _, err := l.http.Post(ctx, q.from, q.endpoint, header, body)
	if err != nil {
		return "", oauthError(err)
	}
	var m struct {
		Token string `json:"access_token"`
		Kind  string `json:"issued_token_type"`
	}
	if json.Unmarshal(reply, &m) != nil || !validToken(m.Token) || m.Kind != kind {
		return "", fmt.Errorf("the response of the token endpoint has no token of the type %s", kind)
	}
	return m.Token, nil
}
