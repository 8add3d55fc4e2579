package mcpauth_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

// keysOf returns the JSON of keys.
func keysOf(keys ...mcpauth.Key) string { return jsonOf(object{"keys": keys}) }

func keySite(t *testing.T, keys ...mcpauth.Key) *site {
	return newSite(t, func(o *mcpauth.Options) {
		o.KeyHeader = "X-API-Key"
		o.Verifiers = []mcpauth.Verifier{mcpauth.APIKeys(must(mcpauth.ReadKeys([]byte(keysOf(keys...)))))}
	})
}

func TestAPIKey(t *testing.T) {
	text, key := mcpauth.NewKey("nightly", "books:read")
	if len(text) != 37 || !strings.HasPrefix(text, "mcp_") || key.SHA256 != fmt.Sprintf("%x", sha256.Sum256([]byte(text))) {
		t.Errorf("%s, %+v", text, key)
	}
	key.Roles, key.Expires = []string{"staff"}, time.Now().Add(time.Hour)
	s := keySite(t, key)
	for _, field := range []string{"Authorization: Bearer " + text, "X-API-Key: " + text, "authorization: bearer " + text} {
		me := s.whoami(t, field)
		if me.Principal != "key nightly" || !slices.Equal(me.Identity.Scopes, key.Scopes) || !slices.Equal(me.Identity.Roles, key.Roles) ||
			!me.Identity.Machine || me.Identity.TokenID != key.SHA256[:8] || me.Header["X-Api-Key"] != nil {
			t.Errorf("%s: %+v", field[:10], me)
		}
	}
	// Without an issuer there is no place to log in: no metadata, and no challenge that names it.
	if resp := s.do(t, request("GET", "https://mcp.example.com/.well-known/oauth-protected-resource", "")); resp.StatusCode != 404 {
		t.Errorf("metadata: status %d", resp.StatusCode)
	}
	if resp := s.do(t, post("whoami")); resp.StatusCode != 401 || resp.Header.Get("Www-Authenticate") != "Bearer" {
		t.Errorf("status %d, %v", resp.StatusCode, resp.Header)
	}
}

func TestAPIKeyRefused(t *testing.T) {
	text, key := mcpauth.NewKey("nightly")
	ended, endedKey := mcpauth.NewKey("ended")
	endedKey.Expires = time.Now().Add(-31 * time.Second)
	unknown, _ := mcpauth.NewKey("nightly")
	other := func(n int) string {
		b := []byte(text)
		if b[n]++; b[n] == 'Z'+1 || b[n] == '8' {
			b[n] = 'A'
		}
		return string(b)
	}
	for _, test := range []struct {
		name, field string
		status      int
	}{
		{"unknown", "Authorization: Bearer " + unknown, 401},
		{"first character", "Authorization: Bearer " + other(4), 401},
		{"last random character", "Authorization: Bearer " + other(29), 401},
		{"checksum", "Authorization: Bearer " + other(36), 401},
		{"cut", "Authorization: Bearer " + text[:36], 401},
		{"longer", "Authorization: Bearer " + text + "A", 401},
		{"lower case", "Authorization: Bearer " + strings.ToLower(text), 401},
		{"without prefix", "Authorization: Bearer " + text[4:], 401},
		{"digest of it", "Authorization: Bearer " + key.SHA256, 401},
		{"ended", "Authorization: Bearer " + ended, 401},
		{"ended, in the header field", "X-API-Key: " + ended, 401},
		{"anything in the header field", "X-API-Key: " + canary, 401},
		{"blank in the header field", "X-API-Key: a b", 400},
		{"as DPoP", "Authorization: DPoP " + text, 401},
		{"name", "Authorization: Bearer nightly", 401},
	} {
		s := keySite(t, key, endedKey)
		if resp := s.do(t, post("whoami", test.field)); resp.StatusCode != test.status {
			t.Errorf("%s: status %d", test.name, resp.StatusCode)
		}
	}
	s := keySite(t, key)
	for _, fields := range [][]string{
		{"X-API-Key: " + text, "X-API-Key: " + text}, {"X-API-Key: " + text, "Authorization: Bearer " + text},
	} {
		if resp := s.do(t, post("whoami", fields...)); resp.StatusCode != 400 {
			t.Errorf("two: status %d", resp.StatusCode)
		}
	}
	r := post("whoami")
	r.URL.RawQuery = "x-api-key=" + text
	if resp := s.do(t, r); resp.StatusCode != 400 {
		t.Errorf("query: status %d", resp.StatusCode)
	}
	// The field is read only if the option names it.
	plain := newSite(t, func(o *mcpauth.Options) { o.Verifiers = []mcpauth.Verifier{mcpauth.APIKeys(mcpauth.Keys{})} })
	if resp := plain.do(t, post("whoami", "X-Other-Key: "+text)); resp.StatusCode != 401 || !strings.Contains(plain.audit.String(), "has no credential") {
		t.Errorf("status %d, %s", resp.StatusCode, plain.audit)
	}
}

// 100,000 guesses get the answers of one minute, and find nothing.
func TestAPIKeyGuesses(t *testing.T) {
	text, key := mcpauth.NewKey("nightly")
	g, err := mcpauth.New(mcpauth.Options{Resource: resource, Verifiers: []mcpauth.Verifier{mcpauth.APIKeys(must(mcpauth.ReadKeys([]byte(keysOf(key)))))}})
	if err != nil {
		t.Fatal(err)
	}
	r := post("whoami")
	counts := map[string]int{}
	for range 10_000 {
		guess, _ := mcpauth.NewKey("x")
		r.Header["Authorization"] = []string{"Bearer " + guess}
		_, err := g.Principal(r)
		counts[err.Error()]++
	}
	if len(counts) != 2 || counts["too many credentials have been refused"] < 9_000 {
		t.Errorf("%v", counts)
	}
	r.Header["Authorization"] = []string{"Bearer " + text}
	if _, err := g.Principal(r); err != nil {
		t.Errorf("the valid key: %v", err)
	}
}

func TestReadKeys(t *testing.T) {
	_, key := mcpauth.NewKey("nightly")
	for text, want := range map[string]string{
		`{}`: "no list", `{"keys":null}`: "no list", `[]`: "not one JSON object", `{"keys":[`: "not one JSON object",
		`{"keys":[],"keys":[]}`: "duplicate", `{"keys":[]} x`: "not one JSON object", `{"keys":[],"x":1}`: "unknown field",
		`{"keys":[{"name":"a","sha256":"00"}]}`: "64 hexadecimal", `{"keys":[{"name":"a","sha256":"` + strings.Repeat("x", 64) + `"}]}`: "64 hexadecimal",
		keysOf(key, key): "two keys with the name", keysOf(key, mcpauth.Key{Name: "b", SHA256: key.SHA256}): "that of another name",
		keysOf(mcpauth.Key{Name: "", SHA256: key.SHA256}): "name of key 0", keysOf(mcpauth.Key{Name: "a\u200bb", SHA256: key.SHA256}): "name of key 0",
		keysOf(mcpauth.Key{Name: "a", SHA256: key.SHA256, Scopes: []string{"a b"}}):  "scopes of key a",
		`{"keys":[{"name":"a","sha256":"` + key.SHA256 + `","expires":"tomorrow"}]}`: "parsing time",
	} {
		if keys, err := mcpauth.ReadKeys([]byte(text)); err == nil || keys != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if keys, err := mcpauth.ReadKeys([]byte(`{"keys":[]}`)); err != nil || len(keys) != 0 {
		t.Errorf("no keys: %v", err)
	}
}

// The store reads the file again when it changes; an invalid file changes nothing but the log.
func TestKeysFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	log := new(record)
	guard := func(store mcpauth.KeyStore) error {
		_, err := mcpauth.New(mcpauth.Options{Resource: resource, Verifiers: []mcpauth.Verifier{mcpauth.APIKeys(store)}, Log: log.logger()})
		return err
	}
	if guard(mcpauth.KeysFile(path)) == nil {
		t.Error("a file that does not exist is taken")
	}
	text, key := mcpauth.NewKey("one")
	second, secondKey := mcpauth.NewKey("two")
	write := func(content string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"keys":[`)
	broken := mcpauth.KeysFile(path)
	if err := guard(broken); err == nil || !strings.Contains(err.Error(), "read keys") {
		t.Errorf("broken: %v", err)
	}
	if k, err := broken.Key(t.Context(), sha256.Sum256([]byte(text))); k != nil || err == nil {
		t.Errorf("broken: %v, %v", k, err)
	}
	write(keysOf(key))
	store := mcpauth.KeysFile(path)
	if err := guard(store); err != nil {
		t.Fatal(err)
	}
	find := func(text string) bool {
		mcpauth.ForgetLook(store) // instead of waiting for a second
		k, err := store.Key(t.Context(), sha256.Sum256([]byte(text)))
		return err == nil && k != nil
	}
	for _, step := range []struct {
		name     string
		do       func()
		one, two bool
		lines    int
	}{
		{"start", func() {}, true, false, 0},
		{"second key", func() { write(keysOf(key, secondKey)) }, true, true, 0},
		{"first key gone", func() { write(keysOf(secondKey)) }, false, true, 0},
		{"half written", func() { write(keysOf(key, secondKey)[:40]) }, false, true, 1},
		{"gone", func() { _ = os.Remove(path) }, false, true, 1},
		{"back", func() { write(keysOf(key, secondKey)) }, true, true, 0},
		{"a directory", func() { _ = os.Remove(path); _ = os.Mkdir(path, 0o700) }, true, true, 1},
	} {
		before := strings.Count(log.String(), "\n")
		step.do()
		one, two := find(text), find(second)
		if one != step.one || two != step.two {
			t.Errorf("%s: %v, %v", step.name, one, two)
		}
		if lines := strings.Count(log.String(), "\n") - before; (lines > 0) != (step.lines > 0) {
			t.Errorf("%s: %d lines in the log", step.name, lines)
		}
	}
	noSecret(t, log.String(), text, second, key.SHA256)
}

// failing is an unreachable store.
type failing struct{ text string }

func (f failing) Key(context.Context, [sha256.Size]byte) (*mcpauth.Key, error) {
	return nil, errors.New("no connection for " + f.text)
}

func TestAPIKeyStoreDown(t *testing.T) {
	text, _ := mcpauth.NewKey("one")
	s := newSite(t, func(o *mcpauth.Options) { o.Verifiers = []mcpauth.Verifier{mcpauth.APIKeys(failing{text})} })
	if resp := s.do(t, post("whoami", "Authorization: Bearer "+text)); resp.StatusCode != 503 {
		t.Errorf("status %d", resp.StatusCode)
	}
	if _, err := mcpauth.New(mcpauth.Options{Resource: resource, Verifiers: []mcpauth.Verifier{mcpauth.APIKeys(nil)}}); err == nil {
		t.Error("a guard without a store")
	}
}

// FuzzReadKeys: each key in a valid file is found by its digest alone.
func FuzzReadKeys(f *testing.F) {
	_, key := mcpauth.NewKey("nightly", "a")
	f.Add(keysOf(key))
	f.Add(`{"keys":[]}`)
	f.Fuzz(func(t *testing.T, text string) {
		keys, err := mcpauth.ReadKeys([]byte(text))
		if err != nil {
			return
		}
		for sum, k := range keys {
			if !strings.EqualFold(hex.EncodeToString(sum[:]), k.SHA256) || k.Name == "" {
				t.Fatalf("%q: %+v", text, k)
			}
		}
	})
}

// FuzzAPIKey: no text but the key is accepted.
func FuzzAPIKey(f *testing.F) {
	text, key := mcpauth.NewKey("nightly")
	v := mcpauth.APIKeys(must(mcpauth.ReadKeys([]byte(keysOf(key)))))
	f.Add(text)
	f.Add(text[:20])
	f.Add("mcp_")
	f.Fuzz(func(t *testing.T, guess string) {
		if i, err := v.Verify(t.Context(), bearer(guess)); (err == nil) != (guess == text) || (i == nil) == (err == nil) {
			t.Fatalf("%q: %v", guess, err)
		}
	})
}
