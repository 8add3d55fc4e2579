package mcpissuer

import (
	"crypto"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// This file checks what clients sign: assertions for their authentication (RFC 7523) and
// proofs of DPoP (RFC 9449).

var (
	algorithms     = []jose.SignatureAlgorithm{jose.ES256, jose.ES384, jose.RS256, jose.PS256, jose.EdDSA}
	algorithmNames = []string{"ES256", "ES384", "RS256", "PS256", "EdDSA"}
)

const (
	maxAssertion = 16 << 10 // bytes
	leeway       = 30 * time.Second
)

// claims are those of an assertion or a proof.
type claims struct {
	Issuer   string          `json:"iss"`
	Subject  string          `json:"sub"`
	Audience json.RawMessage `json:"aud"`
	Expires  float64         `json:"exp"`
	Before   float64         `json:"nbf"`
	Issued   float64         `json:"iat"`
	ID       string          `json:"jti"`
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

// subjectOf returns the subject of an assertion that has not been verified yet.
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
	if len(text) > maxAssertion || c.keys == nil {
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
	case !now.Before(ends.Add(leeway)) || ends.Sub(now) > time.Hour || unix(is.Before).Sub(now) > leeway:
		return badClient()
	case is.ID != "" && !i.first("assertion", c.id, is.ID):
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

// first reports whether something that may be used once has not been used. When too many are
// remembered, nothing is the first.
func (i *Issuer) first(kind, who, id string) bool {
	if len(id) > maxText {
		return false
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.proofs.add(kind+" "+who+" "+id, struct{}{})
}

// checkProof checks the proof of a request (RFC 9449, section 4.3) and returns the thumbprint of
// its key; "" without a proof.
func (i *Issuer) checkProof(r *http.Request) (thumbprint string, err error) {
	all := r.Header.Values("Dpop")
	if len(all) == 0 {
		return "", nil
	}
	refuse := func(text string) error { return invalid("invalid_dpop_proof", text) }
	if len(all) > 1 || len(all[0]) > maxAssertion {
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
	target.RawQuery, target.Fragment = "", ""
	age := time.Since(unix(is.Issued))
	switch {
	case is.Method != r.Method || target.String() != i.url.Scheme+"://"+i.url.Host+r.URL.Path:
		return "", refuse("the proof is for another request")
	case age > proofTime || age < -leeway:
		return "", refuse("the time of the proof is too far away")
	case is.ID == "" || !i.first("proof", thumbprint, is.ID):
		return "", refuse("the proof has no jti, or has been used")
	}
	return thumbprint, nil
}

// equal compares secrets.
func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
