package seal_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/seal"
)

func keyring(t testing.TB, secrets ...[]byte) *seal.Keyring {
	t.Helper()
	k, err := seal.NewKeyring(secrets)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestKeyring(t *testing.T) {
	a, b := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 16)
	sealed := keyring(t, a).Seal("p", []byte("very secret"))
	for _, test := range []struct {
		name    string
		ring    *seal.Keyring
		purpose string
		sealed  string
		opens   bool
	}{
		{"the same", keyring(t, a), "p", sealed, true},
		{"rotated", keyring(t, b, a), "p", sealed, true},
		{"another key", keyring(t, b), "p", sealed, false},
		{"a random key", keyring(t), "p", sealed, false},
		{"another purpose", keyring(t, a), "q", sealed, false},
		{"padded", keyring(t, a), "p", sealed + "=", false},
		{"longer", keyring(t, a), "p", sealed + "A", false},
		{"a line break", keyring(t, a), "p", sealed[:10] + "\n" + sealed[10:], false},
		{"empty", keyring(t, a), "p", "", false},
	} {
		text, ok := test.ring.Open(test.purpose, test.sealed)
		if ok != test.opens || (ok && string(text) != "very secret") {
			t.Errorf("%s: opened %v, %q", test.name, ok, text)
		}
	}
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil || bytes.Contains(raw, []byte("secret")) {
		t.Errorf("the sealed text shows: %q, %v", raw, err)
	}
	for i := range raw {
		changed := bytes.Clone(raw)
		changed[i] ^= 1
		if _, ok := keyring(t, a).Open("p", base64.RawURLEncoding.EncodeToString(changed)); ok {
			t.Errorf("byte %d may be changed", i)
		}
		if _, ok := keyring(t, a).Open("p", base64.RawURLEncoding.EncodeToString(raw[:i])); ok {
			t.Errorf("it may be cut at %d", i)
		}
	}
	if one, two := keyring(t, a).Seal("p", nil), keyring(t, a).Seal("p", nil); one == two {
		t.Error("two texts are sealed alike")
	}
	if _, err := seal.NewKeyring([][]byte{a, a[:seal.MinKey-1]}); err == nil || !strings.Contains(err.Error(), "15 bytes") {
		t.Errorf("a short key: %v", err)
	}
}

// TestKeysAreCopied changes a key after the keyring is made.
func TestKeysAreCopied(t *testing.T) {
	secret := bytes.Repeat([]byte{1}, 32)
	k := keyring(t, secret)
	sealed := k.Seal("p", []byte("x"))
	secret[0] = 2
	if text, ok := k.Open("p", sealed); !ok || string(text) != "x" {
		t.Errorf("opened %v, %q", ok, text)
	}
}

func TestMAC(t *testing.T) {
	a, b := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 16)
	code := keyring(t, a).MAC("p", []byte("text"))
	if len(code) != seal.MACSize || !bytes.Equal(code, keyring(t, a, b).MAC("p", []byte("text"))) {
		t.Errorf("another code: %x", code)
	}
	changed := bytes.Clone(code)
	changed[seal.MACSize-1] ^= 1
	for _, test := range []struct {
		name          string
		ring          *seal.Keyring
		purpose, text string
		code          []byte
		fits          bool
	}{
		{"the same", keyring(t, a), "p", "text", code, true},
		{"rotated", keyring(t, b, a), "p", "text", code, true},
		{"another key", keyring(t, b), "p", "text", code, false},
		{"another purpose", keyring(t, a), "q", "text", code, false},
		{"another text", keyring(t, a), "p", "texts", code, false},
		{"another code", keyring(t, a), "p", "text", changed, false},
		{"shorter", keyring(t, a), "p", "text", code[:seal.MACSize-1], false},
		{"empty", keyring(t, a), "p", "text", nil, false},
	} {
		if got := test.ring.CheckMAC(test.purpose, []byte(test.text), test.code); got != test.fits {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

func FuzzOpen(f *testing.F) {
	ring := keyring(f, bytes.Repeat([]byte{1}, 32))
	f.Add(ring.Seal("requestState", []byte("x")))
	f.Add("")
	f.Add("AQAAAAA")
	f.Add(base64.RawURLEncoding.EncodeToString(make([]byte, 80)))
	other := keyring(f, bytes.Repeat([]byte{1}, 32))
	f.Fuzz(func(t *testing.T, sealed string) {
		// Only the ring makes texts that it opens; the corpus contains one.
		if text, ok := other.Open("requestState", sealed); ok && string(text) != "x" {
			t.Errorf("%q opens as %q", sealed, text)
		}
	})
}

// sealedAs seals a text with a header that the test chooses, in the format that seal.go describes.
func sealedAs(t *testing.T, secret []byte, version byte, keyID []byte, text string) string {
	t.Helper()
	derived := func(salt []byte, purpose string, size int) []byte {
		b, err := hkdf.Key(sha256.New, secret, salt, "github.com/mcpgen/mcpgen "+purpose, size)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if keyID == nil {
		keyID = derived(nil, "key id", 4)
	}
	salt := bytes.Repeat([]byte{7}, 24)
	header := append(append([]byte{version}, keyID...), salt...)
	block, err := aes.NewCipher(derived(salt, "p", 32))
	if err != nil {
		t.Fatal(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(aead.Seal(header, make([]byte, 12), []byte(text), header))
}

// TestFormat opens texts that are encrypted with the right key. Only texts with the right header
// and encoding are opened.
func TestFormat(t *testing.T) {
	secret := bytes.Repeat([]byte{1}, 32)
	const text = "twelve bytes" // base64 ends with a whole group
	good := sealedAs(t, secret, 1, nil, text)
	for _, test := range []struct {
		name, sealed string
		opens        bool
	}{
		{"right", good, true},
		{"another version", sealedAs(t, secret, 2, nil, text), false},
		{"another key id", sealedAs(t, secret, 1, make([]byte, 4), text), false},
		{"no base64 behind it", good + "!", false},
		{"padding behind it", good + "====", false},
	} {
		got, ok := keyring(t, secret).Open("p", test.sealed)
		if ok != test.opens || ok && string(got) != text {
			t.Errorf("%s: opened %v, %q", test.name, ok, got)
		}
	}
}

// Binary sealed texts have the same form.
func TestSealBytes(t *testing.T) {
	ring := keyring(t, bytes.Repeat([]byte{1}, 32))
	sealed := ring.SealBytes("p", []byte("very secret"))
	if bytes.Contains(sealed, []byte("secret")) {
		t.Error("the text can be read")
	}
	if text, ok := ring.OpenBytes("p", sealed); !ok || string(text) != "very secret" {
		t.Errorf("%q, %v", text, ok)
	}
	if text, ok := ring.Open("p", base64.RawURLEncoding.EncodeToString(sealed)); !ok || string(text) != "very secret" {
		t.Errorf("%q, %v", text, ok)
	}
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		if _, ok := ring.OpenBytes("p", changed); ok {
			t.Errorf("byte %d is changed", i)
		}
	}
	for n := range sealed {
		if _, ok := ring.OpenBytes("p", sealed[:n]); ok {
			t.Errorf("%d bytes are opened", n)
		}
	}
	if _, ok := ring.OpenBytes("q", sealed); ok {
		t.Error("another purpose")
	}
}
