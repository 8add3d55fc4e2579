package main

import (
	"context"
	"crypto"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
	"github.com/mcpgen/mcpgen/runtime/mcplogin"
)

// credentials are part of the context of some scenarios.
type credentials struct {
	ClientID    string `json:"client_id"`
	Secret      string `json:"client_secret"`
	Key         string `json:"private_key_pem"`
	Assertion   string `json:"valid_jwt"`
	IDPClientID string `json:"idp_client_id"`
	IDPIssuer   string `json:"idp_issuer"`
	IDToken     string `json:"idp_id_token"`
}

// metadataURL is the client metadata document that the suite expects.
const metadataURL = "https://conformance-test.local/client-metadata.json"

// newLogin returns the login of the client, or nil for scenarios without authorization.
func newLogin(ctx context.Context, name, server string, c *credentials) (*mcplogin.Login, error) {
	kind, isAuth := strings.CutPrefix(name, "auth/")
	if !isAuth {
		return nil, nil
	}
	config := mcplogin.Config{Name: "mcpgen-conformance", MetadataURL: metadataURL, OpenBrowser: logIn, Offline: true}
	if c.ClientID != "" {
		// A registered client belongs to an issuer that its user knows.
		issuer, err := issuerOf(ctx, server)
		if err != nil {
			return nil, err
		}
		config = mcplogin.Config{Issuer: issuer, ClientID: c.ClientID, ClientSecret: c.Secret, OpenBrowser: logIn}
	}
	switch kind {
	case "client-credentials-jwt", "client-credentials-basic":
		if c.Key != "" {
			key, err := readKey(c.Key)
			if err != nil {
				return nil, err
			}
			config.Key = key
		}
		return mcplogin.ClientCredentials(config)
	case "enterprise-managed-authorization":
		e := mcplogin.EnterpriseConfig{Config: config, IDToken: always(c.IDToken)}
		e.Provider.Issuer, e.Provider.ClientID = c.IDPIssuer, c.IDPClientID
		return mcplogin.EnterpriseManaged(e)
	case "wif-jwt-bearer":
		assertion := always(c.Assertion)
		return mcplogin.Workload(mcplogin.WorkloadConfig{Config: config, Assertion: func(ctx context.Context, _ string) (string, error) { return assertion(ctx) }})
	}
	return mcplogin.New(config)
}

// always returns a function that returns a constant text.
func always(text string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return text, nil }
}

// endpoint returns the server, with the login if the scenario uses authorization, and the
// extensions of the login.
func endpoint(server string, l *mcplogin.Login) (mcphttpclient.Endpoint, map[string]json.RawMessage) {
	if l == nil {
		return mcphttpclient.Endpoint{URL: server}, nil
	}
	return mcphttpclient.Endpoint{URL: server, Auth: l}, l.Extensions()
}

// logIn simulates a browser and its user: it follows redirects. The authorization server of the
// suite asks no questions.
func logIn(ctx context.Context, to string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, to, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return errors.Join(err, resp.Body.Close())
}

// issuerOf returns the authorization server that the metadata of a server names.
func issuerOf(ctx context.Context, server string) (string, error) {
	u, err := url.Parse(server)
	if err != nil {
		return "", err
	}
	u.Path = "/.well-known/oauth-protected-resource" + u.Path
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }() // the body was only read
	var m struct {
		Issuers []string `json:"authorization_servers"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&m); err != nil || len(m.Issuers) == 0 {
		return "", fmt.Errorf("the server names no authorization server: %w", errors.Join(err))
	}
	return m.Issuers[0], nil
}

func readKey(text string) (crypto.Signer, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("the key of the scenario is not in the form PEM")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("the key of the scenario is a %T", key)
	}
	return signer, nil
}
