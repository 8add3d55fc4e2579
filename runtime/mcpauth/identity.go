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

// Identity is who makes a call. Calls share it: it must not be changed.
type Identity struct {
	Issuer  string // of the token; "" for keys, passwords and certificates
	Subject string // of the token, or the name of the key, the user or the certificate
	Client  string // that the token was issued to; "" if that is not known
	Scopes  []string
	Roles   []string
	Expires time.Time // zero if the credential does not expire
	TokenID string    // jti, or the first 8 hexadecimal digits of the token's SHA-256
	Method  string    // "jwt", "introspection", "key", "basic", "certificate", or that of another verifier
	// Claims are those of the token, as encoding/json decodes them, with numbers as
	// json.Number. They have no credential. Nil for other credentials.
	Claims map[string]any
	// Actors are the subjects that act for Subject, the present one first (RFC 8693, section
	// 4.1).
	Actors []string
	// Machine reports that no user can give the credential more scopes: a key, a certificate,
	// or a token that its issuer has given to a client for itself.
	Machine bool

	// token returns the token, for an Exchanger. It is a function, so that no package that
	// prints a struct prints it. Nil in another process, and for other credentials.
	token func() string
	id    string // the result of ID, if it is known
	// permission is the decision of the guard that the identity was verified for, so that not
	// each request makes one. It may be nil.
	permission *permission
}

// ID is the ID of the principal: issuer and subject, or method and subject. A client to which an
// issuer has given a token for itself has "#client" behind the issuer, and then its own id. Clients
// may choose that, also to be equal to the subject of a user (RFC 9700, section 4.15).
//
// No two kinds of principals share an ID: an issuer has a colon, a method has none, and neither has
// a blank or the character #.
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

// check returns an error for an identity whose ID could be that of a principal of another kind.
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

// HasScope reports whether the scopes have that one. Hierarchies of a guard are not applied.
func (i *Identity) HasScope(scope string) bool { return i != nil && slices.Contains(i.Scopes, scope) }

// IdentityFromContext returns who makes the call, or the identity of [ContextWithIdentity]. It
// is nil where a guard has not authenticated the caller, as on stdio.
func IdentityFromContext(ctx context.Context) *Identity {
	if i, ok := ctx.Value(identityKey{}).(*Identity); ok {
		return i
	}
	i, _ := mcp.CallFrom(ctx).Principal().Value.(*Identity)
	return i
}

type identityKey struct{}

// ContextWithIdentity returns a context with that identity, for work that goes on in another
// process or after the call: [json.Marshal] encodes an identity without the caller's token, and
// [json.Unmarshal] decodes it. [Exchanger.Token] then returns [ErrNoToken].
func ContextWithIdentity(ctx context.Context, i *Identity) context.Context {
	return context.WithValue(ctx, identityKey{}, i)
}

// UnmarshalJSON decodes what json.Marshal encodes. Numbers of claims stay exact.
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
