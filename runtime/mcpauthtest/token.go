package mcpauthtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"maps"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Token describes an access token. The zero value is a valid token of the first persona, without
// scopes, for five minutes.
type Token struct {
	// Persona is the subject. It need not be a persona of the issuer.
	Persona string
	// Scopes of the token; the persona need not have them.
	Scopes []string
	// Audience replaces the URL of the server.
	Audience string
	// Age is the time since the token was issued. A negative age is in the future.
	Age time.Duration
	// Lasts is the lifetime of the token. 0 means five minutes; for tokens that the issuer issues
	// itself, TokenTime of its options.
	Lasts time.Duration
	// Claims replaces or adds claims. A nil value removes one.
	Claims map[string]any
	// Defect makes the token invalid.
	Defect Defect
}

// Defect is a defect in the form or the signature of a token.
type Defect int

const (
	NoDefect  Defect = iota
	OtherKey         // signed with another key, under the id of the issuer's key
	Unsigned         // with the algorithm none
	Changed          // contains one claim more than was signed
	Truncated        // ends within the signature
)

// lasts is the default of Token.Lasts.
const lasts = 5 * time.Minute

// Token returns an access token.
func (s *Server) Token(tok Token) string {
	s.t.Helper()
	if tok.Lasts == 0 {
		tok.Lasts = lasts
	}
	issued := time.Now().Add(-tok.Age)
	claims := map[string]any{
		"iss": s.Issuer.URL(), "sub": tok.Persona, "client_id": client, "jti": rand.Text(), "aud": s.URL,
		"iat": issued.Unix(), "nbf": issued.Unix(), "exp": issued.Add(tok.Lasts).Unix(), "scope": strings.Join(tok.Scopes, " "),
	}
	if tok.Persona == "" {
		tok.Persona = s.personas[0].Name
		claims["sub"] = tok.Persona
	}
	for _, p := range s.personas {
		if p.Name == tok.Persona {
			maps.Copy(claims, p.Claims)
		}
	}
	if tok.Audience != "" {
		claims["aud"] = tok.Audience
	}
	for name, value := range tok.Claims {
		if claims[name] = value; value == nil {
			delete(claims, name)
		}
	}
	text, err := s.Issuer.SignClaims(claims)
	if err == nil {
		text, err = tok.Defect.apply(text)
	}
	if err != nil {
		s.t.Fatalf("mcpauthtest: make a token: %v", err)
	}
	return text
}

// apply makes a valid token invalid.
func (d Defect) apply(token string) (string, error) {
	part := strings.Split(token, ".")
	switch d {
	case OtherKey:
		return d.sign(part)
	case Unsigned:
		return encode(`{"typ":"at+jwt","alg":"none"}`) + "." + part[1] + ".", nil
	case Changed:
		text, err := base64.RawURLEncoding.DecodeString(part[1])
		return part[0] + "." + encode(strings.TrimSuffix(string(text), "}")+`,"changed":true}`) + "." + part[2], err
	case Truncated:
		return token[:len(token)-8], nil
	}
	return token, nil
}

// sign signs the payload with a new key.
func (Defect) sign(part []string) (string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	head, err := base64.RawURLEncoding.DecodeString(part[0])
	if err != nil {
		return "", err
	}
	var header struct {
		Key string `json:"kid"`
	}
	if err := json.Unmarshal(head, &header); err != nil {
		return "", err
	}
	payload, err := base64.RawURLEncoding.DecodeString(part[1])
	if err != nil {
		return "", err
	}
	options := new(jose.SignerOptions).WithType("at+jwt").WithHeader("kid", header.Key)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, options)
	if err != nil {
		return "", err
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		return "", err
	}
	return signed.CompactSerialize()
}

func encode(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
