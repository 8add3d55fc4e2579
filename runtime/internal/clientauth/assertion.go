package clientauth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/cryptosigner"
	"github.com/go-jose/go-jose/v4/jwt"
)

// assertionTime is the lifetime of a client's assertion.
const assertionTime = time.Minute

// assertion returns an assertion by which a client proves its identity (RFC 7523, section 2.2).
// Each contains an id of its own.
func (c *Client) assertion() (string, error) {
	algorithm, err := algorithmOf(c.Key, c.Algorithms)
	if err != nil {
		return "", err
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: cryptosigner.Opaque(c.Key)}, (&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		return "", fmt.Errorf("use the key of the client: %w", err)
	}
	now := time.Now()
	text, err := jwt.Signed(signer).Claims(jwt.Claims{
		Issuer: c.ID, Subject: c.ID, Audience: jwt.Audience{c.Issuer}, ID: rand.Text(),
		IssuedAt: jwt.NewNumericDate(now), Expiry: jwt.NewNumericDate(now.Add(assertionTime)),
	}).Serialize()
	if err != nil {
		return "", fmt.Errorf("sign an assertion of the client: %w", err)
	}
	return text, nil
}

// CheckKey returns an error for a key that cannot sign assertions.
func CheckKey(key crypto.Signer) error {
	_, err := algorithmOf(key, nil)
	return err
}

// algorithmOf returns an algorithm for signatures by a key that the authorization server supports.
// An empty list means that the server does not publish its algorithms.
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
		return "", fmt.Errorf("the key of the client is a %T, which has no algorithm of signatures: use an ECDSA (P-256, P-384, P-521), RSA or Ed25519 key", key.Public())
	}
	for _, a := range able {
		if len(supported) == 0 || slices.Contains(supported, string(a)) {
			return a, nil
		}
	}
	return "", fmt.Errorf("the authorization server supports the algorithms %+.200q for assertions of clients, the key of the client has %s", strings.Join(supported, " "), able[0])
}
