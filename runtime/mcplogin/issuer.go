package mcplogin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/fetch"
)

// issuer is the metadata of an authorization server (RFC 8414, section 2, and OpenID Connect
// Discovery 1.0, section 3).
type issuer struct {
	Issuer                string   `json:"issuer"`
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	RegistrationEndpoint  string   `json:"registration_endpoint"`
	RevocationEndpoint    string   `json:"revocation_endpoint"`
	ScopesSupported       []string `json:"scopes_supported"`
	GrantTypes            []string `json:"grant_types_supported"`
	ChallengeMethods      []string `json:"code_challenge_methods_supported"`
	AuthMethods           []string `json:"token_endpoint_auth_methods_supported"`
	AuthAlgorithms        []string `json:"token_endpoint_auth_signing_alg_values_supported"`
	DPoPAlgorithms        []string `json:"dpop_signing_alg_values_supported"`
	IssParameter          bool     `json:"authorization_response_iss_parameter_supported"`
	MetadataDocuments     bool     `json:"client_id_metadata_document_supported"`
}

// selectIssuer returns the authorization server to use for a resource: Config.Issuer, or else the
// first that the resource names.
func (l *Login) selectIssuer(r *resource) (string, error) {
	switch want := l.c.Issuer; {
	case want == "" || r.legacy && l.c.ClientID == "":
		return r.issuers[0], nil
	case contains(r.issuers, want):
		return want, nil
	case l.c.ClientID == "":
		return r.issuers[0], nil
	default:
		return "", fmt.Errorf("the client is registered at %s, but the server names %s: register it there, and set Config.Issuer, ClientID and the credentials to those", want, quote(strings.Join(r.issuers, " ")))
	}
}

// discoverIssuer gets the metadata of an authorization server.
func (l *Login) discoverIssuer(ctx context.Context, from fetch.Peer, r *resource, name string) (*issuer, error) {
	u, err := from.CheckURL(name)
	if err != nil {
		return nil, fmt.Errorf("the authorization server that the server names: %w", err)
	}
	if u.RawQuery != "" {
		return nil, fmt.Errorf("the name of the authorization server, %s, has a query (RFC 8414, section 2)", quote(name))
	}
	m, err := l.getIssuer(ctx, from, u, name)
	if err != nil {
		return nil, err
	}
	if m == nil && r.legacy {
		// Revision 2025-03-26, "Fallbacks for Servers without Metadata Discovery".
		at := origin(u)
		return &issuer{
			Issuer: name, AuthorizationEndpoint: at + "/authorize", TokenEndpoint: at + "/token", RegistrationEndpoint: at + "/register",
			ChallengeMethods: []string{"S256"}, AuthMethods: []string{"none", "client_secret_post", "client_secret_basic"},
		}, nil
	}
	if m == nil {
		return nil, fmt.Errorf("the authorization server %s has no metadata at its well-known URLs (RFC 8414, OpenID Connect Discovery)", quote(name))
	}
	return m, nil
}

// getIssuer asks for the metadata at each well-known URL in turn. It returns nil if no URL has it.
func (l *Login) getIssuer(ctx context.Context, from fetch.Peer, u *url.URL, name string) (*issuer, error) {
	path := u.EscapedPath()
	places := []string{wellKnown(u, "oauth-authorization-server", path), wellKnown(u, "openid-configuration", path)}
	if strings.Trim(path, "/") != "" {
		places = append(places, origin(u)+strings.TrimSuffix(path, "/")+"/.well-known/openid-configuration")
	}
	for _, at := range places {
		body, err := l.http.Get(ctx, from, at)
		if absent(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("get the metadata of the authorization server: %w", err)
		}
		m := new(issuer)
		if err := json.Unmarshal(body, m); err != nil {
			return nil, fmt.Errorf("read the metadata of the authorization server %s: %w", quote(name), err)
		}
		if m.Issuer != name {
			return nil, fmt.Errorf("the metadata at %s is of another issuer, %s instead of %s: it must be the same text (RFC 8414, section 3.3)", at, quote(m.Issuer), quote(name))
		}
		if m.TokenEndpoint == "" {
			return nil, fmt.Errorf("the metadata of the authorization server %s has no token_endpoint", quote(name))
		}
		return m, nil
	}
	return nil, nil
}

// errNoPKCE is the error for an authorization server whose codes can be stolen.
var errNoPKCE = errors.New("the authorization server does not say that it supports PKCE with S256 (code_challenge_methods_supported), without which a code can be stolen")
