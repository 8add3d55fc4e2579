// Package seal encrypts and authenticates texts that clients carry for a server: clients can
// neither read nor change them. Package mcp seals request states with it, and signs cursors of
// lists.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
)

// MinKey is the least size of a key, in bytes.
const MinKey = 16

// Keyring seals and opens texts. Its keys do not change, so many goroutines may use it.
type Keyring struct {
	keys []key // the first one seals, all of them open
}

type key struct {
	id     [4]byte // identifies the key in a sealed text, and does not reveal it
	secret []byte
}

// NewKeyring returns a keyring of the keys or, without any, of a random key that lives as long as
// the process. A key of fewer than [MinKey] bytes is an error.
func NewKeyring(secrets [][]byte) (*Keyring, error) {
	if len(secrets) == 0 {
		random := make([]byte, 32)
		rand.Read(random) // never fails
		secrets = [][]byte{random}
	}
	k := new(Keyring)
	for _, secret := range secrets {
		if len(secret) < MinKey {
			return nil, fmt.Errorf("a state key has %d bytes, and must have %d", len(secret), MinKey)
		}
		one := key{secret: append([]byte(nil), secret...)}
		copy(one.id[:], derive(one.secret, nil, "key id", len(one.id)))
		k.keys = append(k.keys, one)
	}
	return k, nil
}

// A sealed text is base64url of a version, the id of the key, a salt, and the text encrypted with
// AES-256-GCM. Each text has an encryption key of its own, derived from key, salt and purpose by
// HKDF (RFC 5869). No encryption key is used twice, so the nonce may be constant, and the number of
// texts for one key has no limit.
const (
	version    = 1
	saltSize   = 24
	headerSize = 1 + 4 + saltSize
)

// Seal encrypts a text. It can be opened for the same purpose only.
func (k *Keyring) Seal(purpose string, text []byte) string {
	return base64.RawURLEncoding.EncodeToString(k.SealBytes(purpose, text))
}

// SealBytes is like Seal for binary storage.
func (k *Keyring) SealBytes(purpose string, text []byte) []byte {
	b := make([]byte, headerSize, headerSize+len(text)+16)
	b[0] = version
	copy(b[1:], k.keys[0].id[:])
	rand.Read(b[headerSize-saltSize : headerSize])
	aead := k.keys[0].aead(b[headerSize-saltSize:headerSize], purpose)
	return aead.Seal(b, make([]byte, aead.NonceSize()), text, b[:headerSize])
}

// Open decrypts a result of Seal for the purpose, by this keyring or one with the same key. For any
// other text, ok is false.
func (k *Keyring) Open(purpose, sealed string) (text []byte, ok bool) {
	if strings.ContainsAny(sealed, "\r\n") { // the decoder would skip line ends
		return nil, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil {
		return nil, false
	}
	return k.OpenBytes(purpose, b)
}

// OpenBytes is like Open for a result of SealBytes.
func (k *Keyring) OpenBytes(purpose string, b []byte) (text []byte, ok bool) {
	if len(b) < headerSize || b[0] != version {
		return nil, false
	}
	for _, key := range k.keys {
		if string(key.id[:]) != string(b[1:1+len(key.id)]) {
			continue
		}
		aead := key.aead(b[headerSize-saltSize:headerSize], purpose)
		text, err := aead.Open(nil, make([]byte, aead.NonceSize()), b[headerSize:], b[:headerSize])
		if err == nil {
			return text, true
		}
	}
	return nil, false
}

// MACSize is the size of the result of [Keyring.MAC], in bytes.
const MACSize = 16

// MAC returns a code that proves that this keyring saw the text, for a text that may be read. Equal
// texts have equal codes: HMAC-SHA-256 under a key derived for the purpose.
func (k *Keyring) MAC(purpose string, text []byte) []byte { return k.keys[0].mac(purpose, text) }

// CheckMAC reports whether the code was made for the text and the purpose by this keyring or one
// with the same key. It takes the same time for every wrong code.
func (k *Keyring) CheckMAC(purpose string, text, code []byte) bool {
	made := false
	for i := range k.keys {
		made = hmac.Equal(code, k.keys[i].mac(purpose, text)) || made
	}
	return made
}

func (k *key) mac(purpose string, text []byte) []byte {
	h := hmac.New(sha256.New, derive(k.secret, nil, purpose, sha256.Size))
	h.Write(text)
	return h.Sum(nil)[:MACSize]
}

func (k *key) aead(salt []byte, purpose string) cipher.AEAD {
	block, err := aes.NewCipher(derive(k.secret, salt, purpose, 32))
	if err != nil {
		panic(err) // the size is right
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	return aead
}

func derive(secret, salt []byte, purpose string, size int) []byte {
	key, err := hkdf.Key(sha256.New, secret, salt, "github.com/mcpgen/mcpgen "+purpose, size)
	if err != nil {
		panic(err) // the size is right
	}
	return key
}
