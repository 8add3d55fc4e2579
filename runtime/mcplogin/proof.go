package mcplogin

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/cryptosigner"
	"github.com/go-jose/go-jose/v4/jwt"
)

// proofAlgorithm is the algorithm of proofs, which all servers that support DPoP have.
const proofAlgorithm = "ES256"

// proofKey is a key that tokens are bound to (RFC 9449).
type proofKey struct {
	private *ecdsa.PrivateKey
	signer  jose.Signer
}

func newProofKey() (*proofKey, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return proofKeyOf(private)
}

func proofKeyOf(private *ecdsa.PrivateKey) (*proofKey, error) {
	o := (&jose.SignerOptions{EmbedJWK: true}).WithType("dpop+jwt")
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: private}, o)
	if err != nil {
		return nil, err
	}
	return &proofKey{private, signer}, nil
}

// marshal returns the key for the store.
func (k *proofKey) marshal() ([]byte, error) { return x509.MarshalPKCS8PrivateKey(k.private) }

func parseProofKey(der []byte) (*proofKey, error) {
	key, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, err
	}
	private, ok := key.(*ecdsa.PrivateKey)
	if !ok || private.Curve != elliptic.P256() {
		return nil, errors.New("the key for DPoP in the store is not one of P-256")
	}
	return proofKeyOf(private)
}

// proofClaims are the claims of a proof (RFC 9449, section 4.2).
type proofClaims struct {
	ID     string `json:"jti"`
	Method string `json:"htm"`
	URL    string `json:"htu"`
	At     int64  `json:"iat"`
	Hash   string `json:"ath,omitempty"`
	Nonce  string `json:"nonce,omitempty"`
}

// proof returns a proof for one request. token is the access token that it sends, if any.
func (k *proofKey) proof(method string, u *url.URL, token, nonce string) (string, error) {
	c := proofClaims{ID: rand.Text(), Method: method, URL: origin(u) + u.EscapedPath(), At: time.Now().Unix(), Nonce: nonce}
	if u.EscapedPath() == "" {
		c.URL += "/"
	}
	if token != "" {
		h := sha256.Sum256([]byte(token))
		c.Hash = base64.RawURLEncoding.EncodeToString(h[:])
	}
	text, err := jwt.Signed(k.signer).Claims(c).Serialize()
	if err != nil {
		return "", fmt.Errorf("sign a proof for DPoP: %w", err)
	}
	return text, nil
}

// assertionTime is how long an assertion of a client is valid.
const assertionTime = time.Minute

// assertion returns an assertion by which a client proves who it is (RFC 7523, section 2.2).
// The audience is the issuer, which no other authorization server accepts.
func assertion(key crypto.Signer, algorithms []string, client, issuer string) (string, error) {
	algorithm, err := algorithmOf(key, algorithms)
	if err != nil {
		return "", err
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: cryptosigner.Opaque(key)}, (&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		return "", fmt.Errorf("use Config.Key: %w", err)
	}
	now := time.Now()
	return jwt.Signed(signer).Claims(jwt.Claims{
		Issuer: client, Subject: client, Audience: jwt.Audience{issuer}, ID: rand.Text(),
		IssuedAt: jwt.NewNumericDate(now), Expiry: jwt.NewNumericDate(now.Add(assertionTime)),
	}).Serialize()
}

// algorithmOf returns the algorithm of signatures by a key that an authorization server
// supports. It need not say which it does.
func algorithmOf(key crypto.Signer, supported []string) (jose.SignatureAlgorithm, error) {
	var able []jose.SignatureAlgorithm
	switch public := key.Public().(type) {
	case *ecdsa.PublicKey:
		switch public.Curve {
		case elliptic.P256():
			able = append(able, jose.ES256)
		case elliptic.P384():
			able = append(able, jose.ES384)
		case elliptic.P521():
			able = append(able, jose.ES512)
		}
	case *rsa.PublicKey:
		able = append(able, jose.RS256, jose.PS256, jose.RS384, jose.PS384, jose.RS512, jose.PS512)
	case ed25519.PublicKey:
		able = append(able, jose.EdDSA)
	}
	if len(able) == 0 {
		return "", fmt.Errorf("Config.Key is a %T, which has no algorithm of signatures: use an ECDSA (P-256, P-384, P-521), RSA or Ed25519 key", key.Public())
	}
	for _, a := range able {
		if len(supported) == 0 || contains(supported, string(a)) {
			return a, nil
		}
	}
	return "", fmt.Errorf("the authorization server supports the algorithms %s for assertions of clients, Config.Key has %s", quote(fmt.Sprint(supported)), able[0])
}
