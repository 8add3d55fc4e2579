package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/secureurl"
	"github.com/mcpgen/mcpgen/runtime/mcplogin"
)

// loginEntry contains the properties of a login except its token: the client at the authorization
// server. Later commands need them to find the token and renew it.
type loginEntry struct {
	URL      string `json:"url"` // of the server
	Issuer   string `json:"issuer,omitempty"`
	ClientID string `json:"clientId,omitempty"`
	Metadata string `json:"metadata,omitempty"`
	Redirect string `json:"redirect,omitempty"`
}

// logins are the logins of a user, in one file with the tokens.
type logins struct {
	path  string
	store mcplogin.Store
}

// loginsKey is the key of the entries in the store.
const loginsKey = "mcpgen servers"

// openLogins finds the file without reading it.
func openLogins() (*logins, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return nil, fmt.Errorf("find the configuration directory, where logins are kept: %w", err)
	}
	path := filepath.Join(dir, "mcpgen", "logins.json")
	return &logins{path, mcplogin.FileStore(path)}, nil
}

// entries returns all entries.
func (l *logins) entries(ctx context.Context) ([]loginEntry, error) {
	text, err := l.store.Get(ctx, loginsKey)
	if err != nil {
		return nil, fmt.Errorf("read the logins: %w", err)
	}
	var all []loginEntry
	if text != nil && json.Unmarshal(text, &all) != nil {
		return nil, fmt.Errorf("the list of servers in %s is not valid: delete the file, and log in again", l.path)
	}
	return all, nil
}

// entry returns the entry of a server, or a new one without a client.
func (l *logins) entry(ctx context.Context, server string) (e loginEntry, known bool, err error) {
	all, err := l.entries(ctx)
	for _, e := range all {
		if e.URL == server {
			return e, true, nil
		}
	}
	return loginEntry{URL: server}, false, err
}

// change changes the entries. It also checks, before a person logs in, that a login can be stored.
func (l *logins) change(ctx context.Context, f func([]loginEntry) []loginEntry) error {
	unlock, err := l.store.Lock(ctx, loginsKey)
	if err != nil {
		return fmt.Errorf("logins are kept in %s: %w", l.path, err)
	}
	defer unlock()
	all, err := l.entries(ctx)
	if err != nil {
		return err
	}
	text, err := json.Marshal(f(all))
	if err == nil {
		err = l.store.Put(ctx, loginsKey, text)
	}
	if err != nil {
		return fmt.Errorf("logins are kept in %s: %w", l.path, err)
	}
	return nil
}

// remember adds an entry, or replaces the entry for the same server.
func (l *logins) remember(ctx context.Context, e loginEntry) error {
	return l.change(ctx, func(all []loginEntry) []loginEntry { return append(without(all, e.URL), e) })
}

// forget removes an entry.
func (l *logins) forget(ctx context.Context, server string) error {
	return l.change(ctx, func(all []loginEntry) []loginEntry { return without(all, server) })
}

func without(all []loginEntry, server string) []loginEntry {
	return slices.DeleteFunc(slices.Clone(all), func(e loginEntry) bool { return e.URL == server })
}

// login returns the login of an entry.
func (l *logins) login(e loginEntry, change func(*mcplogin.Config)) (*mcplogin.Login, error) {
	c := mcplogin.Config{
		Name: "mcpgen", Issuer: e.Issuer, ClientID: e.ClientID, MetadataURL: e.Metadata, Redirect: e.Redirect,
		Store: l.store, Offline: true,
	}
	change(&c)
	return mcplogin.New(c)
}

// loginURL returns the URL of a server in the form of entries, or an error.
func loginURL(text string) (server string, err error) {
	u, err := url.Parse(text)
	if err != nil {
		return "", errors.New("it is not a URL")
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	switch u.Scheme {
	case "ws", "wss":
		u.Scheme = "http" + strings.TrimPrefix(u.Scheme, "ws")
	}
	u.Fragment, u.RawFragment = "", ""
	switch {
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "", errors.New("only servers behind a URL with https have logins")
	case u.User != nil:
		return "", errors.New("it has a user name or a password, which a login does not use: leave them out")
	case u.Scheme == "http" && !secureurl.IsThisMachine(u.Hostname()):
		return "", errors.New("tokens are not sent over plain http: use https")
	}
	if u.Path == "/" && u.RawPath == "" {
		u.Path = ""
	}
	return u.String(), nil
}
