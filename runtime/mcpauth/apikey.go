package mcpauth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"strings"
	"time"
	"unicode"
)

// The form of an API key: the prefix, 26 random characters, and a checksum of 7. The checksum shows
// a mistyped or truncated key without a lookup, and lets secret scanners recognise keys.
const (
	keyPrefix   = "mcp_"
	keyRandom   = 26
	keyChecksum = 7
	maxKeyName  = 128
)

var keyEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// Key is the stored form of an API key. It does not contain the key itself.
type Key struct {
	Name    string    `json:"name"`             // the subject of the identity
	SHA256  string    `json:"sha256"`           // of the key, in hexadecimal digits
	Scopes  []string  `json:"scopes,omitempty"` //
	Roles   []string  `json:"roles,omitempty"`
	Expires time.Time `json:"expires,omitzero"` // zero means never
}

// KeyStore looks up API keys. Its method must be safe for concurrent use.
type KeyStore interface {
	// Key returns the key with this SHA-256, or nil if it does not exist. An error means that the
	// lookup failed.
	Key(ctx context.Context, sum [sha256.Size]byte) (*Key, error)
}

// NewKey generates an API key: the text for the client, with 130 random bits, and its stored form.
func NewKey(name string, scopes ...string) (text string, key Key) {
	text = keyPrefix + rand.Text()[:keyRandom]
	text += checksumOf(text)
	sum := sha256.Sum256([]byte(text))
	return text, Key{Name: name, SHA256: hex.EncodeToString(sum[:]), Scopes: scopes}
}

func checksumOf(s string) string {
	return keyEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(s))))
}

// isKey reports whether a text has the form of an API key.
func isKey(s string) bool {
	const size = len(keyPrefix) + keyRandom
	return len(s) == size+keyChecksum && strings.HasPrefix(s, keyPrefix) && checksumOf(s[:size]) == s[size:]
}

// APIKeys returns a Verifier for the keys of a store. Clients send a key with the scheme Bearer or
// in the header field Options.KeyHeader.
func APIKeys(store KeyStore) Verifier { return apiKeys{store} }

type apiKeys struct{ store KeyStore }

func (v apiKeys) configuration() error {
	if v.store == nil {
		return errors.New("the store of APIKeys is nil")
	}
	if c, ok := v.store.(interface{ configuration() error }); ok {
		if err := c.configuration(); err != nil {
			return fmt.Errorf("read keys: %w", err)
		}
	}
	return nil
}

// logTo is called by New.
func (v apiKeys) logTo(l *slog.Logger) {
	if s, ok := v.store.(interface{ logTo(*slog.Logger) }); ok {
		s.logTo(l)
	}
}

func (v apiKeys) describe(d *description) { d.bearer = true }

func (v apiKeys) Verify(ctx context.Context, c *Credential) (*Identity, error) {
	if c.Scheme != SchemeKey && (c.Scheme != SchemeBearer || !strings.HasPrefix(c.Token, keyPrefix)) {
		return nil, ErrNotMine
	}
	if !isKey(c.Token) {
		return nil, refuse("the API key is mistyped or cut")
	}
	// The lookup uses a digest, so that its duration reveals nothing about the key.
	sum := sha256.Sum256([]byte(c.Token))
	key, err := v.store.Key(ctx, sum)
	switch {
	case err != nil:
		return nil, fmt.Errorf("find API key: %w", err)
	case key == nil:
		return nil, refuse("the API key is not known")
	case !key.Expires.IsZero() && !time.Now().Before(key.Expires):
		return nil, refuse("the API key has expired")
	}
	return &Identity{
		Subject: key.Name, Scopes: key.Scopes, Roles: key.Roles, Expires: key.Expires,
		TokenID: hex.EncodeToString(sum[:4]), Method: "key", Machine: true,
	}, nil
}

// Keys is an immutable KeyStore. ReadKeys returns one.
type Keys map[[sha256.Size]byte]*Key

// Key returns a key.
func (k Keys) Key(_ context.Context, sum [sha256.Size]byte) (*Key, error) { return k[sum], nil }

// ReadKeys reads keys from JSON: {"keys": [{"name": "...", "sha256": "...", "scopes": [...],
// "roles": [...], "expires": "2027-01-01T00:00:00Z"}]}. Names and digests differ. Unknown members
// are errors.
func ReadKeys(text []byte) (Keys, error) {
	var file struct {
		Keys []Key `json:"keys"`
	}
	if err := readStrict(text, &file); err != nil {
		return nil, err
	}
	if file.Keys == nil {
		return nil, errors.New("there is no list of keys")
	}
	keys, names := Keys{}, map[string]bool{}
	for n, k := range file.Keys {
		sum, err := hex.DecodeString(k.SHA256)
		switch {
		case !isKeyName(k.Name):
			return nil, fmt.Errorf("the name of key %d is empty, longer than %d bytes, or has characters that are not visible", n, maxKeyName)
		case names[k.Name]:
			return nil, fmt.Errorf("there are two keys with the name %s", k.Name)
		case err != nil || len(sum) != sha256.Size:
			return nil, fmt.Errorf("sha256 of key %s does not have 64 hexadecimal digits", k.Name)
		case keys[[sha256.Size]byte(sum)] != nil:
			return nil, fmt.Errorf("key %s is that of another name", k.Name)
		}
		if err := checkScopes(k.Scopes); err != nil {
			return nil, fmt.Errorf("scopes of key %s: %w", k.Name, err)
		}
		names[k.Name], keys[[sha256.Size]byte(sum)] = true, &k
	}
	return keys, nil
}

func isKeyName(s string) bool {
	return s != "" && len(s) <= maxKeyName && !strings.ContainsFunc(s, func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsGraphic(r) })
}

// readStrict reads a JSON file into a struct. Duplicate and unknown members are errors, which do
// not quote the file.
func readStrict(text []byte, into any) error {
	if _, err := readObject(text); err != nil {
		return err
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// KeysFile returns a store for a file that [ReadKeys] reads. If the file cannot be read at first,
// [New] returns an error. The store reads the file again when it changes; if the new content is
// invalid, it logs that and keeps the previous keys.
func KeysFile(path string) KeyStore { return keysFile{watch(path, ReadKeys)} }

type keysFile struct{ *watched[Keys] }

func (f keysFile) Key(ctx context.Context, sum [sha256.Size]byte) (*Key, error) {
	if f.wrong != nil {
		return nil, f.wrong
	}
	return f.get().Key(ctx, sum)
}
