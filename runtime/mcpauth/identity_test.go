package mcpauth_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

// An identity that is encoded has all but the token, so that work can go on in another process.
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
