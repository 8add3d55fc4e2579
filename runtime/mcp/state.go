package mcp

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
)

// MinStateKey is the least size of a key of [WithStateKeys], in bytes.
const MinStateKey = 16

// keyring seals what clients carry for the server: they can neither read nor
// change it. Its keys are not changed after it is made.
type keyring struct {
	keys []sealingKey // the first one seals, all of them open
}

type sealingKey struct {
	id     [4]byte // tells which key has sealed; it says nothing about the key
	secret []byte
}

// newKeyring returns a keyring of the given keys, or of a random one that lives
// as long as the process where there are none.
func newKeyring(keys [][]byte) keyring {
	if len(keys) == 0 {
		key := make([]byte, 32)
		rand.Read(key) // never fails
		keys = [][]byte{key}
	}
	var k keyring
	for _, key := range keys {
		if len(key) < MinStateKey {
			panic(fmt.Sprintf("mcp: a state key has %d bytes, and must have %d", len(key), MinStateKey))
		}
		s := sealingKey{secret: append([]byte(nil), key...)}
		copy(s.id[:], derive(s.secret, nil, "key id", len(s.id)))
		k.keys = append(k.keys, s)
	}
	return k
}

// A sealed text is base64url of a version, the id of the key, a salt, and the
// text encrypted with AES-256-GCM under a key of its own, derived from key, salt
// and purpose by HKDF (RFC 5869). No key is used twice, so that the nonce may be
// any, and no number of texts wears a key out.
const (
	sealVersion = 1
	saltSize    = 24
	headerSize  = 1 + 4 + saltSize
)

// seal encrypts a text for a purpose. It cannot be opened for another one.
func (k *keyring) seal(purpose string, text []byte) string {
	b := make([]byte, headerSize, headerSize+len(text)+16)
	b[0] = sealVersion
	copy(b[1:], k.keys[0].id[:])
	rand.Read(b[headerSize-saltSize : headerSize])
	aead := k.keys[0].aead(b[headerSize-saltSize:headerSize], purpose)
	b = aead.Seal(b, make([]byte, aead.NonceSize()), text, b[:headerSize])
	return base64.RawURLEncoding.EncodeToString(b)
}

// open decrypts what seal has returned, by this keyring or one with the same
// key. It reports false for everything else.
func (k *keyring) open(purpose, sealed string) ([]byte, bool) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if strings.ContainsAny(sealed, "\r\n") { // which the decoder would skip
		return nil, false
	}
	if err != nil || len(b) < headerSize || b[0] != sealVersion {
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

func (s *sealingKey) aead(salt []byte, purpose string) cipher.AEAD {
	block, err := aes.NewCipher(derive(s.secret, salt, purpose, 32))
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
