package cli

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/internal/visible"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// loginWorld is a server that requires a login, its authorization server, and a user with a
// configuration directory, a terminal and a browser.
type loginWorld struct {
	t      *testing.T
	server *httptest.Server
	issuer *httptest.Server
	config string // directory

	mu       sync.Mutex
	dynamic  bool              // clients may register
	refuses  bool              // registrations are refused
	tokens   map[string]string // values are their scopes
	needs    string            // the required scope
	refresh  map[string]bool
	codes    map[string]url.Values
	requests []string     // to the authorization server: method and path
	queries  []url.Values // of the authorization endpoint
	serial   int
}

func newLoginWorld(t *testing.T) *loginWorld {
	w := &loginWorld{t: t, dynamic: true, tokens: map[string]string{}, refresh: map[string]bool{}, codes: map[string]url.Values{}, config: t.TempDir()}
	s := mcp.NewServer(mcp.ServerInfo{Name: "shop", Version: "1"})
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "echo", InputSchema: `{"type":"object"}`}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		return mcp.TextResult("caller " + mcp.CallFrom(ctx).Principal().ID), nil
	}))
	w.issuer = httptest.NewServer(http.HandlerFunc(w.serveIssuer))
	t.Cleanup(w.issuer.Close)
	mux := http.NewServeMux()
	w.server = httptest.NewServer(mux)
	t.Cleanup(w.server.Close)
	mux.HandleFunc("/.well-known/", func(rw http.ResponseWriter, _ *http.Request) {
		writeLoginJSON(rw, map[string]any{"resource": w.url(), "authorization_servers": []string{w.issuer.URL}, "scopes_supported": []string{"books:read"}})
	})
	mux.Handle("/mcp", mcphttp.NewHandler(s, mcphttp.WithPrincipal(func(r *http.Request) (mcp.Principal, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		scopes, ok := w.tokens[token]
		switch {
		case ok && (w.needs == "" || slices.Contains(strings.Fields(scopes), w.needs)):
			return mcp.Principal{ID: "ada"}, nil
		case ok:
			return mcp.Principal{}, &mcphttp.Refusal{
				Status: http.StatusForbidden, Text: "not with " + token,
				Header: http.Header{"Www-Authenticate": {`Bearer error="insufficient_scope", scope="` + w.needs + `"`}},
			}
		}
		return mcp.Principal{}, &mcphttp.Refusal{
			Status: http.StatusUnauthorized, Text: "not with " + token,
			Header: http.Header{"Www-Authenticate": {`Bearer resource_metadata="` + w.server.URL + `/.well-known/oauth-protected-resource/mcp"`}},
		}
	})))
	return w
}

func (w *loginWorld) url() string { return w.server.URL + "/mcp" }

func (w *loginWorld) serveIssuer(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests = append(w.requests, r.Method+" "+r.URL.Path)
	w.serial++
	switch r.URL.Path {
	case "/.well-known/oauth-authorization-server":
		m := map[string]any{
			"issuer": w.issuer.URL, "authorization_endpoint": w.issuer.URL + "/authorize", "token_endpoint": w.issuer.URL + "/token",
			"revocation_endpoint": w.issuer.URL + "/revoke", "code_challenge_methods_supported": []string{"S256"},
			"token_endpoint_auth_methods_supported": []string{"none"}, "client_id_metadata_document_supported": true,
		}
		if w.dynamic {
			m["registration_endpoint"] = w.issuer.URL + "/register"
		}
		writeLoginJSON(rw, m)
	case "/register":
		if w.refuses {
			rw.Header().Set("Content-Type", "application/json")
			rw.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(rw, `{"error":"invalid_client_metadata","error_description":"not these"}`)
			return
		}
		rw.Header().Set("Content-Type", "application/json")
		rw.WriteHeader(http.StatusCreated)
		fmt.Fprintf(rw, `{"client_id":"registered-%d"}`, w.serial)
	case "/authorize":
		q := r.URL.Query()
		w.queries = append(w.queries, q)
		code := fmt.Sprintf("secret-code-%d", w.serial)
		w.codes[code] = q
		back := url.Values{"code": {code}, "state": {q.Get("state")}}
		http.Redirect(rw, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	case "/token":
		_ = r.ParseForm()
		q := w.codes[r.PostForm.Get("code")]
		sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
		switch {
		case q != nil && q.Get("code_challenge") == base64.RawURLEncoding.EncodeToString(sum[:]):
		case w.refresh[r.PostForm.Get("refresh_token")]:
			delete(w.refresh, r.PostForm.Get("refresh_token"))
		default:
			rw.Header().Set("Content-Type", "application/json")
			rw.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(rw, `{"error":"invalid_grant"}`)
			return
		}
		access, refresh := fmt.Sprintf("secret-access-%d", w.serial), fmt.Sprintf("secret-refresh-%d", w.serial)
		w.tokens[access], w.refresh[refresh] = q.Get("scope"), true
		writeLoginJSON(rw, map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": 3600, "refresh_token": refresh})
	case "/revoke":
		_ = r.ParseForm()
		delete(w.refresh, r.PostForm.Get("token"))
	default:
		http.NotFound(rw, r)
	}
}

func writeLoginJSON(rw http.ResponseWriter, v any) {
	rw.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(rw).Encode(v)
}

// count returns the number of requests to a path of the authorization server.
func (w *loginWorld) count(path string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.requests {
		if strings.HasSuffix(r, " "+path) {
			n++
		}
	}
	return n
}

// command returns one command of the user.
func (w *loginWorld) command(terminal io.Reader, out, err io.Writer) *command {
	w.t.Setenv("XDG_CACHE_HOME", filepath.Join(w.config, "cache"))
	w.t.Setenv("XDG_CONFIG_HOME", w.config)
	w.t.Setenv("HTTP_PROXY", "")
	c := &command{
		ctx: w.t.Context(), dir: w.t.TempDir(), invoked: "mcpgen", in: strings.NewReader(""),
		out: visible.Writer(out), err: visible.Writer(err), data: out, log: err, progress: newProgress(io.Discard, false),
		browser: func(ctx context.Context, to string) error { return browse(ctx, to, http.DefaultClient) },
	}
	if terminal != nil {
		c.in, c.asksAnyway = terminal, true
	}
	return c
}

// browse opens a URL.
func browse(ctx context.Context, to string, client *http.Client) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, to, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(r)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// run runs a command, with a terminal on which the user types nothing, or without a terminal. No
// output may contain a secret.
func (w *loginWorld) run(terminal bool, args ...string) (code int, stdout, stderr string) {
	w.t.Helper()
	var out, err lockedBuffer
	var in io.Reader
	if terminal {
		r, write := io.Pipe()
		w.t.Cleanup(func() { _ = write.Close() })
		in = r
	}
	code = w.command(in, &out, &err).run(args)
	if all := out.String() + err.String(); strings.Contains(all, "secret-") {
		w.t.Errorf("%v prints a secret:\n%s", args, all)
	}
	return code, out.String(), err.String()
}

// must runs a command that must exit with a code and print texts.
func (w *loginWorld) must(terminal bool, code int, args []string, want ...string) {
	w.t.Helper()
	got, stdout, stderr := w.run(terminal, args...)
	if got != code {
		w.t.Errorf("%v: exit code %d, want %d\n%s%s", args, got, code, stdout, stderr)
	}
	for _, text := range want {
		if !strings.Contains(stdout+stderr, text) {
			w.t.Errorf("%v: no %q in\n%s%s", args, text, stdout, stderr)
		}
	}
}

// expire makes the server refuse all tokens.
func (w *loginWorld) expire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.tokens)
}

func words0(text string) []string { return strings.Fields(text) }

// TestLogin checks that without a terminal a call fails with the command to run, that calls use and
// renew the token after that command, and that logout removes it.
func TestLogin(t *testing.T) {
	w := newLoginWorld(t)
	call := words0("call -trace " + w.url() + " echo")
	w.must(false, 1, call, "the server requires a login", "hint: log in: mcpgen login "+w.url()+"; or ", "-bearer-env NAME")
	if len(w.requests) != 0 {
		t.Errorf("requests before a login: %v", w.requests)
	}
	w.must(false, 0, words0("login -list"), "there are no logins", "hint: mcpgen login https://")
	w.must(false, 0, words0("login -list -json"), `{"logins":[]}`)
	w.must(false, 0, words0("login "+w.url()), "logged in to "+w.url()+" at "+w.issuer.URL+", with the scopes books:read")
	w.must(false, 0, call, "caller ada")
	w.must(false, 0, words0("login -list"), "SERVER", w.url(), w.issuer.URL, "books:read", "renewed when it expires")
	w.must(false, 0, words0("login -list -json"), `"server":"`+w.url()+`"`, `"issuer":"`+w.issuer.URL+`"`, `"scopes":["books:read"]`, `"renewable":true`)
	if info, err := os.Stat(filepath.Join(w.config, "mcpgen", "logins.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of logins: %v, %v", info, err)
	}
	w.expire()
	w.must(false, 0, call, "caller ada") // by the refresh token
	if n := w.count("/authorize"); n != 1 {
		t.Errorf("%d logins", n)
	}
	w.must(false, 0, words0("logout "+w.url()), "logged out of "+w.url())
	if w.count("/revoke") != 1 || len(w.refresh) != 0 {
		t.Error("the token was not revoked")
	}
	w.must(false, 1, call, "the server requires a login")
	w.must(false, 1, words0("logout "+w.url()), "there is no login to "+w.url(), "mcpgen login -list")
	// The session expired everywhere.
	w.must(false, 0, words0("login "+w.url()))
	w.expire()
	w.mu.Lock()
	clear(w.refresh)
	w.mu.Unlock()
	w.must(false, 1, call, "the server requires a login", "mcpgen login -scopes books:read "+w.url())
	w.must(true, 0, call, "caller ada")
}

// TestLoginByItself checks that a call on a terminal logs in, once.
func TestLoginByItself(t *testing.T) {
	w := newLoginWorld(t)
	w.must(true, 0, words0("call "+w.url()+" echo"), "requires a login", "paste that one here", "caller ada")
	w.must(false, 0, words0("call "+w.url()+" echo"), "caller ada")
	w.must(false, 0, words0("login -list"), w.url())
	if n := w.count("/authorize"); n != 1 {
		t.Errorf("%d logins", n)
	}
	t.Setenv("LOGIN_TOKEN", "secret-of-the-environment")
	w.must(true, 1, words0("list -bearer-env LOGIN_TOKEN "+w.url()), "HTTP status 401")
	w.must(true, 1, []string{"list", "-header", "Authorization: Bearer secret-of-the-header", w.url()}, "HTTP status 401")
	if n := w.count("/authorize"); n != 1 {
		t.Errorf("%d logins", n)
	}
}

// TestLoginMoreScopes checks that the command to run requests the missing scope and the present
// ones. On a terminal the call itself requests them.
func TestLoginMoreScopes(t *testing.T) {
	w := newLoginWorld(t)
	call := words0("call " + w.url() + " echo")
	w.must(false, 0, words0("login "+w.url()), "with the scopes books:read")
	w.needs = "books:write"
	const line = "login -scopes books:read,books:write "
	w.must(false, 1, call, "the server requires a login with the scopes books:read books:write", "hint: log in: mcpgen "+line+w.url())
	w.must(false, 0, words0(line+w.url()), "with the scopes books:read books:write")
	w.must(false, 0, call, "caller ada")
	w.needs = "books:admin"
	w.must(true, 0, call, "caller ada")
	w.must(false, 0, words0("login -list"), "books:admin books:read books:write")
}

// TestLoginPasted uses a browser on another machine: the user pastes addresses, the correct one
// last.
func TestLoginPasted(t *testing.T) {
	w := newLoginWorld(t)
	in, typed := io.Pipe()
	var out lockedBuffer
	read, write := io.Pipe()
	c := w.command(in, &out, write)
	c.browser = func(ctx context.Context, to string) error {
		u, err := url.Parse(to)
		if err != nil {
			return err
		}
		redirect, ended := u.Query().Get("redirect_uri"), ""
		err = browse(ctx, to, &http.Client{CheckRedirect: func(r *http.Request, _ []*http.Request) error {
			ended = r.URL.String()
			return http.ErrUseLastResponse
		}})
		go func() {
			fmt.Fprintf(typed, "nonsense\n%s/elsewhere?code=1\n%s?code=1&state=2\n%s\n", w.issuer.URL, redirect, ended)
		}()
		return err
	}
	seen := make(chan string)
	go func() {
		all, _ := io.ReadAll(bufio.NewReader(read))
		seen <- string(all)
	}()
	code := c.run(words0("login " + w.url()))
	_ = write.Close()
	text := <-seen
	if code != 0 || strings.Count(text, "That is not the address of this login") != 3 || !strings.Contains(text, "not the response to the login that waits here") ||
		!strings.Contains(text, "logged in to ") || w.count("/elsewhere") != 0 || strings.Contains(text, "secret-") {
		t.Errorf("exit code %d\n%s", code, text)
	}
}

// TestLoginClients checks that a client given by flags is stored, and sent only to its issuer.
func TestLoginClients(t *testing.T) {
	w := newLoginWorld(t)
	w.dynamic = false
	w.must(false, 1, words0("login "+w.url()), "the client is not known to the authorization server", "log in with -issuer and -client-id", "hint: register a client there", "mcpgen login -client-id ID "+w.url())
	w.dynamic, w.refuses = true, true
	w.must(false, 1, words0("login "+w.url()), "invalid_client_metadata: not these", "log in with -issuer and -client-id", "hint: register a client there", "mcpgen login -client-id ID "+w.url())
	w.dynamic = false
	w.must(false, 0, words0("login -client-id desktop -scopes books:write,books:read "+w.url()), "logged in")
	if q := w.queries[0]; q.Get("client_id") != "desktop" || q.Get("scope") != "books:write books:read" {
		t.Errorf("%v", q)
	}
	w.must(false, 0, words0("call "+w.url()+" echo"), "caller ada")
	w.must(false, 0, words0("login "+w.url()), "logged in")
	if q := w.queries[1]; q.Get("client_id") != "desktop" {
		t.Errorf("the client is forgotten: %v", q)
	}
	w.must(false, 1, words0("login -client-id desktop -issuer https://other.example.com "+w.url()), "the client is registered at https://other.example.com")
	w.must(false, 0, words0("call "+w.url()+" echo"), "caller ada")
	w.must(false, 0, words0("login -client-metadata https://client.example.com/mcpgen.json "+w.url()), "logged in")
	if q := w.queries[2]; q.Get("client_id") != "https://client.example.com/mcpgen.json" {
		t.Errorf("%v", q)
	}
	w.must(false, 0, words0("logout "+w.url()))
}

func TestLoginUsage(t *testing.T) {
	w := newLoginWorld(t)
	for _, test := range []struct {
		args string
		want []string
	}{
		{"login", []string{"the URL of the server is missing", "mcpgen login https://"}},
		{"login a b", []string{"login takes one URL"}},
		{"login books", []string{"books: only servers behind a URL with https have logins"}},
		{"login @books", []string{"only servers behind a URL"}},
		{"login tcp://127.0.0.1:1", []string{"only servers behind a URL"}},
		{"login http://mcp.example.com/mcp", []string{"tokens are not sent over plain http: use https"}},
		{"login https://ada:secret-password@mcp.example.com/mcp", []string{"the URL: it has a user name or a password", "leave them out"}},
		{"logout https://ada:secret-password@mcp.example.com/mcp", []string{"user name or a password"}},
		{"logout", []string{"the URL of the server is missing"}},
		{"login -list https://mcp.example.com", []string{"-list is for all logins"}},
		{"login -client-id x -list", []string{"-list is for all logins"}},
		{"login -json https://mcp.example.com", []string{"-json has no meaning without -list"}},
		{"login -list -json -timeout 1m", []string{"-list is for all logins"}},
		{"login -issuer https://id.example.com https://mcp.example.com", []string{"add -client-id ID"}},
		{"login https://mcp.example.com -client-metadata https://a.example/c.json -client-id x", []string{"do not go together"}},
		{"login -client-id= https://mcp.example.com", []string{"flag -client-id is empty"}},
		{"login -timeout 0 https://mcp.example.com", []string{"-timeout is not positive"}},
		{"login -redirect nowhere https://mcp.example.com", []string{"flag -redirect"}},
		{"login -client-metadata http://a.example/c.json https://mcp.example.com", []string{"flag -client-metadata"}},
		{"login -client-secret x https://mcp.example.com", []string{"unknown flag -client-secret"}},
		{"list -client-id x https://mcp.example.com", []string{"it is one of mcpgen login"}},
	} {
		w.must(false, 2, words0(test.args), test.want...)
	}
}

// TestLoginStores checks that errors that prevent storing a login are found before a person logs
// in.
func TestLoginStores(t *testing.T) {
	for name, prepare := range map[string]func(path string) error{
		"a future version": func(path string) error {
			return os.WriteFile(path, []byte(`{"format":"mcpgen logins 2","values":{}}`), 0o600)
		},
		"readable by others": func(path string) error {
			if err := os.WriteFile(path, []byte(`{"format":"mcpgen logins 1","values":{}}`), 0o600); err != nil {
				return err
			}
			return os.Chmod(path, 0o644)
		},
		"a link": func(path string) error { return os.Symlink(filepath.Join(filepath.Dir(path), "elsewhere"), path) },
		"no directory": func(path string) error {
			if err := os.Remove(filepath.Dir(path)); err != nil {
				return err
			}
			return os.WriteFile(filepath.Dir(path), nil, 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newLoginWorld(t)
			path := filepath.Join(w.config, "mcpgen", "logins.json")
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := prepare(path); err != nil {
				t.Fatal(err)
			}
			where := filepath.Join(w.config, "mcpgen")
			w.must(true, 1, words0("login "+w.url()), where)
			w.must(true, 1, words0("call "+w.url()+" echo"), where)
			w.must(false, 1, words0("call "+w.url()+" echo"), where)
			if name != "no directory" {
				w.must(false, 1, words0("login -list"), where)
			}
			if n := w.count("/authorize") + w.count("/register"); n != 0 {
				t.Errorf("%d requests for a login", n)
			}
			// A server that requires no login is not affected.
			open := httptest.NewServer(mcphttp.NewHandler(mcp.NewServer(mcp.ServerInfo{Name: "open", Version: "1"})))
			defer open.Close()
			w.must(false, 0, words0("list "+open.URL))
		})
	}
}

// TestLoginInterrupted checks that Ctrl-C cancels a login that waits for the browser, and that the
// next login starts afresh.
func TestLoginInterrupted(t *testing.T) {
	w := newLoginWorld(t)
	var out, err lockedBuffer
	c := w.command(nil, &out, &err)
	ctx, cancel := context.WithCancel(t.Context())
	c.ctx = ctx
	c.browser = func(context.Context, string) error { cancel(); return nil }
	if code := c.run(words0("login " + w.url())); code != exitFound || strings.Contains(err.String(), "logged in") {
		t.Errorf("exit code %d\n%s", code, &err)
	}
	w.must(false, 0, words0("login -list"), "there are no logins")
	w.must(false, 0, words0("login "+w.url()), "logged in")
	err = lockedBuffer{}
	c = w.command(nil, &out, &err)
	c.browser = func(context.Context, string) error { return nil }
	if code := c.run(words0("login -timeout 50ms " + w.url())); code != exitFound || !strings.Contains(err.String(), "there was no login within 50ms (-timeout)") {
		t.Errorf("exit code %d\n%s", code, err.String())
	}
	w.must(false, 0, words0("call "+w.url()+" echo"), "caller ada") // the login from before
}

// TestLoginsAtOnce checks that of two calls that need a login, only one asks the person.
func TestLoginsAtOnce(t *testing.T) {
	w := newLoginWorld(t)
	var all sync.WaitGroup
	for range 4 {
		var out, err lockedBuffer
		in, write := io.Pipe()
		t.Cleanup(func() { _ = write.Close() })
		c := w.command(in, &out, &err)
		all.Go(func() {
			if code := c.run(words0("call " + w.url() + " echo")); code != 0 || !strings.Contains(out.String(), "caller ada") {
				t.Errorf("exit code %d\n%s", code, &err)
			}
		})
	}
	all.Wait()
	if n := w.count("/authorize"); n != 1 {
		t.Errorf("%d logins", n)
	}
}
