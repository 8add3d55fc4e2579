package mcpissuer

import (
	"crypto"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// This file checks signatures of clients: assertions for their authentication (RFC 7523) and proofs
// of DPoP (RFC 9449).

var (
	algorithms     = []jose.SignatureAlgorithm{jose.ES256, jose.ES384, jose.RS256, jose.PS256, jose.EdDSA}
	algorithmNames = []string{"ES256", "ES384", "RS256", "PS256", "EdDSA"}
)

const (
	maxSignedBytes = 16 << 10 // bytes
	leeway         = 30 * time.Second
)

// claims are the claims of an assertion or a proof.
type claims struct {
	Issuer   string          `json:"iss"`
	Subject  string          `json:"sub"`
	Audience json.RawMessage `json:"aud"`
	Expires  float64         `json:"exp"`
	Before   float64         `json:"nbf"`
	Issued   float64         `json:"iat"`
	ID       string          `json:"jti"`
	Nonce    string          `json:"nonce"`
	Method   string          `json:"htm"`
	URL      string          `json:"htu"`
}

func (c *claims) has(audience ...string) bool {
	var all []string
	var one string
	if json.Unmarshal(c.Audience, &one) == nil {
		all = []string{one}
	} else if json.Unmarshal(c.Audience, &all) != nil {
		return false
	}
	for _, a := range all {
		for _, want := range audience {
			if a == want {
				return true
			}
		}
	}
	return false
}

// subjectOf returns the subject of an assertion that is not yet verified.
func subjectOf(assertion string) string {
	var c claims
	t, err := jose.ParseSignedCompact(assertion, algorithms)
	if err != nil || json.Unmarshal(t.UnsafePayloadWithoutVerification(), &c) != nil {
		return ""
	}
	return c.Subject
}

// checkAssertion checks an assertion of a client (RFC 7523, section 3).
func (i *Issuer) checkAssertion(c *client, text string) error {
	if len(text) > maxSignedBytes || c.keys == nil {
		return badClient()
	}
	t, err := jose.ParseSignedCompact(text, algorithms)
	if err != nil {
		return badClient()
	}
	var payload []byte
	for n := range c.keys.Keys {
		if key := &c.keys.Keys[n]; key.IsPublic() && key.Valid() {
			if payload, err = t.Verify(key); err == nil {
				break
			}
		}
	}
	var is claims
	now := time.Now()
	if payload == nil || json.Unmarshal(payload, &is) != nil {
		return badClient()
	}
	ends := unix(is.Expires)
	switch {
	case is.Issuer != c.id || is.Subject != c.id || !is.has(i.o.URL, strings.TrimSuffix(i.o.URL, "/")+"/oauth/token"):
		return badClient()
	case !now.Before(ends.Add(leeway)) || ends.Sub(now) > assertTime || unix(is.Before).Sub(now) > leeway:
		return badClient()
	case !i.first(&i.assertions, c.id, is.ID):
		return badClient()
	}
	return nil
}

func unix(seconds float64) time.Time {
	if seconds < 0 || seconds > 1<<40 {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0)
}

// first records the use of an id. It reports whether this was the first use; if too many ids are
// recorded, it returns false.
func (i *Issuer) first(used *table[struct{}], who, id string) bool {
	if id == "" || len(id) > maxTextBytes {
		return false
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	sum := sha256.Sum256([]byte(who + " " + id))
	return used.add(string(sum[:]), struct{}{})
}

// checkProof checks the proof of a request (RFC 9449, section 4.3) and returns the thumbprint of
// its key, or "" without a proof.
func (i *Issuer) checkProof(w http.ResponseWriter, r *http.Request) (thumbprint string, err error) {
	all := r.Header.Values("Dpop")
	if len(all) == 0 {
		return "", nil
	}
	if i.o.Nonces {
		w.Header().Set("DPoP-Nonce", i.nonce(time.Now()))
	}
	refuse := func(text string) error { return invalid("invalid_dpop_proof", text) }
	if len(all) > 1 || len(all[0]) > maxSignedBytes {
		return "", refuse("the request needs one proof in the field DPoP")
	}
	t, err := jose.ParseSignedCompact(all[0], algorithms)
	if err != nil || len(t.Signatures) != 1 {
		return "", refuse("the proof is not a signed JWT")
	}
	key := t.Signatures[0].Header.JSONWebKey
	kind, _ := t.Signatures[0].Header.ExtraHeaders[jose.HeaderType].(string)
	if !strings.EqualFold(kind, "dpop+jwt") || key == nil || !key.IsPublic() || !key.Valid() {
		return "", refuse("the header of the proof needs the type dpop+jwt and a public key")
	}
	payload, err := t.Verify(key)
	var is claims
	if err != nil || json.Unmarshal(payload, &is) != nil {
		return "", refuse("the signature of the proof is not valid")
	}
	sum, err := key.Thumbprint(crypto.SHA256)
	if err != nil {
		return "", refuse("the key of the proof is not valid")
	}
	thumbprint = base64.RawURLEncoding.EncodeToString(sum)
	target, err := url.Parse(is.URL)
	if err != nil {
		return "", refuse("htu is not a URL")
	}
	age := time.Since(unix(is.Issued))
	switch {
	case is.Method != r.Method || target.Scheme != i.url.Scheme || target.User != nil || !i.isHost(target.Host) || target.Path != r.URL.Path:
		return "", refuse("the proof is for another request")
	case age > proofTime || age < -leeway:
		return "", refuse("the time of the proof is too far away")
	case i.o.Nonces && !i.isNonce(is.Nonce):
		return "", invalid("use_dpop_nonce", "the proof needs the nonce of the field DPoP-Nonce")
	case !i.first(&i.proofs, thumbprint, is.ID):
		return "", refuse("the proof has no jti, or has been used")
	}
	return thumbprint, nil
}

// nonce returns a nonce for proofs: a time with a MAC.
func (i *Issuer) nonce(at time.Time) string {
	text := binary.BigEndian.AppendUint64(nil, uint64(at.Unix())) //nolint:gosec // not before 1970
	mac := hmac.New(sha256.New, i.nonceKey)
	_, _ = mac.Write(text) // never fails
	return base64.RawURLEncoding.EncodeToString(mac.Sum(text))
}

// isNonce reports whether the issuer has created a nonce, and it is not too old.
func (i *Issuer) isNonce(text string) bool {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) < 8 {
		return false
	}
	made := time.Unix(int64(binary.BigEndian.Uint64(b)), 0) //nolint:gosec // a wrong one does not compare
	return equal(text, i.nonce(made)) && time.Since(made) <= proofTime
}

// equal compares secrets.
func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
