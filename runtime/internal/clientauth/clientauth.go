// Package clientauth authenticates OAuth clients in requests to their authorization server: by a
// secret (RFC 6749, section 2.3.1) or by an assertion that they sign (RFC 7523, section 2.2).
package clientauth

import (
	"crypto"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Methods of authentication (RFC 7591, section 2, and OpenID Connect Core 1.0, section 9).
const (
	None  = "none"
	Basic = "client_secret_basic"
	Post  = "client_secret_post"
	JWT   = "private_key_jwt"
)

// Choose returns the method by which a client with these credentials authenticates, among the
// supported methods: its key takes precedence over its secret. Without a list, every method is
// taken to be supported, and client_secret_basic goes first (RFC 8414, section 2). For a client
// without credentials it returns None.
func Choose(supported []string, key, secret bool) (string, error) {
	var able []string
	if key {
		able = append(able, JWT)
	}
	if secret {
		able = append(able, Basic, Post)
	}
	if len(able) == 0 {
		return None, nil
	}
	for _, method := range able {
		if len(supported) == 0 || slices.Contains(supported, method) {
			return method, nil
		}
	}
	has := "a key: private_key_jwt"
	if secret {
		has = "a secret: client_secret_basic or client_secret_post"
	}
	return "", fmt.Errorf("the authorization server supports the methods %+.200q for the authentication of clients, the client has %s", strings.Join(supported, " "), has)
}

// Client is a client with its credentials and method of authentication.
type Client struct {
	Method string // one of the constants
	ID     string
	Secret string        // for Basic and Post
	Key    crypto.Signer // for JWT: ECDSA, RSA or Ed25519
	// Issuer is the audience of assertions, so that no other authorization server accepts them.
	Issuer string
	// Algorithms are the signature algorithms for assertions that the authorization server
	// supports. Empty means that it does not publish them.
	Algorithms []string
}

// Authenticate adds the credentials to the header and the form of a request.
func (c *Client) Authenticate(header http.Header, form url.Values) error {
	switch c.Method {
	case JWT:
		text, err := c.assertion()
		if err != nil {
			return err
		}
		form.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
		form.Set("client_assertion", text)
	case Basic:
		// Both parts are encoded as in a form (RFC 6749, section 2.3.1).
		pair := url.QueryEscape(c.ID) + ":" + url.QueryEscape(c.Secret)
		header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(pair)))
	case Post:
		form.Set("client_id", c.ID)
		form.Set("client_secret", c.Secret)
	default:
		form.Set("client_id", c.ID)
	}
	return nil
}
