package mcpissuer_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/mcpissuer"
)

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

// assertion returns the claims of a valid assertion of robot.
func (w *world) assertion() map[string]any {
	now := time.Now().Unix()
	return map[string]any{"iss": "robot", "sub": "robot", "aud": w.url, "iat": now, "exp": now + 60, "jti": rand.Text()}
}

// ask requests a token with an assertion.
func (w *world) ask(assertion string, more ...string) string {
	w.t.Helper()
	form := url.Values{"grant_type": {"client_credentials"}, "client_assertion_type": {assertionType}, "client_assertion": {assertion}}
	for n := 0; n < len(more); n += 2 {
		form.Set(more[n], more[n+1])
	}
	w.secrets = append(w.secrets, assertion)
	_, failed := w.redeem(form)
	return failed
}

func assertions(t *testing.T) {
	now := time.Now().Unix()
	public, err := robotKey.PublicKey.ECDH()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		claims map[string]any
		key    any
		alg    jose.SignatureAlgorithm
		more   []string
		want   string
	}{
		"valid":                {want: ""},
		"token endpoint":       {claims: map[string]any{"aud": []string{"https://other.example.com", "http://127.0.0.1:8080/oauth/token"}}},
		"wrong audience":       {claims: map[string]any{"aud": "https://id.example.com"}, want: "invalid_client"},
		"longer audience":      {claims: map[string]any{"aud": "http://127.0.0.1:8080/"}, want: "invalid_client"},
		"resource as audience": {claims: map[string]any{"aud": resource}, want: "invalid_client"},
		"no audience":          {claims: map[string]any{"aud": nil}, want: "invalid_client"},
		"expired":              {claims: map[string]any{"exp": now - 60}, want: "invalid_client"},
		"without an end":       {claims: map[string]any{"exp": nil}, want: "invalid_client"},
		"end as text":          {claims: map[string]any{"exp": fmt.Sprint(now + 60)}, want: "invalid_client"},
		"negative end":         {claims: map[string]any{"exp": -1}, want: "invalid_client"},
		"end too far":          {claims: map[string]any{"exp": now + 7200}, want: "invalid_client"},
		"not yet valid":        {claims: map[string]any{"nbf": now + 60}, want: "invalid_client"},
		"no jti":               {claims: map[string]any{"jti": nil}, want: "invalid_client"},
		"jti of 3000 bytes":    {claims: map[string]any{"jti": strings.Repeat("x", 3000)}, want: "invalid_client"},
		"another issuer":       {claims: map[string]any{"iss": "service"}, want: "invalid_client"},
		"another subject":      {claims: map[string]any{"sub": "service"}, want: "invalid_client"},
		"unknown client":       {claims: map[string]any{"iss": "nobody", "sub": "nobody"}, want: "invalid_client"},
		"foreign key":          {key: newKey(), want: "invalid_client"},
		"public key as secret": {key: public.Bytes(), alg: jose.HS256, want: "invalid_client"},
		"another client_id":    {more: []string{"client_id", "service"}, want: "invalid_client"},
		"a secret besides":     {more: []string{"client_secret", canary}, want: "invalid_request"},
		"another type":         {more: []string{"client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:saml2-bearer"}, want: "invalid_client"},
		"no type":              {more: []string{"client_assertion_type", ""}, want: "invalid_client"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			key, alg := any(robotKey), jose.ES256
			if c.key != nil {
				key = c.key
			}
			if c.alg != "" {
				alg = c.alg
			}
			if got := w.ask(sign(key, alg, nil, with(w.assertion(), c.claims)), c.more...); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	w := newWorld(t)
	for name, text := range map[string]string{
		"empty": "", "no JWT": "x.y.z", "without a signature": encode(`{"alg":"none"}`) + "." + encode(`{"iss":"robot","sub":"robot"}`) + ".",
		"17 KB": strings.Repeat("x", 17<<10),
	} {
		if got := w.ask(text); got != "invalid_client" {
			t.Errorf("%s: %q", name, got)
		}
	}
	// A client with a key must use it, and a client without a key gets nothing with one.
	if _, got := w.redeem(url.Values{"grant_type": {"client_credentials"}, "client_id": {"robot"}}); got != "invalid_client" {
		t.Errorf("without an assertion: %q", got)
	}
	if got := w.ask(sign(robotKey, jose.ES256, nil, with(w.assertion(), map[string]any{"iss": "app", "sub": "app"}))); got != "invalid_client" {
		t.Errorf("of a client without a key: %q", got)
	}
}

// An assertion can be used for one request, for as long as it is valid.
func assertionUsedTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		text := sign(robotKey, jose.ES256, nil, with(w.assertion(), map[string]any{"exp": time.Now().Unix() + 3500}))
		if got := w.ask(text); got != "" {
			t.Fatal(got)
		}
		for range 6 {
			if got := w.ask(text); got != "invalid_client" {
				t.Errorf("again, at %v: %q", time.Now(), got)
			}
			time.Sleep(10 * time.Minute)
		}
	})
}

// documents serves the documents of clients, as a transport.
type documents struct {
	count   atomic.Int32
	answers map[string]func() *http.Response
}

func (d *documents) RoundTrip(r *http.Request) (*http.Response, error) {
	d.count.Add(1)
	if f := d.answers[r.URL.String()]; f != nil {
		return f(), nil
	}
	return reply(http.StatusNotFound, `{}`), nil
}

func reply(status int, body string, fields ...string) *http.Response {
	h := http.Header{"Content-Type": {"application/json"}}
	for n := 0; n < len(fields); n += 2 {
		h.Set(fields[n], fields[n+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}
}

// document returns a valid document.
func document(id string, more map[string]any) string {
	text, err := json.Marshal(with(map[string]any{
		"client_id": id, "client_name": "Shop", "redirect_uris": []string{callback}, "token_endpoint_auth_method": "none",
	}, more))
	if err != nil {
		panic(err)
	}
	return string(text)
}

func documentWrong(t *testing.T) {
	const id = "https://app.example.com/client.json"
	ok := func(more map[string]any) func() *http.Response {
		return func() *http.Response { return reply(http.StatusOK, document(id, more)) }
	}
	secretKey := keySet(newKey())
	for name, c := range map[string]struct {
		answer func() *http.Response
		status int
	}{
		"valid":             {ok(nil), http.StatusOK},
		"about another":     {ok(map[string]any{"client_id": "https://app.example.com/other.json"}), http.StatusUnauthorized},
		"other case":        {ok(map[string]any{"client_id": "https://APP.example.com/client.json"}), http.StatusUnauthorized},
		"no client_id":      {ok(map[string]any{"client_id": ""}), http.StatusUnauthorized},
		"a secret":          {ok(map[string]any{"client_secret": canary}), http.StatusUnauthorized},
		"needs a secret":    {ok(map[string]any{"token_endpoint_auth_method": "client_secret_basic"}), http.StatusUnauthorized},
		"key without a set": {ok(map[string]any{"token_endpoint_auth_method": "private_key_jwt"}), http.StatusBadRequest},
		"a private key":     {ok(map[string]any{"token_endpoint_auth_method": "private_key_jwt", "jwks": json.RawMessage(secretKey)}), http.StatusBadRequest},
		"other redirects":   {ok(map[string]any{"redirect_uris": []string{"https://other.example.com/callback"}}), http.StatusBadRequest},
		"javascript:":       {ok(map[string]any{"redirect_uris": []string{callback, "javascript:alert(1)"}}), http.StatusBadRequest},
		"too large":         {ok(map[string]any{"logo_uri": strings.Repeat("x", 100_000)}), http.StatusUnauthorized},
		"too large by far":  {ok(map[string]any{"logo_uri": strings.Repeat("x", 2<<20)}), http.StatusUnauthorized},
		"no JSON":           {func() *http.Response { return reply(http.StatusOK, "<html>", "Content-Type", "text/html") }, http.StatusUnauthorized},
		"a list":            {func() *http.Response { return reply(http.StatusOK, "["+document(id, nil)+"]") }, http.StatusUnauthorized},
		"error":             {func() *http.Response { return reply(http.StatusInternalServerError, document(id, nil)) }, http.StatusUnauthorized},
		"redirect to another origin": {func() *http.Response {
			return reply(http.StatusFound, "", "Location", "https://169.254.169.254/client.json")
		}, http.StatusUnauthorized},
		"redirect to http": {func() *http.Response {
			return reply(http.StatusFound, "", "Location", "http://app.example.com/client.json")
		}, http.StatusUnauthorized},
		"redirects for ever": {func() *http.Response { return reply(http.StatusFound, "", "Location", id) }, http.StatusUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			d := &documents{answers: map[string]func() *http.Response{id: c.answer}}
			w := newWorld(t, func(o *mcpissuer.Options) { o.HTTP = &http.Client{Transport: d} })
			a := w.open(newBrowser(), request(rand.Text()+rand.Text(), "client_id", id))
			if a.status != c.status || a.header.Get("Location") != "" {
				t.Errorf("status %d, Location %q: %s", a.status, a.header.Get("Location"), a.body)
			}
			if d.count.Load() > 4 {
				t.Errorf("%d requests", d.count.Load())
			}
		})
	}
}

// A document is cached for some minutes, and then requested again: its author may have changed it.
func TestDocumentKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const id = "https://app.example.com/client.json"
		d := &documents{answers: map[string]func() *http.Response{id: func() *http.Response { return reply(http.StatusOK, document(id, nil)) }}}
		w := newWorld(t, func(o *mcpissuer.Options) { o.HTTP = &http.Client{Transport: d} })
		form := w.login("client_id", id)
		if _, failed := w.redeem(form); failed != "" || d.count.Load() != 1 {
			t.Errorf("%q after %d requests", failed, d.count.Load())
		}
		time.Sleep(6 * time.Minute)
		w.login("client_id", id)
		if d.count.Load() != 2 {
			t.Errorf("%d requests", d.count.Load())
		}
	})
}

// However many pages name documents, the issuer sends few requests at a time.
func documentStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		open, most := atomic.Int32{}, atomic.Int32{}
		slow := roundTrip(func(*http.Request) (*http.Response, error) {
			most.Store(max(most.Load(), open.Add(1)))
			defer open.Add(-1)
			time.Sleep(time.Second)
			return reply(http.StatusNotFound, `{}`), nil
		})
		w := newWorld(t, func(o *mcpissuer.Options) { o.HTTP = &http.Client{Transport: slow} })
		done := make(chan int, 200)
		for n := range cap(done) {
			go func() {
				done <- w.open(nil, request(rand.Text()+rand.Text(), "client_id", fmt.Sprintf("https://app%d.example.com/x", n))).status
			}()
		}
		for range cap(done) {
			if status := <-done; status != http.StatusUnauthorized && status != http.StatusServiceUnavailable {
				t.Errorf("status %d", status)
			}
		}
		if n := most.Load(); n < 1 || n > 8 {
			t.Errorf("%d requests at a time", n)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// register registers a client.
func (w *world) register(metadata any, fields ...string) answer {
	w.t.Helper()
	text, err := json.Marshal(metadata)
	if err != nil {
		w.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.url+"/oauth/register", strings.NewReader(string(text)))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for n := 0; n < len(fields); n += 2 {
		r.Header.Set(fields[n], fields[n+1])
	}
	return w.do(nil, r)
}

func TestRegister(t *testing.T) {
	w := newWorld(t)
	valid := map[string]any{"redirect_uris": []string{callback}, "token_endpoint_auth_method": "none"}
	for name, c := range map[string]struct {
		change map[string]any
		fields []string
		want   string
	}{
		"public":            {},
		"secret":            {change: map[string]any{"token_endpoint_auth_method": "client_secret_post"}},
		"default":           {change: map[string]any{"token_endpoint_auth_method": ""}},
		"application":       {change: map[string]any{"redirect_uris": []string{"com.example.app:/callback", "http://[::1]:7/x", "http://localhost/x"}}},
		"unknown member":    {change: map[string]any{"software_id": "x", "client_id": "app"}},
		"key":               {change: map[string]any{"token_endpoint_auth_method": "private_key_jwt", "jwks": json.RawMessage(keySet(robotKey.Public()))}},
		"key without a set": {change: map[string]any{"token_endpoint_auth_method": "private_key_jwt"}, want: "invalid_client_metadata"},
		"key at a URL":      {change: map[string]any{"token_endpoint_auth_method": "private_key_jwt", "jwks_uri": "http://169.254.169.254/keys"}, want: "invalid_client_metadata"},
		"a private key":     {change: map[string]any{"token_endpoint_auth_method": "private_key_jwt", "jwks": json.RawMessage(keySet(newKey()))}, want: "invalid_client_metadata"},
		"100 keys":          {change: map[string]any{"token_endpoint_auth_method": "private_key_jwt", "jwks": manyKeys(100)}, want: "invalid_client_metadata"},
		"method":            {change: map[string]any{"token_endpoint_auth_method": "tls_client_auth"}, want: "invalid_client_metadata"},
		"implicit":          {change: map[string]any{"grant_types": []string{"implicit"}}, want: "invalid_client_metadata"},
		"password":          {change: map[string]any{"grant_types": []string{"authorization_code", "password"}}, want: "invalid_client_metadata"},
		"own credentials":   {change: map[string]any{"grant_types": []string{"authorization_code", "client_credentials"}}, want: "invalid_client_metadata"},
		"token":             {change: map[string]any{"response_types": []string{"token"}}, want: "invalid_client_metadata"},
		"no redirects":      {change: map[string]any{"redirect_uris": []string{}}, want: "invalid_redirect_uri"},
		"21 redirects":      {change: map[string]any{"redirect_uris": strings.Fields(strings.Repeat(callback+" ", 21))}, want: "invalid_redirect_uri"},
		"long name":         {change: map[string]any{"client_name": strings.Repeat("x", 3000)}, want: "invalid_client_metadata"},
		"70 KB":             {change: map[string]any{"logo_uri": strings.Repeat("x", 70_000)}, want: "invalid_client_metadata"},
		"not of its type":   {change: map[string]any{"redirect_uris": callback}, want: "invalid_client_metadata"},
		"form":              {fields: []string{"Content-Type", "application/x-www-form-urlencoded"}, want: "invalid_client_metadata"},
		"text":              {fields: []string{"Content-Type", "text/plain"}, want: "invalid_client_metadata"},
	} {
		t.Run(name, func(t *testing.T) {
			a := w.register(with(valid, c.change), c.fields...)
			var got struct {
				Error  string `json:"error"`
				ID     string `json:"client_id"`
				Secret string `json:"client_secret"`
			}
			if err := json.Unmarshal([]byte(a.body), &got); err != nil || got.Error != c.want || (got.ID != "") != (c.want == "") {
				t.Errorf("%v, status %d: %s", err, a.status, a.body)
			}
			if got.ID == "app" {
				t.Error("the client has chosen its id")
			}
			w.secrets = append(w.secrets, got.Secret)
		})
	}
}

// A program under development is restarted repeatedly. A client without a secret remains
// registered, and a modified id is checked like a registration.
func TestRegisteredBefore(t *testing.T) {
	w := newWorld(t)
	id := func(metadata map[string]any) string {
		var got struct {
			ID string `json:"client_id"`
		}
		a := w.register(with(map[string]any{"token_endpoint_auth_method": "none"}, metadata))
		if err := json.Unmarshal([]byte(a.body), &got); err != nil || got.ID == "" {
			t.Fatalf("status %d: %s", a.status, a.body)
		}
		return got.ID
	}
	short := id(map[string]any{"redirect_uris": []string{callback}, "grant_types": []string{"authorization_code", "refresh_token"}})
	once := id(map[string]any{"redirect_uris": []string{callback}})
	long := id(map[string]any{"redirect_uris": []string{callback, "https://app.example.com/" + strings.Repeat("x", 1900)}})
	w.login("client_id", long)
	next := newWorld(t)
	got, failed := next.redeem(next.login("client_id", short))
	if failed != "" || got.Refresh == "" {
		t.Errorf("%q", failed)
	}
	if got, failed = next.redeem(next.login("client_id", once)); failed != "" || got.Refresh != "" {
		t.Errorf("without refresh tokens: %q", failed)
	}
	for name, id := range map[string]string{
		"long":       long,
		"changed":    short[:len(short)-4] + "AAAA",
		"javascript": "mcpissuer." + encode(`{"r":["javascript:alert(1)"]}`),
		"no address": "mcpissuer." + encode(`{"r":[]}`),
		"no JSON":    "mcpissuer." + encode(`{`),
		"no base64":  "mcpissuer.{}",
		"too long":   "mcpissuer." + encode(`{"r":["`+callback+`"],"n":"`+strings.Repeat("x", 1900)+`"}`),
	} {
		if a := next.open(newBrowser(), request(strings.Repeat("v", 43), "client_id", id, "redirect_uri", "javascript:alert(1)")); a.status != http.StatusUnauthorized && name != "too long" || a.header.Get("Location") != "" {
			t.Errorf("%s: status %d: %s", name, a.status, a.body)
		}
	}
}

func manyKeys(n int) jose.JSONWebKeySet {
	return jose.JSONWebKeySet{Keys: slices.Repeat([]jose.JSONWebKey{{Key: robotKey.Public()}}, n)}
}

// A registered client with a secret gets tokens only with it, and no tokens for itself.
func TestRegisteredSecret(t *testing.T) {
	w := newWorld(t)
	id, secret := w.confidential()
	form := w.login("client_id", id)
	if _, failed := w.redeem(form); failed != "invalid_client" {
		t.Errorf("without the secret: %q", failed)
	}
	if _, failed := w.redeem(form, "Authorization", basic(id, secret+"x")); failed != "invalid_client" {
		t.Errorf("with another one: %q", failed)
	}
	if _, failed := w.redeem(form, "Authorization", "Bearer "+secret); failed != "invalid_client" {
		t.Errorf("by another scheme: %q", failed)
	}
	if _, failed := w.redeem(form, "Authorization", basic(id, secret)); failed != "" {
		t.Errorf("with its secret: %q", failed)
	}
	own := url.Values{"grant_type": {"client_credentials"}, "client_id": {id}, "client_secret": {secret}}
	if _, failed := w.redeem(own); failed != "unauthorized_client" {
		t.Errorf("its own credentials: %q", failed)
	}
	both := maps.Clone(own)
	if _, failed := w.redeem(both, "Authorization", basic(id, secret)); failed != "invalid_request" {
		t.Errorf("two kinds of authentication: %q", failed)
	}
}

// confidential registers a client with a secret.
func (w *world) confidential() (id, secret string) {
	w.t.Helper()
	var got struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	a := w.register(map[string]any{"redirect_uris": []string{callback}, "grant_types": []string{"authorization_code", "refresh_token"}})
	if err := json.Unmarshal([]byte(a.body), &got); err != nil || got.Secret == "" {
		w.t.Fatalf("%v: %s", err, a.body)
	}
	w.secrets = append(w.secrets, got.Secret)
	return got.ID, got.Secret
}
