package mcpauth_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

// named returns a valid token whose header contains a key id.
func named(kid string, more object) string {
	return sign(fmt.Sprintf(`{"alg":"ES256","kid":%q}`, kid), jsonOf(claims(more)), ecKey)
}

// ask verifies a token that is not cached.
func ask(t *testing.T, v mcpauth.Verifier, kid string) string {
	t.Helper()
	unique++
	i, err := verify(t, v, bearer(named(kid, object{"jti": fmt.Sprint(unique), "exp": time.Now().Unix() + 600})))
	return outcome(i, err)
}

var unique int

func down(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }

// However many tokens with unknown keys arrive, the issuer gets one request in ten seconds.
func TestKeysStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newIssuer()
		v := jwtOf(i)
		if got := ask(t, v, "ec"); got != "taken" {
			t.Fatal(got)
		}
		time.Sleep(10 * time.Second)
		var all sync.WaitGroup
		began := time.Now()
		for n := range 100 {
			all.Go(func() {
				for m := range 20 {
					text := named(fmt.Sprintf("%d-%d", n, m), object{"exp": began.Unix() + 600})
					if identity, err := v.Verify(t.Context(), bearer(text)); outcome(identity, err) != "refused" {
						t.Errorf("%v", err)
					}
				}
			})
		}
		all.Wait()
		if asked := i.asked.Load(); asked != 2 || time.Since(began) > time.Second {
			t.Errorf("%d fetches in %v", asked-1, time.Since(began))
		}
		for range 5 {
			time.Sleep(10 * time.Second)
			ask(t, v, "unknown")
			ask(t, v, "unknown too")
		}
		if asked := i.asked.Load(); asked != 7 {
			t.Errorf("%d fetches in a minute", asked-1)
		}
	})
}

// A new key of the issuer is found immediately, and a removed key is refused after the next fetch.
func TestKeysChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newIssuer()
		v := jwtOf(i)
		steps := []struct {
			after time.Duration
			do    func()
			kid   string
			want  string
			asked int64
		}{
			{0, func() {}, "ec", "taken", 1},
			{11 * time.Second, func() { i.set(jwk(ecKey, object{"kid": "new"}), jwk(otherECKey, object{"kid": "ec"})) }, "new", "taken", 2},
			{0, func() {}, "ec", "refused", 2}, // another key with the same id
			{14 * time.Minute, func() { i.set(jwk(otherECKey, object{"kid": "new"})) }, "new", "taken", 2},
			{2 * time.Minute, func() {}, "new", "taken", 3}, // in the background
			{time.Second, func() {}, "new", "refused", 3},
		}
		for n, step := range steps {
			time.Sleep(step.after)
			step.do()
			if got := ask(t, v, step.kid); got != step.want {
				t.Errorf("step %d: %s", n, got)
			}
			synctest.Wait()
			if asked := i.asked.Load(); asked != step.asked {
				t.Errorf("step %d: %d fetches, want %d", n, asked, step.asked)
			}
		}
	})
}

// While the issuer is unreachable, its keys are used for a day; without keys, the verification
// fails.
func TestKeysIssuerDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i, log := newIssuer(), new(record)
		v := mcpauth.JWT(mcpauth.JWTOptions{Issuer: issuerURL, HTTP: i.client(), Log: log.logger()})
		i.answer(down)
		steps := []struct {
			after time.Duration
			do    func()
			kid   string
			want  string
		}{
			{0, func() {}, "ec", "unknown"},
			{time.Second, func() { i.answer(nil) }, "ec", "unknown"}, // not asked again yet
			{10 * time.Second, func() {}, "ec", "taken"},
			{time.Minute, func() { i.answer(down) }, "other", "unknown"}, // it may be a new key
			{0, func() {}, "ec", "taken"},
			{23 * time.Hour, func() {}, "ec", "taken"},
			{59 * time.Minute, func() {}, "ec", "unknown"},
			{time.Minute, func() { i.answer(nil) }, "ec", "taken"},
			{10 * time.Second, func() {}, "other", "refused"},
		}
		for n, step := range steps {
			time.Sleep(step.after)
			step.do()
			if got := ask(t, v, step.kid); got != step.want {
				t.Errorf("step %d: %s, want %s", n, got, step.want)
			}
			synctest.Wait()
		}
		if !strings.Contains(log.String(), "status 502") || !strings.Contains(log.String(), "issuer="+issuerURL) {
			t.Errorf("log: %s", log)
		}
	})
}

// Faulty answers of an issuer, caused by a mistake or an attack on it.
func TestKeysAnswers(t *testing.T) {
	keys := jsonOf(object{"keys": []any{jwk(ecKey, object{"kid": "ec"})}})
	document := jsonOf(object{"issuer": issuerURL, "jwks_uri": issuerURL + "/keys"})
	var many []any
	for n := range 101 {
		many = append(many, jwk(ecKey, object{"kid": fmt.Sprint(n)}))
	}
	write := func(document, keys string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/keys") {
				_, _ = io.WriteString(w, keys)
			} else {
				_, _ = io.WriteString(w, document)
			}
		}
	}
	redirect := func(from, to string, status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			switch {
			case strings.Contains(r.URL.Path, from) && r.URL.String() != to:
				http.Redirect(w, r, to, status)
			case r.URL.Host == "id.example.com" || r.URL.Host == "evil.example":
				write(document, keys)(w, r)
			}
		}
	}
	for _, test := range []struct {
		name   string
		answer http.HandlerFunc
		want   string
	}{
		{"good", write(document, keys), "taken"},
		{"no keys", write(document, `{"keys":[]}`), "unknown"},
		{"keys: no list", write(document, `{"keys":{}}`), "unknown"},
		{"keys: a list", write(document, `[]`), "unknown"},
		{"keys: too many", write(document, jsonOf(object{"keys": many})), "unknown"},
		{"keys: 10 MB", write(document, keys+strings.Repeat(" ", 10<<20)), "unknown"},
		{"keys: without end", func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, "/keys") {
				_, _ = io.WriteString(w, document)
				return
			}
			<-r.Context().Done()
		}, "unknown"},
		{"keys: private", write(document, jsonOf(object{"keys": []any{jwk(ecKey, object{"kid": "ec", "d": b64(make([]byte, 31)) + "AA"})}})), "taken"}, // its public part
		{"keys: broken among good", write(document, jsonOf(object{"keys": []any{1, object{"kty": "EC"}, object{"kty": 1}, jwk(ecKey, object{"kid": "ec"}), jwk(ecKey, object{"kid": 1})}})), "taken"},
		{"keys: not on the curve", write(document, jsonOf(object{"keys": []any{jwk(ecKey, object{"x": b64(make([]byte, 32))})}})), "unknown"},
		{"keys: twice the same id", write(document, jsonOf(object{"keys": []any{jwk(otherECKey, object{"kid": "ec"}), jwk(ecKey, object{"kid": "ec"})}})), "taken"},
		{"keys: of five with the same id", write(document, jsonOf(object{"keys": append([]any{jwk(ecKey, object{"kid": "ec"})}, same(4)...)})), "refused"},
		{"HTML", write("<html>", keys), "unknown"},
		{"document: duplicate", write(`{"issuer":"x",`+document[1:], keys), "unknown"},
		{"document: another issuer", write(jsonOf(object{"issuer": issuerURL + "/", "jwks_uri": issuerURL + "/keys"}), keys), "unknown"},
		{"document: no issuer", write(jsonOf(object{"jwks_uri": issuerURL + "/keys"}), keys), "unknown"},
		{"document: no keys", write(jsonOf(object{"issuer": issuerURL}), keys), "unknown"},
		{"document: keys by http", write(jsonOf(object{"issuer": issuerURL, "jwks_uri": "http://id.example.com/keys"}), keys), "unknown"},
		{"document: keys in a file", write(jsonOf(object{"issuer": issuerURL, "jwks_uri": "file:///keys"}), keys), "unknown"},
		{"document: keys elsewhere", write(jsonOf(object{"issuer": issuerURL, "jwks_uri": "https://cdn.example/keys"}), keys), "taken"},
		{"document redirects to another origin", redirect("/.well-known/", "https://evil.example/document", 302), "unknown"},
		{"keys redirect to another origin", redirect("/keys", "https://evil.example/keys", 302), "unknown"},
		{"keys redirect to http", redirect("/keys", "http://id.example.com/keys2", 307), "unknown"},
		{"keys redirect within the origin", redirect("/tenant/keys", "https://id.example.com/new/keys", 302), "taken"},
		{"keys redirect for ever", func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/keys") {
				http.Redirect(w, r, "/x"+r.URL.Path, http.StatusFound)
				return
			}
			_, _ = io.WriteString(w, document)
		}, "unknown"},
		{"only OpenID Connect", onlyAt("https://id.example.com/tenant/.well-known/openid-configuration", document, keys), "taken"},
		{"only OpenID Connect with the path behind", onlyAt("https://id.example.com/.well-known/openid-configuration/tenant", document, keys), "taken"},
		{"at another place", onlyAt("https://id.example.com/.well-known/oauth-authorization-server", document, keys), "unknown"},
	} {
		synctest.Test(t, func(t *testing.T) {
			i := newIssuer()
			i.answer(test.answer)
			began := time.Now()
			if got := ask(t, jwtOf(i), "ec"); got != test.want {
				t.Errorf("%s: %s, want %s", test.name, got, test.want)
			}
			if took := time.Since(began); took > 6*time.Second {
				t.Errorf("%s: %v", test.name, took)
			}
		})
	}
}

func same(n int) (keys []any) {
	for range n {
		keys = append(keys, jwk(otherECKey, object{"kid": "ec"}))
	}
	return keys
}

// onlyAt serves the metadata at one path only.
func onlyAt(place, document, keys string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/keys"):
			_, _ = io.WriteString(w, keys)
		case r.URL.String() == place:
			_, _ = io.WriteString(w, document)
		default:
			http.NotFound(w, r)
		}
	}
}

// If an issuer's name ends in a slash, its tokens contain the slash, and the paths of its metadata
// do not.
func TestKeysIssuerWithSlash(t *testing.T) {
	for _, test := range []struct{ issuer, place string }{
		{"https://id.example.com/", "https://id.example.com/.well-known/oauth-authorization-server"},
		{"https://id.example.com/", "https://id.example.com/.well-known/openid-configuration"},
		{"https://id.example.com", "https://id.example.com/.well-known/openid-configuration"},
		{"https://id.example.com/t/", "https://id.example.com/.well-known/oauth-authorization-server/t"},
		{"https://id.example.com/t/", "https://id.example.com/t/.well-known/openid-configuration"},
	} {
		i := newIssuer()
		i.answer(onlyAt(test.place, jsonOf(object{"issuer": test.issuer, "jwks_uri": "https://id.example.com/keys"}), jsonOf(object{"keys": []any{jwk(ecKey, nil)}})))
		v := mcpauth.JWT(mcpauth.JWTOptions{Issuer: test.issuer, HTTP: i.client(), Log: new(record).logger()})
		identity, err := verify(t, v, bearer(sign(`{"alg":"ES256"}`, jsonOf(claims(object{"iss": test.issuer})), ecKey)))
		if outcome(identity, err) != "taken" {
			t.Errorf("%s: %v", test.place, err)
		}
	}
}

// The request that begins a fetch may end before the fetch: other requests get the keys.
func TestKeysRequestEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newIssuer()
		release := make(chan struct{})
		i.answer(func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-release:
			case <-r.Context().Done():
			}
			onlyAt("https://id.example.com/.well-known/oauth-authorization-server/tenant",
				jsonOf(object{"issuer": issuerURL, "jwks_uri": issuerURL + "/keys"}), jsonOf(object{"keys": []any{jwk(ecKey, object{"kid": "ec"})}}))(w, r)
		})
		v := jwtOf(i)
		var all sync.WaitGroup
		all.Go(func() {
			ctx, cancel := contextFor(t, time.Second)
			defer cancel()
			if identity, err := v.Verify(ctx, bearer(token(nil))); outcome(identity, err) != "unknown" {
				t.Errorf("%v", err)
			}
			close(release)
		})
		all.Go(func() {
			if got := outcome(verify(t, v, bearer(token(object{"jti": "2"})))); got != "taken" {
				t.Error(got)
			}
		})
		all.Wait()
		if asked := i.asked.Load(); asked != 1 {
			t.Errorf("%d fetches", asked)
		}
	})
}
