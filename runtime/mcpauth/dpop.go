package mcpauth

import (
	"context"
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// DPoPMode determines whether access tokens must be bound to a key that the client proves with each
// request (RFC 9449).
type DPoPMode uint8

// The modes. Each of them refuses a token with the claim cnf if the request lacks the proof.
const (
	DPoPOff     DPoPMode = iota // tokens that are bound to a key are refused
	DPoPAccept                  // tokens may be bound
	DPoPRequire                 // tokens that are not bound are refused
)

// DPoPOptions configures proofs of possession (RFC 9449).
type DPoPOptions struct {
	Mode DPoPMode
	// Nonces requires proofs to contain a nonce of the server that is at most five minutes old
	// (section 9). A client gets the first nonce in a response with status 401.
	Nonces bool
	// NonceKey is the secret for nonces, at least 32 bytes. Replicas share it. Nil means a random
	// one.
	NonceKey []byte
	// Replay stores the used proofs. Replicas share it. Nil means a store of this process, for
	// 100,000 proofs of the last minutes, at most a quarter of them of one key; when it is full,
	// requests get status 503.
	Replay mcp.StateStore
}

const (
	proofTime = 5 * time.Minute // lifetime of a proof or a nonce
	maxProof  = 8 << 10         // bytes
	maxJTI    = 512             // bytes
	minSecret = 32              // bytes
	maxProofs = 100_000         // in the store
)

// confirmation is the key or certificate that a token is bound to (RFC 7800).
type confirmation struct {
	jkt string // thumbprint of a key (RFC 9449, section 6.1)
	x5t string // thumbprint of a certificate (RFC 8705, section 3.1)
}

// readConfirmation reads the claim cnf. A binding that cannot be checked is an error.
func readConfirmation(claims map[string]any) (c confirmation, err error) {
	value, there := claims["cnf"]
	if !there {
		return c, nil
	}
	cnf, ok := value.(map[string]any)
	if !ok || len(cnf) == 0 {
		return c, refuse("the claim cnf of the token is not valid")
	}
	for name, v := range cnf {
		s, _ := v.(string)
		switch {
		case s != "" && name == "jkt":
			c.jkt = s
		case s != "" && name == "x5t#S256":
			c.x5t = s
		default:
			return c, refuse("the token is bound by cnf in a way that cannot be checked")
		}
	}
	return c, nil
}

// binding checks that a request proves the binding of its token.
type binding struct {
	mode   DPoPMode
	nonces *nonces // nil without nonces
	replay mcp.StateStore
}

func newBinding(o DPoPOptions) (*binding, error) {
	b := &binding{mode: o.Mode, replay: o.Replay}
	if o.Mode > DPoPRequire {
		return b, fmt.Errorf("DPoPOptions.Mode is %d: it must be DPoPOff, DPoPAccept or DPoPRequire", o.Mode)
	}
	if b.replay == nil {
		b.replay = newProofStore(maxProofs)
	}
	if o.Nonces {
		key := o.NonceKey
		if key == nil {
			key = make([]byte, minSecret)
			_, _ = rand.Read(key) // never fails
		}
		if len(key) < minSecret {
			return b, fmt.Errorf("DPoPOptions.NonceKey has %d bytes, and needs %d", len(key), minSecret)
		}
		b.nonces = &nonces{key}
	}
	return b, nil
}

func (b *binding) describe(d *description) {
	d.certificates = true
	d.dpop = d.dpop || b.mode != DPoPOff
	d.dpopOnly = d.dpopOnly && b.mode == DPoPRequire
}

// check checks the binding of a request with a valid token.
func (b *binding) check(ctx context.Context, c *Credential, to confirmation) error {
	if to.x5t != "" {
		if c.leaf == nil {
			return refuse("the token is bound to a certificate, and the client has none")
		}
		sum := sha256.Sum256(c.leaf.Raw)
		if subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(to.x5t)) != 1 {
			return refuse("the token is bound to another certificate")
		}
	}
	switch {
	case to.jkt != "" && b.mode == DPoPOff:
		return refuse("the token is bound to a key, and proofs are not accepted")
	case to.jkt != "" && c.Scheme != SchemeDPoP:
		return refuse("the token is bound to a key: it needs the scheme DPoP and a proof")
	case to.jkt == "" && c.Scheme == SchemeDPoP:
		return refuse("the scheme is DPoP, and the token is not bound to a key")
	case to.jkt == "" && b.mode == DPoPRequire:
		return refuse("the token is not bound to a key")
	case to.jkt == "":
		return nil
	}
	return b.checkProof(ctx, c, to.jkt)
}

// badProof returns the refusal of a proof (RFC 9449, section 7.1).
func badProof(format string, args ...any) error {
	return &invalid{reason: fmt.Sprintf(format, args...), code: "invalid_dpop_proof"}
}

// checkProof checks the proof of a request (RFC 9449, section 4.3).
func (b *binding) checkProof(ctx context.Context, c *Credential, jkt string) error {
	if len(c.proofs) != 1 {
		return badProof("the request needs one proof in the field DPoP")
	}
	proof := c.proofs[0]
	if len(proof) > maxProof {
		return badProof("the proof has more than %d bytes", maxProof)
	}
	t, ok := parseCompact(proof)
	if !ok {
		return badProof("the proof is not a JWT")
	}
	if t.checkHeader(true) != nil || strings.ToLower(t.typ) != "dpop+jwt" || !slices.Contains(algorithms, t.alg) {
		return badProof("the header of the proof is not valid")
	}
	key, print, ok := proofKey(t.header["jwk"])
	switch {
	case !ok || !keyFits(key, t.alg):
		return badProof("the key of the proof is not a public key for its algorithm")
	case subtle.ConstantTimeCompare([]byte(print), []byte(jkt)) != 1:
		return badProof("the key of the proof is not the one that the token is bound to")
	case t.claims["htm"] != c.Method:
		return badProof("the proof is for another method")
	case !c.isTarget(t.claims["htu"]):
		return badProof("the proof is for another URL")
	case t.claims["ath"] != hashOf(c.Token):
		return badProof("the proof is for another token")
	}
	issued, there, ok := date(t.claims, "iat")
	now := time.Now()
	if !ok || !there || now.Sub(issued) > proofTime || issued.Sub(now) > c.clockLeeway() {
		return badProof("the time of the proof is too far away, or missing")
	}
	jti, _ := t.claims["jti"].(string)
	if jti == "" || len(jti) > maxJTI {
		return badProof("the proof has no jti, or one that is too long")
	}
	if !t.signedBy([]*publicKey{{key: key}}, joseAlgorithms) {
		return badProof("the signature of the proof is not valid")
	}
	if b.nonces != nil {
		if nonce, _ := t.claims["nonce"].(string); !b.nonces.valid(nonce) {
			return &invalid{reason: "the proof needs a nonce of the server", code: "use_dpop_nonce", nonce: b.nonces.next()}
		}
	}
	first, err := b.replay.Consume(ctx, jkt+"."+hashOf(jti), issued.Add(proofTime+c.clockLeeway()))
	if err != nil {
		return fmt.Errorf("record the use of a proof: %w", err)
	}
	if !first {
		return badProof("the proof has been used")
	}
	return nil
}

// hashOf returns the SHA-256 of a string (RFC 9449, section 4.2, ath).
func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// proofKey returns the key in the header of a proof and its thumbprint (RFC 7638).
func proofKey(member any) (key any, thumbprint string, ok bool) {
	object, ok := member.(map[string]any)
	if !ok {
		return nil, "", false
	}
	for _, name := range []string{"d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"} {
		if _, private := object[name]; private {
			return nil, "", false
		}
	}
	if key = parseKey(object); key == nil {
		return nil, "", false
	}
	sum, err := (&jose.JSONWebKey{Key: key}).Thumbprint(crypto.SHA256)
	return key, base64.RawURLEncoding.EncodeToString(sum), err == nil
}

// isTarget reports whether a proof's URL matches the request: the Resource, or its origin with the
// path of the request. The host names in the request header are ignored.
func (c *Credential) isTarget(htu any) bool {
	s, _ := htu.(string)
	asked, err := url.Parse(s)
	if s == "" || err != nil || asked.User != nil {
		return false
	}
	own, err := url.Parse(c.Resource)
	if err != nil {
		return false
	}
	path := pathOf(asked)
	return originOf(asked) == originOf(own) && (path == pathOf(own) || c.path != "" && path == c.path)
}

func pathOf(u *url.URL) string {
	if p := u.EscapedPath(); p != "" {
		return p
	}
	return "/"
}

// originOf returns scheme, host and port in canonical form.
func originOf(u *url.URL) string {
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[scheme]
	}
	return scheme + " " + strings.ToLower(u.Hostname()) + " " + port
}

// nonces creates nonces that need no storage: a time and its MAC.
type nonces struct{ key []byte }

const nonceBytes = 8 + 16

func (n *nonces) next() string { return n.at(time.Now()) }

func (n *nonces) at(t time.Time) string {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 8+sha256.Size), uint64(t.Unix()))
	code := hmac.New(sha256.New, n.key)
	code.Write(b)
	return base64.RawURLEncoding.EncodeToString(code.Sum(b)[:nonceBytes])
}

func (n *nonces) valid(s string) bool {
	b, err := strictBase64.DecodeString(s)
	if err != nil || len(b) != nonceBytes || len(s) != base64.RawURLEncoding.EncodedLen(nonceBytes) {
		return false
	}
	made := time.Unix(int64(binary.BigEndian.Uint64(b)), 0)
	age := time.Since(made)
	return age >= -time.Second && age <= proofTime && subtle.ConstantTimeCompare([]byte(n.at(made)), []byte(s)) == 1
}

// proofStore is the StateStore of one process. It drops nothing that can still be used: it returns
// an error when it is full.
type proofStore struct {
	most int

	mu    sync.Mutex
	used  map[string]time.Time
	byKey map[string]int
	swept time.Time
	// forgotten is the latest end of a dropped proof. A clock that is set back makes dropped proofs
	// valid again: up to this time, the store cannot know which were used.
	forgotten time.Time
}

func newProofStore(most int) *proofStore {
	return &proofStore{most: most, used: map[string]time.Time{}, byKey: map[string]int{}}
}

var errProofsFull = errors.New("too many proofs have been used in the last minutes")

// Consume stores an id that begins with the thumbprint of a key and a dot.
func (s *proofStore) Consume(_ context.Context, id string, expires time.Time) (bool, error) {
	key, _, _ := strings.Cut(id, ".")
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	full := len(s.used) >= s.most
	if age := now.Sub(s.swept); age >= time.Minute || full && age >= time.Second {
		s.sweep(now)
	}
	if _, used := s.used[id]; used || !expires.After(s.forgotten) {
		return false, nil
	}
	if len(s.used) >= s.most || s.byKey[key] >= max(s.most/4, 1) {
		return false, errProofsFull
	}
	s.used[id] = expires
	s.byKey[key]++
	return true, nil
}

func (s *proofStore) sweep(now time.Time) {
	s.swept = now
	for id, expires := range s.used {
		if now.After(expires) {
			delete(s.used, id)
			if expires.After(s.forgotten) {
				s.forgotten = expires
			}
			key, _, _ := strings.Cut(id, ".")
			if s.byKey[key]--; s.byKey[key] <= 0 {
				delete(s.byKey, key)
			}
		}
	}
}
