package mcpauth

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Identity is the authenticated caller. Calls share it: it must not be modified.
type Identity struct {
	Issuer  string // of the token; "" for keys, passwords and certificates
	Subject string // of the token, or the name of the key, the user or the certificate
	Client  string // the client that the token was issued to; "" if unknown
	Scopes  []string
	Roles   []string
	Expires time.Time // zero if the credential does not expire
	TokenID string    // jti, or the first 8 hexadecimal digits of the token's SHA-256
	Method  string    // "jwt", "introspection", "key", "basic", "certificate", or the method of another verifier
	// Claims are the token's claims as encoding/json decodes them, with numbers as json.Number.
	// They contain no credential. Nil for other credentials.
	Claims map[string]any
	// Actors are the subjects that act for Subject, the current one first (RFC 8693, section 4.1).
	Actors []string
	// Machine reports that no user can extend the scopes of the credential: a key, a certificate,
	// or a token that the issuer issued to a client for itself.
	Machine bool

	// token returns the token, for an Exchanger. It is a function, so that packages that print
	// structs do not print it. Nil in another process, and for other credentials.
	token func() string
	id    string // the result of ID, or "" if it is not yet computed
	// permission is the decision of the guard that authenticated the identity, shared by all its
	// requests. It may be nil.
	permission *permission
}

// ID returns the ID of the principal: issuer and subject, or method and subject. For a client that
// got a token for itself, "#client" follows the issuer, and then the client's own id: clients may
// choose their id, even equal to the subject of a user (RFC 9700, section 4.15).
//
// No two kinds of principals share an ID: an issuer contains a colon, a method does not, and
// neither contains a blank or the character #.
func (i *Identity) ID() string {
	switch {
	case i.id != "":
		return i.id
	case i.Issuer == "":
		return i.Method + " " + i.Subject
	case i.Machine:
		return i.Issuer + "#client " + cmp.Or(i.Client, i.Subject)
	}
	return i.Issuer + " " + i.Subject
}

// check returns an error for an identity whose ID could belong to a principal of another kind.
func (i *Identity) check() error {
	switch {
	case i == nil || i.Subject == "" || i.Issuer == "" && i.Method == "":
		return errors.New("a verifier has returned an Identity without Subject, or without Issuer and Method")
	case i.Issuer == "" && strings.Contains(i.Method, ":"):
		return errors.New("a verifier has returned an Identity without Issuer whose Method has a colon, as an issuer has")
	case strings.ContainsAny(i.Issuer, " #"), i.Issuer == "" && strings.ContainsAny(i.Method, " #"):
		return errors.New("a verifier has returned an Identity whose Issuer or Method has a blank or the character #")
	}
	return nil
}

// HasScope reports whether the identity has a scope. It does not apply the scope hierarchy of a
// guard.
func (i *Identity) HasScope(scope string) bool { return i != nil && slices.Contains(i.Scopes, scope) }

// IdentityFromContext returns the caller's identity, or the identity of [ContextWithIdentity]. It
// returns nil if no guard has authenticated the caller, as on stdio.
func IdentityFromContext(ctx context.Context) *Identity {
	if i, ok := ctx.Value(identityKey{}).(*Identity); ok {
		return i
	}
	i, _ := mcp.CallFrom(ctx).Principal().Value.(*Identity)
	return i
}

type identityKey struct{}

// ContextWithIdentity returns a context with the identity, for work that continues in another
// process or after the call: [json.Marshal] encodes an identity without the caller's token, and
// [json.Unmarshal] decodes it. [Exchanger.Token] then returns [ErrNoToken].
func ContextWithIdentity(ctx context.Context, i *Identity) context.Context {
	return context.WithValue(ctx, identityKey{}, i)
}

// UnmarshalJSON decodes what json.Marshal encodes. Numbers in claims remain exact.
func (i *Identity) UnmarshalJSON(data []byte) error {
	type plain Identity // without this method
	var p plain
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&p); err != nil {
		return err
	}
	*i = Identity(p)
	return nil
}
