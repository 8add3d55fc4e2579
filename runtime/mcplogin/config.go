package mcplogin

import (
	"context"
	"crypto"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/fetch"
)

// Config configures how a client logs in. Its zero value, with a Name, registers the client at each
// authorization server (RFC 7591), opens a browser, and keeps tokens in memory.
type Config struct {
	// Issuer is the authorization server at which ClientID is registered. Without ClientID, it is
	// preferred if a server names several.
	Issuer string
	// ClientID is the client's id at Issuer, and ClientSecret or Key is its credential, if it has
	// one. They are sent to no other authorization server.
	ClientID, ClientSecret string
	// Key signs the client's assertions (private_key_jwt, RFC 7523 section 2.2): an ECDSA, RSA or
	// Ed25519 key.
	Key crypto.Signer
	// MetadataURL is the URL of the client's metadata document, which is its id where the
	// authorization server supports such documents (https, with a path).
	MetadataURL string
	// Name is the client's name for dynamic registration, which is the last resort. "" means that
	// clients are not registered dynamically.
	Name string
	// Redirect is the redirect URI. With "", a login listens on a free port of 127.0.0.1. It also
	// listens at a URI of this machine, such as "http://127.0.0.1:7777/callback". Any other URI
	// belongs to a web program, which calls Begin and Finish.
	Redirect string
	// OpenBrowser shows a person the URL of the login, and may return before the end of the login.
	// Nil opens the browser and writes the URL to standard error.
	OpenBrowser func(ctx context.Context, url string) error
	// Scopes returns the scopes to ask for, given the scopes that the server wants. Nil asks for
	// wanted.
	Scopes func(wanted []string) []string
	// Offline asks for the scope offline_access where the authorization server lists it, to get a
	// refresh token that outlives the person's session.
	Offline bool
	// Store stores tokens and registrations. Nil is MemoryStore().
	Store Store
	// DPoP selects when tokens are bound to a key (RFC 9449).
	DPoP DPoPMode
	// HTTP sends the requests to authorization servers. Nil is a client with the environment's
	// proxy, which checks each address when it is dialled. The Transport of another client is used
	// unchanged: then only addresses in URLs are checked, and not the addresses of host names.
	HTTP *http.Client
	// AllowPrivate lets servers name authorization servers at private and link-local addresses and
	// on this machine. Without it, only a server at such an address may.
	AllowPrivate bool
	// MaxSteps limits the number of tokens obtained for one request. 0 means 3.
	MaxSteps int
}

// DPoPMode selects when tokens are bound to a key of the client (RFC 9449), so that a stolen token
// is of no use.
type DPoPMode int

const (
	// DPoPIfOffered binds tokens where the authorization server and the MCP server both declare
	// support.
	DPoPIfOffered DPoPMode = iota
	// DPoPOff never binds tokens.
	DPoPOff
	// DPoPRequire fails where a token cannot be bound.
	DPoPRequire
)

// defaultSteps is the default of Config.MaxSteps.
const defaultSteps = 3

// check returns an error for a Config that contradicts itself.
func (c *Config) check() error {
	switch {
	case c.ClientID != "" && c.Issuer == "":
		return errors.New("mcplogin: Config.ClientID without Issuer: credentials belong to the authorization server that issued them")
	case c.ClientID == "" && (c.ClientSecret != "" || c.Key != nil && c.MetadataURL == ""):
		return errors.New("mcplogin: Config has credentials of a client, and no ClientID")
	case c.DPoP < DPoPIfOffered || c.DPoP > DPoPRequire:
		return fmt.Errorf("mcplogin: Config.DPoP is %d", c.DPoP)
	case c.MaxSteps < 0:
		return fmt.Errorf("mcplogin: Config.MaxSteps is %d", c.MaxSteps)
	}
	if c.Issuer != "" {
		if _, err := localPeer.CheckURL(c.Issuer); err != nil {
			return fmt.Errorf("mcplogin: Config.Issuer: %w", err)
		}
	}
	if c.MetadataURL != "" {
		u, err := (fetch.Peer{}).CheckURL(c.MetadataURL)
		if err == nil && strings.Trim(u.Path, "/") == "" {
			err = errors.New("it has no path")
		}
		if err != nil {
			return fmt.Errorf("mcplogin: Config.MetadataURL: %w", err)
		}
	}
	if c.Redirect != "" {
		u, err := url.Parse(c.Redirect)
		if err != nil || u.Scheme == "" || u.Fragment != "" || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
			return fmt.Errorf("mcplogin: Config.Redirect %q must be an absolute URL with http or https", c.Redirect)
		}
	}
	return nil
}

// localPeer is a peer on this machine: it stands for the configuration, whose addresses are not
// restricted.
var localPeer = fetch.Peer{Remote: netip.MustParseAddr("127.0.0.1")}

// scopes returns the scopes to ask for, unsorted, each once.
func (c *Config) scopes(wanted []string) []string {
	if c.Scopes != nil {
		wanted = c.Scopes(slices.Clone(wanted))
	}
	return union(nil, wanted)
}

// union returns list and the scopes of more that it lacks.
func union(list, more []string) []string {
	list = slices.Clone(list)
	for _, scope := range more {
		if !slices.Contains(list, scope) {
			list = append(list, scope)
		}
	}
	return list
}

// maxScopes limits the number of scopes of one request, and maxScopeBytes the length of a scope.
const (
	maxScopes     = 200
	maxScopeBytes = 8 << 10
)

// splitScopes returns the scopes in a string (RFC 6749, section 3.3), without words that are not
// scope tokens.
func splitScopes(text string) []string {
	var list []string
	for _, scope := range strings.Split(text, " ") {
		if validScope(scope) {
			list = union(list, []string{scope})
		}
		if len(list) == maxScopes {
			break
		}
	}
	return list
}

func validScope(scope string) bool {
	for _, r := range scope {
		if r < '!' || r == '"' || r == '\\' || r > '~' {
			return false
		}
	}
	return scope != "" && len(scope) <= maxScopeBytes
}
