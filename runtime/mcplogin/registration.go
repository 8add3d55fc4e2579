package mcplogin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/clientauth"
	"github.com/mcpgen/mcpgen/runtime/internal/fetch"
)

// registration is a client at an authorization server.
type registration struct {
	Issuer   string    `json:"issuer"` // the only one that receives it
	ID       string    `json:"id"`
	Secret   string    `json:"secret,omitempty"`
	Method   string    `json:"method"`             // authentication method at the token endpoint
	Redirect string    `json:"redirect,omitempty"` // the registered one
	Expires  time.Time `json:"expires,omitzero"`   // of the secret
	// Algorithms are the signature algorithms of assertions that the authorization server supports.
	Algorithms []string `json:"algorithms,omitempty"`
	given      bool     // by the Config, which contains the secret
}

// given returns the client in the Config: a registered one, or a metadata document. It returns nil
// if neither fits.
func (l *Login) given(as *issuer) (*registration, error) {
	r := &registration{Issuer: as.Issuer, given: true, Algorithms: as.AuthAlgorithms}
	switch {
	case l.c.ClientID != "":
		r.ID, r.Secret = l.c.ClientID, l.c.ClientSecret
	case l.c.MetadataURL != "" && as.MetadataDocuments:
		r.ID = l.c.MetadataURL
	default:
		return nil, nil
	}
	var err error
	r.Method, err = clientauth.Choose(as.AuthMethods, l.c.Key != nil, r.Secret != "")
	return r, err
}

// client returns the client of a login at an authorization server, for a redirect URI, in the order
// of the specification: registered before, a metadata document, dynamic registration.
func (l *Login) client(ctx context.Context, from fetch.Peer, as *issuer, redirect string) (*registration, error) {
	r, err := l.given(as)
	if r != nil || err != nil {
		return r, err
	}
	if l.c.Name == "" || as.RegistrationEndpoint == "" {
		return nil, l.errUnregistered(as)
	}
	key := storeKey("client", as.Issuer, l.c.Name)
	if r := new(registration); l.load(ctx, key, r) && r.Issuer == as.Issuer && r.Redirect == redirect && (r.Expires.IsZero() || time.Now().Before(r.Expires)) {
		return r, nil
	}
	if r, err = l.register(ctx, from, as, redirect); err != nil {
		return nil, err
	}
	return r, l.save(ctx, key, r)
}

// ErrUnregistered is the error of a login if the Config contains no client that the authorization
// server accepts.
var ErrUnregistered = errors.New("the client is not known to the authorization server")

// registrationError is the error of an authorization server that refuses to register the client.
type registrationError struct{ error }

func (e *registrationError) Unwrap() error        { return e.error }
func (e *registrationError) Is(target error) bool { return target == ErrUnregistered }

// errUnregistered returns an error that explains how to register a client.
func (l *Login) errUnregistered(as *issuer) error {
	ways := "register the client at it, and set Config.Issuer and ClientID"
	if as.MetadataDocuments && l.c.MetadataURL == "" {
		ways += "; or publish a metadata document of the client, and set Config.MetadataURL"
	}
	if as.RegistrationEndpoint != "" && l.c.Name == "" {
		ways += "; or set Config.Name, for dynamic registration"
	}
	return fmt.Errorf("%w, %s: %s", ErrUnregistered, quote(as.Issuer), ways)
}

// registrationReply is the response to a registration (RFC 7591, section 3.2.1).
type registrationReply struct {
	ClientID  string   `json:"client_id"`
	Secret    string   `json:"client_secret"`
	Expires   int64    `json:"client_secret_expires_at"`
	Method    string   `json:"token_endpoint_auth_method"`
	Redirects []string `json:"redirect_uris"`
}

// register registers the client at an authorization server (RFC 7591).
func (l *Login) register(ctx context.Context, from fetch.Peer, as *issuer, redirect string) (*registration, error) {
	method := clientauth.None
	if len(as.AuthMethods) > 0 && !contains(as.AuthMethods, clientauth.None) {
		for _, m := range []string{clientauth.Basic, clientauth.Post} {
			if contains(as.AuthMethods, m) {
				method = m
				break
			}
		}
	}
	kind := "native"
	if !isLoopbackURL(redirect) {
		kind = "web"
	}
	grants := []string{"authorization_code"}
	if as.GrantTypes == nil || contains(as.GrantTypes, "refresh_token") { // an unsupported grant type would be refused
		grants = append(grants, "refresh_token")
	}
	body, err := json.Marshal(map[string]any{
		"client_name": l.c.Name, "application_type": kind, "redirect_uris": []string{redirect},
		"grant_types": grants, "response_types": []string{"code"},
		"token_endpoint_auth_method": method,
	})
	if err != nil {
		return nil, err
	}
	reply, _, err := l.http.Post(ctx, from, as.RegistrationEndpoint, http.Header{"Content-Type": {"application/json"}}, body)
	if status, ok := errors.AsType[*fetch.Status](err); ok && status.Code/100 == 4 && status.Code != http.StatusTooManyRequests && status.Code != http.StatusRequestTimeout {
		return nil, &registrationError{fmt.Errorf("register the client at %s: %w. If it takes no client by itself, register the client there, and set Config.Issuer and ClientID", quote(as.Issuer), oauthError(err))}
	}
	if err != nil {
		return nil, fmt.Errorf("register the client at %s: %w", quote(as.Issuer), err)
	}
	var m registrationReply
	if err := json.Unmarshal(reply, &m); err != nil || m.ClientID == "" {
		return nil, fmt.Errorf("register the client at %s: the response has no client_id", quote(as.Issuer))
	}
	r := &registration{Issuer: as.Issuer, ID: m.ClientID, Secret: m.Secret, Method: m.Method, Redirect: redirect}
	if m.Expires > 0 {
		r.Expires = time.Unix(m.Expires, 0)
	}
	switch {
	case r.Method == clientauth.None, r.Secret == "":
		r.Method, r.Secret = clientauth.None, ""
	case r.Method == "" || r.Method != clientauth.Basic && r.Method != clientauth.Post:
		if r.Method, err = clientauth.Choose(as.AuthMethods, false, r.Secret != ""); err != nil {
			r.Method = method
		}
	}
	return r, nil
}

// forget removes a dynamic registration that its authorization server may no longer know. The next
// login registers the client again.
func (l *Login) forget(ctx context.Context, issuer, client string) {
	key, r := storeKey("client", issuer, l.c.Name), new(registration)
	if l.c.Name != "" && l.c.ClientID == "" && l.load(ctx, key, r) && r.ID == client {
		_ = l.store.Put(ctx, key, nil) // the next login reports it
	}
}

// OAuthError is an error returned by an authorization server (RFC 6749, sections 4.1.2.1 and 5.2).
type OAuthError struct {
	Code        string // such as invalid_grant
	Description string // for developers; its text is the server's
}

func (e *OAuthError) Error() string {
	if e.Description == "" {
		return "the authorization server refuses: " + unquoted(e.Code)
	}
	return "the authorization server refuses: " + unquoted(e.Code) + ": " + unquoted(e.Description)
}

// oauthError returns the error in the body of a response, or else err.
func oauthError(err error) error {
	status, ok := errors.AsType[*fetch.Status](err)
	if !ok {
		return err
	}
	var e struct {
		Code        string `json:"error"`
		Description string `json:"error_description"`
	}
	if json.Unmarshal(status.Body, &e) != nil || e.Code == "" {
		return err
	}
	return &OAuthError{e.Code, e.Description}
}
