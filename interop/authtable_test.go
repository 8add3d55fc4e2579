package interop

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

var writeLogins = flag.Bool("logins", false, "write the table of logins into docs/decide/comparison.md")

// authIssuers are the third-party issuers, with the parameters for clients and guards. only is the
// single client of an issuer that the other clients do not use.
var authIssuers = []struct {
	name, only string
	start      func(t *testing.T, lifetime time.Duration, once bool) authIssuer
}{
	{"oidc-provider", "", func(t *testing.T, lifetime time.Duration, once bool) authIssuer {
		i := startOIDC(t, oidcPlan{Format: "jwt", Lifetime: int(lifetime / time.Second), Once: once})
		return authIssuer{verifier: mcpauth.JWT(mcpauth.JWTOptions{Issuer: i.url}), fields: ada}
	}},
	{"op", "", func(t *testing.T, lifetime time.Duration, once bool) authIssuer {
		return authOP(t, opPlan{JWT: true, Lifetime: lifetime, Once: once})
	}},
	// The other issuer's name ends in a slash, which the Go SDK does not support.
	{"op without a slash", "gosdk", func(t *testing.T, lifetime time.Duration, once bool) authIssuer {
		return authOP(t, opPlan{JWT: true, Lifetime: lifetime, Once: once, Bare: true})
	}},
}

func authOP(t *testing.T, plan opPlan) authIssuer {
	i := startOP(t, plan)
	return authIssuer{verifier: i.verifier(opReader), plan: authPlan{Client: opReader, Issuer: i.url}, fields: opUser}
}

type authIssuer struct {
	verifier mcpauth.Verifier
	plan     authPlan
	fields   map[string]string // for the pages
}

// audit is a tool whose scope no issuer grants.
func audit() mcp.Feature {
	return mcp.NewTool(mcp.ToolInfo{Name: "audit", InputSchema: `{"type":"object"}`, Scopes: []string{"books:admin"}}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
		return mcp.TextResult("audited"), nil
	})
}

// authSteps are the columns of the table.
var authSteps = []string{"logs in", "lists", "calls", "is refused a scope", "steps up", "refreshes", "is cut off at expiry", "logs in again after it"}

// TestLogins makes the clients of every SDK log in at third-party issuers, in each era that they
// support, and compares the results with the table in docs/decide/comparison.md. mcpgen's client
// must pass all steps.
func TestLogins(t *testing.T) {
	t.Parallel()
	node(t)
	type row struct {
		name  string
		cells []error // by step; nil if correct
	}
	rows := make([][]*row, len(authIssuers))
	t.Run("clients", func(t *testing.T) {
		for i, from := range authIssuers {
			long, short := from.start(t, 5*time.Minute, false), from.start(t, 3*time.Second, false)
			once := sync.OnceValue(func() authIssuer { return from.start(t, 6*time.Second, true) })
			// The Go SDK considers a token expired ten seconds before its end.
			patient := sync.OnceValue(func() authIssuer { return from.start(t, 20*time.Second, true) })
			for _, client := range authSDKs {
				if from.only != "" && from.only != client.name {
					continue
				}
				for _, revision := range client.revisions {
					r := &row{fmt.Sprintf("%s, %s, at %s", authTitle(t, client.title, client.module), revision, from.name), make([]error, len(authSteps))}
					rows[i] = append(rows[i], r)
					start := func(t *testing.T, at authIssuer) (*guarded, authPlan, authClient) {
						g := serveGuarded(t, at.verifier, audit())
						p := at.plan
						p.URL, p.Revision = g.url, revision
						p.user = &authUser{open: func(ctx context.Context, to, stop string) (string, error) { return browse(ctx, to, at.fields, stop) }}
						return g, p, client.start(t, p)
					}
					last := once
					if client.name == "gosdk" {
						last = patient
					}
					expiring := last()
					name := from.name + "/" + client.name + "/" + revision
					t.Run(name+"/scopes", func(t *testing.T) {
						t.Parallel()
						_, p, c := start(t, long)
						authScopes(t, p.user, c, r.cells)
					})
					t.Run(name+"/refresh", func(t *testing.T) {
						t.Parallel()
						g, p, c := start(t, short)
						r.cells[5] = authRefresh(t, g, p.user, c)
					})
					t.Run(name+"/expiry", func(t *testing.T) {
						t.Parallel()
						g, p, c := start(t, expiring)
						r.cells[6], r.cells[7] = authExpiry(t, g, p.user, c)
					})
				}
			}
		}
	})
	var b strings.Builder
	b.WriteString("\n| client | " + strings.Join(authSteps, " | ") + " |\n|---|" + strings.Repeat("---|", len(authSteps)) + "\n")
	for _, list := range rows {
		for _, r := range list {
			b.WriteString("| " + r.name + " |")
			for step, err := range r.cells {
				cell := "yes"
				if err != nil {
					cell = authText(err)
					if strings.HasPrefix(r.name, "mcpgen") {
						t.Errorf("%s: %s: %v", r.name, authSteps[step], err)
					}
				}
				b.WriteString(" " + cell + " |")
			}
			b.WriteString("\n")
		}
	}
	b.WriteString("\n")
	if t.Failed() {
		return
	}
	if err := authPage(b.String(), *writeLogins); err != nil {
		t.Errorf("%v; write it with go test -run 'TestLogins$' -logins .\n%s", err, &b)
	}
}

// answered returns err, or an error if the answer is not the expected one.
func answered(got string, err error, want string) error {
	if err == nil && got != want {
		return fmt.Errorf("%q instead of %q", got, want)
	}
	return err
}

// authScopes executes the steps with a long-lived token.
func authScopes(t *testing.T, user *authUser, c authClient, cells []error) {
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	if cells[0] = c.connect(ctx); cells[0] != nil {
		for i := range cells[1:5] {
			cells[1+i] = errNoLogin
		}
		return
	}
	names, err := c.list(ctx)
	cells[1] = answered(names, err, "audit,buy,restock,search,whoami")
	text, err := c.call(ctx, "search")
	cells[2] = answered(text, err, "found")

	before := user.count()
	_, err = c.call(ctx, "audit")
	t.Logf("refused a scope, after %d logins: %v", user.count()-before, err)
	if err == nil {
		cells[3] = errors.New("the call has no error")
	} else if text, err := c.call(ctx, "search"); answered(text, err, "found") != nil {
		cells[3] = fmt.Errorf("the next call fails: %w", answered(text, err, "found"))
	}

	before = user.count()
	text, err = c.call(ctx, "buy")
	cells[4] = answered(text, err, "bought")
	t.Logf("stepped up by %d logins: %v; all logins: %q", user.count()-before, cells[4], user.logins)
	if text, err := c.call(ctx, "search"); cells[4] == nil && answered(text, err, "found") != nil {
		cells[4] = fmt.Errorf("the next call fails: %w", answered(text, err, "found"))
	}
}

var (
	errNoLogin = errors.New("not logged in")
	errLogin   = errors.New("the user has to log in again")
)

// ended waits until the newest token has expired, and returns it.
func (g *guarded) ended(ctx context.Context, t *testing.T) (token string) {
	t.Helper()
	token, _, _ = g.seen()
	for ctx.Err() == nil {
		if _, err := g.guard.Principal(g.request(t, token)); err != nil {
			return token
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("the token does not expire")
	return token
}

// authRefresh calls with a token, and with another one after it has expired.
func authRefresh(t *testing.T, g *guarded, user *authUser, c authClient) error {
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	if err := c.connect(ctx); err != nil {
		return errNoLogin
	}
	logins := user.count()
	old := g.ended(ctx, t)
	text, err := c.call(ctx, "search")
	if err := answered(text, err, "found"); err != nil {
		return err
	}
	if n := user.count(); n > logins {
		return errLogin
	}
	if now, _, _ := g.seen(); now == old {
		t.Error("the server takes a token that has expired")
	}
	return nil
}

// authExpiry lets a stream end with its token, and then calls: first while the user is away, and
// then when the user is back.
func authExpiry(t *testing.T, g *guarded, user *authUser, c authClient) (cut, again error) {
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	if err := c.connect(ctx); err != nil {
		t.Log(err)
		return errNoLogin, errNoLogin
	}
	user.leave(true)
	if err := c.watch(ctx); err != nil {
		t.Errorf("no stream: %v", err)
	}
	g.ended(ctx, t)
	if _, _, opened := g.seen(); opened == 0 {
		t.Error("the client has opened no stream")
	}
	for { // the end of the token ends its streams
		if _, streams, _ := g.seen(); streams == 0 {
			break
		}
		if ctx.Err() != nil {
			t.Error("a stream outlives its token")
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	text, err := c.call(ctx, "search")
	t.Logf("a call after expiry: %v", err)
	if err == nil {
		t.Errorf("the server answers %q to a token that has expired", text)
	}
	user.leave(false)
	text, err = c.call(ctx, "search")
	return nil, answered(text, err, "found")
}

// authTitle returns the name of a client with its version.
func authTitle(t *testing.T, title, module string) string {
	t.Helper()
	if module == "" {
		return title
	}
	if v, ok := moduleVersions()[module]; ok {
		return title + " " + strings.TrimPrefix(v, "v")
	}
	text, err := os.ReadFile(clients + "/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var p struct{ Dependencies map[string]string }
	if err := json.Unmarshal(text, &p); err != nil || p.Dependencies[module] == "" {
		t.Fatalf("no version of %s: %v", module, err)
	}
	return title + " " + p.Dependencies[module]
}

var authNames = regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+`)

// authText returns an error as text for the table: ports differ in each run.
func authText(err error) string {
	if errors.Is(err, errNoLogin) {
		return "not logged in"
	}
	if errors.Is(err, errLogin) {
		return "no: it has the user log in again"
	}
	text := authNames.ReplaceAllString(err.Error(), "http://127.0.0.1")
	return "no: `" + strings.NewReplacer("|", `\|`, "\n", " ", "`", "'").Replace(text) + "`"
}

// authPage compares the table with the page, or writes it.
func authPage(table string, write bool) error {
	const page, begin, end = "../docs/decide/comparison.md", "<!-- logins -->\n", "<!-- end of logins -->\n"
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(text), begin)
	old, after, closed := strings.Cut(rest, end)
	switch {
	case !ok || !closed:
		return fmt.Errorf("%s has no place for the table", page)
	case write:
		return os.WriteFile(page, []byte(before+begin+table+end+after), 0o600)
	case old != table:
		return fmt.Errorf("the table of %s is not what the clients do", page)
	}
	return nil
}
