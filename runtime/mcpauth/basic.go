package mcpauth

import (
	"context"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/internal/turns"
)

const (
	passwordRounds = 600_000   // of PBKDF2
	maxRounds      = 5_000_000 // maximum in a hash
	passwordTime   = 5 * time.Minute
	maxPasswords   = 1000 // of verified passwords that are cached

	// maxPasswordsWaiting limits the passwords of one address that wait for verification.
	maxPasswordsWaiting = 16

	passwordPatient = 10 * time.Second // maximum wait before a derivation begins
)

// Password is the stored form of a user's password.
type Password struct {
	Hash          string // the result of HashPassword
	Scopes, Roles []string
}

// PasswordStore looks up passwords. Its method must be safe for concurrent use.
type PasswordStore interface {
	// Password returns a user's password, or nil if the user is unknown. An error means that the
	// lookup failed.
	Password(ctx context.Context, user string) (*Password, error)
}

// Passwords is an immutable PasswordStore, by user name.
type Passwords map[string]Password

// Password returns the password of a user.
func (p Passwords) Password(_ context.Context, user string) (*Password, error) {
	if found, ok := p[user]; ok {
		return &found, nil
	}
	return nil, nil
}

// HashPassword returns the stored form of a password: PBKDF2 with SHA-256, 600,000 rounds and a
// random salt. It takes a fraction of a second.
func HashPassword(password string) string {
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails
	return passwordHash{passwordRounds, salt, derive(password, salt, passwordRounds)}.String()
}

// passwordHash is a parsed hash.
type passwordHash struct {
	rounds    int
	salt, sum []byte
}

func (h passwordHash) String() string {
	return fmt.Sprintf("pbkdf2-sha256$%d$%s$%s", h.rounds, base64.RawStdEncoding.EncodeToString(h.salt), base64.RawStdEncoding.EncodeToString(h.sum))
}

func parseHash(s string) (h passwordHash, ok bool) {
	parts := strings.Split(s, "$")
	if len(parts) != 4 || parts[0] != "pbkdf2-sha256" {
		return h, false
	}
	var err1, err2, err3 error
	h.rounds, err1 = strconv.Atoi(parts[1])
	h.salt, err2 = base64.RawStdEncoding.DecodeString(parts[2])
	h.sum, err3 = base64.RawStdEncoding.DecodeString(parts[3])
	return h, errors.Join(err1, err2, err3) == nil && h.rounds >= passwordRounds && h.rounds <= maxRounds && len(h.salt) >= 16 && len(h.sum) == sha256.Size
}

func derive(password string, salt []byte, rounds int) []byte {
	sum, err := pbkdf2.Key(sha256.New, password, salt, rounds, sha256.Size)
	if err != nil { // only for lengths that do not occur here
		panic("mcpauth: " + err.Error())
	}
	return sum
}

// Basic returns a Verifier for user names and passwords (RFC 7617).
//
// Verifying a password is deliberately slow. Each processor verifies at most one password at a
// time. Addresses take turns, and an address with too many failures (Options.MaxFailuresPerMinute)
// gets none. Up to 16 passwords of one address wait; further ones are refused. A verified password
// is cached for 5 minutes, as a digest with a key of the process.
func Basic(store PasswordStore) Verifier {
	v := &basic{store: store, known: newCache[*Identity](maxPasswords), key: make([]byte, 32), derive: derive, running: turns.New[clientlimit.Client](runtime.GOMAXPROCS(0), runtime.GOMAXPROCS(0), maxPasswordsWaiting)}
	_, _ = rand.Read(v.key) // never fails
	return v
}

type basic struct {
	store   PasswordStore
	known   *cache[*Identity]
	key     []byte                                                // of the digests in known
	derive  func(password string, salt []byte, rounds int) []byte // a test counts its rounds
	running *turns.Places[clientlimit.Client]                     // of derivations
}

func (v *basic) configuration() error {
	if v.store == nil {
		return errors.New("the store of Basic is nil")
	}
	return nil
}

func (v *basic) describe(d *description) { d.basic = true }

func (v *basic) Verify(ctx context.Context, c *Credential) (*Identity, error) {
	if c.Scheme != SchemeBasic {
		return nil, ErrNotMine
	}
	stored, err := v.store.Password(ctx, c.User)
	if err != nil {
		return nil, fmt.Errorf("find password: %w", err)
	}
	// A new hash in the store invalidates passwords that were verified with the old one.
	hash, ok := passwordHash{rounds: passwordRounds, salt: v.key[:16], sum: make([]byte, sha256.Size)}, false
	if stored != nil {
		if hash, ok = parseHash(stored.Hash); !ok {
			return nil, errors.New("the store has a hash that HashPassword has not made")
		}
	}
	key := v.digest(c, hash)
	if i, known := v.known.get(key); known && ok {
		if slices.Equal(i.Scopes, stored.Scopes) && slices.Equal(i.Roles, stored.Roles) {
			return i, nil
		}
		return passwordIdentity(c.User, stored), nil // the store may have changed the user's scopes and roles
	}
	if err := c.tooManyFailures(); err != nil {
		return nil, err
	}
	client := clientlimit.Of("", c.Address)
	if err := v.begin(ctx, client); err != nil {
		return nil, err
	}
	err = c.tooManyFailures() // earlier attempts may have failed while this one waited
	if err == nil {
		// An unknown user takes as long as a known one.
		same := subtle.ConstantTimeCompare(v.derive(c.Password, hash.salt, hash.rounds), hash.sum) == 1
		if !same || !ok { // counted before the next attempt starts
			err = &invalid{reason: "user name or password is wrong", counted: c.countFailure()}
		}
	}
	v.running.Leave(client)
	if err != nil {
		return nil, err
	}
	i := passwordIdentity(c.User, stored)
	v.known.put(key, i, entryBytes+len(c.User), time.Now().Add(passwordTime))
	return i, nil
}

func passwordIdentity(user string, p *Password) *Identity {
	return &Identity{Subject: user, Scopes: p.Scopes, Roles: p.Roles, Method: "basic", Machine: true}
}

// tooManyFailures returns an error if the address of the credential has too many failures.
func (c *Credential) tooManyFailures() error {
	if c.guard != nil && c.guard.failures.exceeded(c.Address) {
		return refuse("too many passwords of the address have been refused")
	}
	return nil
}

// countFailure counts a failure for the address of the credential. It reports whether there is a
// guard that counts.
func (c *Credential) countFailure() bool {
	if c.guard == nil {
		return false
	}
	c.guard.failures.add(c.Address)
	return true
}

// errPasswordsWait is returned for a password that would wait too long. It does not mean that the
// password is wrong.
var errPasswordsWait = errors.New("too many passwords are being verified")

// begin waits until a derivation may run for a client.
func (v *basic) begin(ctx context.Context, client clientlimit.Client) error {
	ctx, cancel := context.WithTimeoutCause(ctx, passwordPatient, errPasswordsWait)
	defer cancel()
	err := v.running.Enter(ctx, client)
	if errors.Is(err, turns.ErrFull) {
		return errPasswordsWait
	}
	return err
}

// digest returns the cache key of a verified password. An attacker who reads the memory cannot test
// passwords against it without the key of the process.
func (v *basic) digest(c *Credential, hash passwordHash) (d digest) {
	code := hmac.New(sha256.New, v.key)
	for _, s := range []string{c.User, c.Password, string(hash.sum)} {
		fmt.Fprintf(code, "%d:%s", len(s), s)
	}
	code.Sum(d[:0])
	return d
}
