package mcplogin

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/clientauth"
)

// ClientCredentials returns a Login for a service that acts for itself: it gets tokens with its own
// credentials (RFC 6749, section 4.4), as in the extension
// io.modelcontextprotocol/oauth-client-credentials. Config.Key takes precedence over ClientSecret.
// Issuer, ClientID and one of these must be set.
func ClientCredentials(c Config) (*Login, error) {
	if c.ClientID == "" || c.Key == nil && c.ClientSecret == "" {
		return nil, errors.New("mcplogin: ClientCredentials needs Config.ClientID, and Key or ClientSecret")
	}
	g := &clientGrant{}
	l, err := newLogin(c, g)
	g.l = l
	return l, err
}

// clientGrant is the grant of a client's own credentials.
type clientGrant struct{ l *Login }

func (g *clientGrant) key() string {
	return fmt.Sprintf("client %q %q", g.l.c.Issuer, g.l.c.ClientID)
}

func (g *clientGrant) extension() string { return "io.modelcontextprotocol/oauth-client-credentials" }

func (g *clientGrant) token(ctx context.Context, t *attempt) (*token, error) {
	if err := g.l.known(t); err != nil {
		return nil, err
	}
	return g.l.requestToken(ctx, t.request(t.scoped(url.Values{"grant_type": {"client_credentials"}})))
}

// known sets the client of an attempt to the client in the Config.
func (l *Login) known(t *attempt) error {
	r, err := l.given(t.as)
	if err == nil && r == nil {
		err = l.errUnregistered(t.as)
	}
	t.client = r
	return err
}

// scoped adds the scopes of an attempt to a form.
func (t *attempt) scoped(form url.Values) url.Values {
	if len(t.scopes) > 0 {
		form.Set("scope", strings.Join(t.scopes, " "))
	}
	return form
}

// grantJWT is the grant of an assertion (RFC 7523, section 2.1).
const grantJWT = "urn:ietf:params:oauth:grant-type:jwt-bearer"

// WorkloadConfig configures a program that its platform vouches for.
type WorkloadConfig struct {
	// Config contains Issuer and ClientID, if the authorization server knows the program, and no
	// secret.
	Config
	// Assertion returns a token of the platform, such as a Kubernetes service account token, for an
	// audience, the issuer. It is called for each login.
	Assertion func(ctx context.Context, audience string) (string, error)
}

// Workload returns a Login for a program that exchanges an assertion of its platform for a token
// (RFC 7523, section 2.1). A refused assertion is not sent again, and no other grant is tried. See
// [AssertionFile].
func Workload(c WorkloadConfig) (*Login, error) {
	if c.Assertion == nil || c.ClientID == "" {
		return nil, errors.New("mcplogin: Workload needs Assertion, ClientID and Issuer")
	}
	g := &workloadGrant{c: c}
	l, err := newLogin(c.Config, g)
	g.l = l
	return l, err
}

type workloadGrant struct {
	l *Login
	c WorkloadConfig
}

func (g *workloadGrant) key() string {
	return fmt.Sprintf("workload %q %q", g.c.Issuer, g.c.ClientID)
}

func (g *workloadGrant) extension() string { return "io.modelcontextprotocol/auth/wif" }

func (g *workloadGrant) token(ctx context.Context, t *attempt) (*token, error) {
	if err := g.l.known(t); err != nil {
		return nil, err
	}
	text, err := g.c.Assertion(ctx, t.as.Issuer)
	if err != nil {
		return nil, fmt.Errorf("get the assertion of the platform: %w", err)
	}
	return g.l.requestToken(ctx, t.request(t.scoped(url.Values{"grant_type": {grantJWT}, "assertion": {text}})))
}

// EnterpriseConfig configures the login of a company's employee through its identity provider.
type EnterpriseConfig struct {
	// Config contains the registration at the authorization server of the MCP server.
	Config
	// Provider is the identity provider: its issuer, and the registration of this program there.
	Provider struct {
		Issuer, ClientID, ClientSecret string
	}
	// IDToken returns the ID token of the person, who has logged in to this program with OpenID
	// Connect. It is called for each login.
	IDToken func(ctx context.Context) (string, error)
}

// EnterpriseManaged returns a Login that exchanges a person's ID token at the company's identity
// provider for a grant for the authorization server of the MCP server (ID-JAG, RFC 8693), and the
// grant for a token (RFC 7523), as in the extension
// io.modelcontextprotocol/enterprise-managed-authorization. The identity provider determines which
// servers the person may use.
func EnterpriseManaged(c EnterpriseConfig) (*Login, error) {
	if c.IDToken == nil || c.ClientID == "" || c.Provider.Issuer == "" || c.Provider.ClientID == "" {
		return nil, errors.New("mcplogin: EnterpriseManaged needs IDToken, Provider, Issuer and ClientID")
	}
	if _, err := localPeer.CheckURL(c.Provider.Issuer); err != nil {
		return nil, fmt.Errorf("mcplogin: EnterpriseConfig.Provider.Issuer: %w", err)
	}
	g := &enterpriseGrant{c: c}
	l, err := newLogin(c.Config, g)
	g.l = l
	return l, err
}

type enterpriseGrant struct {
	l *Login
	c EnterpriseConfig
}

func (g *enterpriseGrant) key() string {
	return fmt.Sprintf("enterprise %q %q %q %q", g.c.Issuer, g.c.ClientID, g.c.Provider.Issuer, g.c.Provider.ClientID)
}

func (g *enterpriseGrant) extension() string {
	return "io.modelcontextprotocol/enterprise-managed-authorization"
}

func (g *enterpriseGrant) token(ctx context.Context, t *attempt) (*token, error) {
	if err := g.l.known(t); err != nil {
		return nil, err
	}
	text, err := g.grant(ctx, t)
	if err != nil {
		return nil, fmt.Errorf("get a grant of the identity provider %s: %w", g.c.Provider.Issuer, err)
	}
	return g.l.requestToken(ctx, t.request(t.scoped(url.Values{"grant_type": {grantJWT}, "assertion": {text}})))
}

// grant exchanges the ID token for a grant (ID-JAG).
func (g *enterpriseGrant) grant(ctx context.Context, t *attempt) (string, error) {
	id, err := g.c.IDToken(ctx)
	if err != nil {
		return "", fmt.Errorf("get the ID token: %w", err)
	}
	provider, err := g.l.discoverIssuer(ctx, localPeer, &resource{}, g.c.Provider.Issuer)
	if err != nil {
		return "", err
	}
	client := &registration{Issuer: provider.Issuer, ID: g.c.Provider.ClientID, Secret: g.c.Provider.ClientSecret}
	if client.Method, err = clientauth.Choose(provider.AuthMethods, false, client.Secret != ""); err != nil {
		return "", err
	}
	const idJAG = "urn:ietf:params:oauth:token-type:id-jag"
	return g.l.exchangeToken(ctx, &tokenRequest{
		from: localPeer, endpoint: provider.TokenEndpoint, issuer: provider.Issuer, client: client,
		form: t.scoped(url.Values{
			"grant_type": {"urn:ietf:params:oauth:grant-type:token-exchange"}, "requested_token_type": {idJAG},
			"audience": {t.as.Issuer}, "resource": {t.res.id},
			"subject_token": {id}, "subject_token_type": {"urn:ietf:params:oauth:token-type:id_token"},
		}),
	}, idJAG)
}
