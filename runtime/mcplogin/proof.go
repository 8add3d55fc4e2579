package mcplogin

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// proofAlgorithm is the algorithm of proofs, which all servers with DPoP support.
const proofAlgorithm = "ES256"

// proofKey is a key to which tokens are bound (RFC 9449).
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

// marshal returns the key in the form for the store.
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

// proof returns a proof for one request. token is the access token in the request, or "".
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
