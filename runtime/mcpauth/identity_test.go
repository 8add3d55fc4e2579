package mcpauth_test

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

// An encoded identity contains everything but the token, so that work can continue in another
// process.
func TestIdentityInAnotherProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := token(object{"scope": "a b", "number": json.Number("9007199254740993"), "act": object{"sub": "agent"}})
		r, err := http.NewRequest(http.MethodPost, "https://mcp.example.com/mcp", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+text)
		p, err := newSite(t, nil).guard.Principal(r)
		if err != nil {
			t.Fatal(err)
		}
		identity := p.Value.(*mcpauth.Identity)
		data, err := json.Marshal(identity)
		if err != nil {
			t.Fatal(err)
		}
		noSecret(t, string(data), text)
		decoded := new(mcpauth.Identity)
		if err := json.Unmarshal(data, decoded); err != nil {
			t.Fatal(err)
		}
		if again, err := json.Marshal(decoded); err != nil || string(again) != string(data) {
			t.Errorf("%s, %v, want %s", again, err, data)
		}
		if decoded.ID() != identity.ID() || !decoded.Expires.Equal(identity.Expires) || !reflect.DeepEqual(decoded.Claims, identity.Claims) {
			t.Errorf("%+v, want %+v", decoded, identity)
		}
		ctx := mcpauth.ContextWithIdentity(t.Context(), decoded)
		if got := mcpauth.IdentityFromContext(ctx); got != decoded {
			t.Errorf("%+v, want %+v", got, decoded)
		}
		if _, err := exchanger(nil).Token(ctx, "orders"); !errors.Is(err, mcpauth.ErrNoToken) {
			t.Errorf("an exchange without the token of the caller: %v", err)
		}
	})
}

// Principals of different kinds have different IDs, even if a name of one kind has the form of
// another.
func TestKindsOfPrincipals(t *testing.T) {
	v := jwtOf(newIssuer())
	ids := map[string]string{}
	add := func(what, id string) {
		t.Helper()
		if other, there := ids[id]; there {
			t.Errorf("%s and %s have the ID %q", what, other, id)
		}
		ids[id] = what
	}
	of := func(claims object) string {
		t.Helper()
		i, err := verify(t, v, bearer(token(claims)))
		if err != nil {
			t.Fatal(err)
		}
		return i.ID()
	}
	for _, user := range []string{"ada", "#client ada", "client ada", " ada", "desktop@clients", "app-1"} {
		id := of(object{"sub": user, "client_id": "web"})
		if id != issuerURL+" "+user {
			t.Errorf("the ID of the user %q is %q", user, id)
		}
		add("the user "+user, id)
	}
	client := of(object{"sub": nil, "client_id": "ada"})
	add("a client", client)
	for what, claims := range map[string]object{
		"sub":         {"sub": "ada", "client_id": "ada"}, // RFC 9068, section 2.2
		"azp":         {"sub": "ada", "client_id": nil, "azp": "ada"},
		"@clients":    {"sub": "ada@clients", "client_id": "ada"},
		"credentials": {"sub": "some account", "client_id": "ada", "gty": "client-credentials"},
	} {
		if id := of(claims); id != client {
			t.Errorf("the client by %s has the ID %q, and by client_id %q", what, id, client)
		}
	}
	add("an app without client_id", of(object{"sub": "app-1", "client_id": nil, "idtyp": "app"}))
	add("a client with a blank", of(object{"sub": nil, "client_id": "a ada"}))

	leaf := func(raw string, dns, uri []string) string {
		c := &x509.Certificate{Raw: []byte(raw), DNSNames: dns}
		for _, text := range uri {
			c.URIs = append(c.URIs, must(url.Parse(text)))
		}
		return mcpauth.CertificateName(c)
	}
	none := leaf("one", nil, nil)
	add("a certificate", none)
	add("another certificate", leaf("two", nil, nil))
	for what, names := range map[string][2][]string{
		"DNS name of a fingerprint":    {{none}, nil},
		"DNS name with a scheme":       {{"spiffe://example.org/agent"}, nil},
		"DNS name with a blank":        {{"db.example x"}, nil},
		"DNS name that is empty":       {{""}, nil},
		"URI of a fingerprint":         {nil, {none}},
		"URI of it in capital letters": {nil, {strings.ToUpper(none)}},
		"URI without a scheme":         {{"other.example"}, {"db.example"}},
		"URI of a path":                {nil, {"//db.example/x"}},
		"two URIs":                     {nil, {"spiffe://a/b", "spiffe://a/c"}},
	} {
		name := leaf(what, names[0], names[1])
		if !strings.HasPrefix(name, "sha256:") {
			t.Errorf("%s is a name: %q", what, name)
		}
		add(what, name)
	}
	for want, names := range map[string][2][]string{
		"db.example":                 {{"db.example"}, nil},
		"*.db_1.Example":             {{"*.db_1.Example"}, nil},
		"spiffe://example.org/agent": {{"db.example"}, {"spiffe://example.org/agent"}},
		"urn:uuid:1-2":               {nil, {"urn:uuid:1-2"}},
	} {
		name := leaf(want, names[0], names[1])
		if name != want {
			t.Errorf("the name is %q, want %q", name, want)
		}
		add(want, name)
	}
}

// A verifier that returns an identity whose ID could belong to another kind of principal causes an
// error.
func TestIdentitiesOfOtherVerifiers(t *testing.T) {
	for _, test := range []struct {
		identity mcpauth.Identity
		want     string // the ID, "" for an error
	}{
		{mcpauth.Identity{Method: "ticket", Subject: "x: #y z"}, "ticket x: #y z"},
		{mcpauth.Identity{Issuer: "urn:a", Method: "a b", Subject: "x"}, "urn:a x"},
		{mcpauth.Identity{Issuer: "urn:a", Subject: "x", Client: "c", Machine: true}, "urn:a#client c"},
		{mcpauth.Identity{Issuer: "urn:a", Subject: "x", Machine: true}, "urn:a#client x"},
		{mcpauth.Identity{Issuer: "urn:a#client", Subject: "x"}, ""},
		{mcpauth.Identity{Issuer: "urn:a x", Subject: "y"}, ""},
		{mcpauth.Identity{Method: "urn:a", Subject: "x"}, ""},
		{mcpauth.Identity{Method: "a b", Subject: "x"}, ""},
		{mcpauth.Identity{Method: "a#client", Subject: "x"}, ""},
		{mcpauth.Identity{Method: "ticket"}, ""},
		{mcpauth.Identity{Subject: "x"}, ""},
	} {
		s := newSite(t, func(o *mcpauth.Options) {
			o.Verifiers, o.Scopes = []mcpauth.Verifier{fixedIdentity{test.identity}}, nil
		})
		r, err := http.NewRequest(http.MethodPost, resource, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer x")
		p, err := s.guard.Principal(r)
		if p.ID != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%+v: %q, %v", test.identity, p.ID, err)
		}
	}
}

// fixedIdentity recognises every credential.
type fixedIdentity struct{ identity mcpauth.Identity }

func (f fixedIdentity) Verify(context.Context, *mcpauth.Credential) (*mcpauth.Identity, error) {
	return &f.identity, nil
}
