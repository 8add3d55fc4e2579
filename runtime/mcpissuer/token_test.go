package mcpissuer_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpissuer"
)

// revoke revokes a token, and returns the status.
func (w *world) revoke(token string, more ...string) int {
	w.t.Helper()
	form := url.Values{"token": {token}, "client_id": {"app"}}
	for n := 0; n < len(more); n += 2 {
		form.Set(more[n], more[n+1])
	}
	a := w.post(nil, "/oauth/revoke", form)
	w.clean(a, token)
	return a.status
}

// stuckWriter simulates a client that does not read the header.
type stuckWriter struct {
	http.ResponseWriter
	taken chan struct{}
}

func (w stuckWriter) WriteHeader(int) { <-w.taken }

// While a client does not read its response, others are served.
func TestRevokeWithoutReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		first, _ := w.redeem(w.login())
		second, _ := w.redeem(w.login())
		stuck := stuckWriter{httptest.NewRecorder(), make(chan struct{})}
		form := url.Values{"token": {first.Access}, "client_id": {"app"}}
		r := httptest.NewRequest("POST", w.url+"/oauth/revoke", strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.RemoteAddr = "127.0.0.1:50000"
		go w.issuer.ServeHTTP(stuck, r)
		synctest.Wait()
		if got := w.revoke(second.Access); got != http.StatusOK || w.active(second.Access) || w.active(first.Access) {
			t.Errorf("status %d", got)
		}
		close(stuck.taken)
	})
}

func TestRevoke(t *testing.T) {
	w := newWorld(t)
	first, _ := w.redeem(w.login())
	second, failed := w.redeem(refreshForm(first.Refresh))
	if failed != "" {
		t.Fatal(failed)
	}
	if got := w.revoke("nonsense"); got != http.StatusOK {
		t.Errorf("a token that does not exist: status %d", got)
	}
	// Revoking an access token ends it alone.
	if got := w.revoke(second.Access); got != http.StatusOK || w.active(second.Access) || !w.active(first.Access) {
		t.Errorf("an access token: status %d", got)
	}
	third, failed := w.redeem(refreshForm(second.Refresh))
	if failed != "" || !w.active(third.Access) {
		t.Fatalf("after it: %q", failed)
	}
	// Revoking a refresh token ends the login.
	if got := w.revoke(third.Refresh, "token_type_hint", "access_token"); got != http.StatusOK {
		t.Errorf("a refresh token: status %d", got)
	}
	if _, failed := w.redeem(refreshForm(third.Refresh)); failed != "invalid_grant" {
		t.Errorf("it refreshes: %q", failed)
	}
	for _, token := range []string{first.Access, third.Access} {
		if w.active(token) {
			t.Error("an access token of the login is still active")
		}
	}
	// Another login remains valid.
	other, _ := w.redeem(w.login())
	if !w.active(other.Access) {
		t.Error("another login has ended")
	}
	// Revoking a used refresh token ends the login too.
	next, _ := w.redeem(refreshForm(other.Refresh))
	if w.revoke(other.Refresh); w.active(next.Access) {
		t.Error("a used refresh token does not end the login")
	}
}

func revokedByAnother(t *testing.T) {
	w := newWorld(t)
	got, _ := w.redeem(w.login())
	for name, more := range map[string][]string{
		"another client": {"client_id", "other"}, "a service": {"client_id", "service", "client_secret", canary},
	} {
		for _, token := range []string{got.Access, got.Refresh} {
			if status := w.revoke(token, more...); status != http.StatusOK {
				t.Errorf("%s: status %d", name, status)
			}
		}
	}
	for name, more := range map[string][]string{
		"nobody": {"client_id", "nobody"}, "no client": {"client_id", ""}, "wrong secret": {"client_id", "service", "client_secret", "x"},
	} {
		if status := w.revoke(got.Refresh, more...); status != http.StatusUnauthorized {
			t.Errorf("%s: status %d", name, status)
		}
	}
	if !w.active(got.Access) {
		t.Error("the access token has ended")
	}
	if _, failed := w.redeem(refreshForm(got.Refresh)); failed != "" {
		t.Errorf("refresh: %q", failed)
	}
}

func TestIntrospect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		got, _ := w.redeem(w.login())
		service := basic("service", canary)
		is, ok := w.inspect(got.Access, "Authorization", service)
		if !ok || is["active"] != true || is["iss"] != w.url || is["sub"] != "ada" || is["aud"] != resource || is["client_id"] != "app" ||
			is["scope"] != "books:read" || is["token_type"] != "Bearer" || is["jti"] == "" {
			t.Errorf("%v", is)
		}
		other := newWorld(t)
		foreign, _ := other.redeem(other.login())
		body := got.Access[:strings.LastIndex(got.Access, ".")]
		for name, token := range map[string]string{
			"a refresh token": got.Refresh, "nothing": "", "nonsense": "x", "of another issuer": foreign.Access, "changed": got.Access[:len(got.Access)-8] + "AAAAAAAA",
			"without a signature": encode(`{"alg":"none"}`) + body[strings.Index(body, "."):] + ".", "with blanks": got.Access + " ", "half": got.Access[:len(got.Access)/2],
		} {
			if is, ok := w.inspect(token, "Authorization", service); !ok || is["active"] != false || len(is) != 1 {
				t.Errorf("%s: %v", name, is)
			}
		}
		time.Sleep(5 * time.Minute)
		if w.active(got.Access) {
			t.Error("active after its end")
		}
	})
}

func introspectedByAnother(t *testing.T) {
	w := newWorld(t)
	got, _ := w.redeem(w.login())
	for name, field := range map[string]string{
		"nobody": "", "a wrong secret": basic("service", "x"), "no secret": basic("app", ""), "an unknown client": basic("nobody", "x"),
		"an access token": "Bearer " + got.Access, "nonsense": "Basic !", "a client with a key": basic("robot", ""),
	} {
		for _, id := range []string{"", "app"} {
			a := w.post(nil, "/oauth/introspect", url.Values{"token": {got.Access}, "client_id": {id}}, "Authorization", field)
			if a.status != http.StatusUnauthorized || !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Basic ") {
				if !(id == "" && field == "") && name != "an unknown client" { // an unknown client has no way to authenticate
					t.Errorf("%s: status %d: %s", name, a.status, a.body)
				}
			}
			if a.status != http.StatusUnauthorized {
				t.Errorf("%s: status %d", name, a.status)
			}
			w.clean(a, got.Access)
		}
	}
	// A client that registered itself gets information about its own tokens.
	id, secret := w.confidential()
	if is, ok := w.inspect(got.Access, "Authorization", basic(id, secret)); !ok || is["active"] != false || len(is) != 1 {
		t.Errorf("a token of another client: %v", is)
	}
	own, failed := w.redeem(w.login("client_id", id), "Authorization", basic(id, secret))
	if failed != "" {
		t.Fatal(failed)
	}
	if is, ok := w.inspect(own.Access, "Authorization", basic(id, secret)); !ok || is["active"] != true {
		t.Errorf("its own token: %v", is)
	}
}

// An inactive token remains inactive, whatever happens later.
func forgotten(t *testing.T) {
	w := newWorld(t)
	mcpissuer.SetMost(w.issuer, 10)
	revoked, _ := w.redeem(w.login())
	w.revoke(revoked.Access)
	ended, _ := w.redeem(w.login())
	w.revoke(ended.Refresh)
	for range 20 {
		got, failed := w.redeem(w.login())
		if failed != "" {
			t.Fatal(failed)
		}
		w.revoke(got.Access)
		w.revoke(got.Refresh)
	}
	if w.active(revoked.Access) || w.active(ended.Access) {
		t.Error("a revoked token is active again")
	}
}

func TestScopes(t *testing.T) {
	w := newWorld(t)
	ask := func(asked, persona string, ticked ...string) string {
		t.Helper()
		b := newBrowser()
		verifier := strings.Repeat("v", 43)
		decision := w.page(b, request(verifier, "scope", asked))
		decision["scopes"] = ticked
		decision.Set("persona", persona)
		to := w.decide(b, decision)
		got, failed := w.redeem(url.Values{
			"grant_type": {"authorization_code"}, "code": {to.Query().Get("code")}, "client_id": {"app"}, "redirect_uri": {callback}, "code_verifier": {verifier},
		})
		if failed != "" {
			t.Fatal(failed)
		}
		return got.Scope
	}
	const read, write = "books:read", "books:write"
	for _, c := range []struct {
		asked, persona string
		ticked         []string
		want           string
	}{
		{read + " " + write, "ada", []string{read, write}, read + " " + write},
		{read + " " + write, "ada", []string{read}, read},           // one was unticked
		{read + " " + write, "ada", nil, ""},                        // all were
		{read, "ada", []string{read, write}, read},                  // the form contains one that was not requested
		{read + " " + write, "bob", []string{read, write}, read},    // bob may not have the other one
		{read + " admin", "ada", []string{read, "admin"}, read},     // nor this one
		{read + " " + read, "ada", []string{read}, read},            // twice
		{"", "bob", []string{read, write}, read},                    // none requested: all that exist
		{read, "ada", []string{"books:rea", "books:read2", ""}, ""}, // parts of the name
	} {
		if got := ask(c.asked, c.persona, c.ticked...); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
	// A refreshed token has no more scopes than the login.
	got, _ := w.redeem(w.login())
	more := refreshForm(got.Refresh)
	more.Set("scope", read+" "+write)
	if _, failed := w.redeem(more); failed != "invalid_scope" {
		t.Errorf("more scopes: %q", failed)
	}
	elsewhere := refreshForm(got.Refresh)
	elsewhere.Set("resource", "https://other.example.com/mcp")
	if _, failed := w.redeem(elsewhere); failed != "invalid_target" {
		t.Errorf("another resource: %q", failed)
	}
	if _, failed := w.redeem(refreshForm(got.Refresh)); failed != "" {
		t.Errorf("refresh: %q", failed)
	}
}

// The audience of a token contains only the resources requested on the page.
func TestAudience(t *testing.T) {
	const second = "https://two.example.com/mcp"
	w := newWorld(t, func(o *mcpissuer.Options) { o.Resources = append(o.Resources, second) })
	audience := func(form url.Values) any {
		t.Helper()
		got, failed := w.redeem(form)
		if failed != "" {
			return failed
		}
		is, _ := w.inspect(got.Access, "Authorization", basic("service", canary))
		return is["aud"]
	}
	form := w.login()
	form["resource"] = []string{second}
	if got := audience(form); got != "invalid_target" {
		t.Errorf("one that was not granted: %v", got)
	}
	if got := audience(w.login("resource", second)); got != second {
		t.Errorf("%v", got)
	}
	form = w.login("resource", second)
	form["resource"] = slices.Repeat([]string{second}, 1000)
	if got := audience(form); got != second && got != "invalid_target" {
		t.Errorf("a thousand times: %v", got)
	}
}

// Of concurrent requests with one code, or one refresh token, at most one gets tokens; and the
// login ends.
func TestAtOnce(t *testing.T) {
	w := newWorld(t)
	atOnce := func(form url.Values) (granted int) {
		t.Helper()
		statuses := make(chan int, 20)
		for range cap(statuses) {
			go func() { statuses <- w.post(nil, "/oauth/token", form).status }()
		}
		for range cap(statuses) {
			if status := <-statuses; status == http.StatusOK {
				granted++
			} else if status != http.StatusBadRequest {
				t.Errorf("status %d", status)
			}
		}
		return granted
	}
	if n := atOnce(w.login()); n != 1 {
		t.Errorf("a code was redeemed %d times", n)
	}
	got, failed := w.redeem(w.login())
	if failed != "" {
		t.Fatal(failed)
	}
	if n := atOnce(refreshForm(got.Refresh)); n != 1 {
		t.Errorf("a refresh token was used %d times", n)
	}
	if w.active(got.Access) {
		t.Error("the login goes on")
	}
}
