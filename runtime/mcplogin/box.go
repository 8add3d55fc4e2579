package mcplogin

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"fmt"
)

// boxKey is the key of the store under which the encryption key for pending logins is stored.
const boxKey = "pending logins"

// box returns the cipher for logins between Begin and Finish. Its key is in the store, so that all
// replicas have it.
func (l *Login) box(ctx context.Context) (cipher.AEAD, error) {
	var key []byte
	if !l.load(ctx, boxKey, &key) || len(key) != 32 {
		unlock, err := l.store.Lock(ctx, boxKey)
		if err != nil {
			return nil, fmt.Errorf("lock the store: %w", err)
		}
		defer unlock()
		if !l.load(ctx, boxKey, &key) || len(key) != 32 {
			key = make([]byte, 32)
			_, _ = rand.Read(key) // never fails
			if err := l.save(ctx, boxKey, key); err != nil {
				return nil, err
			}
		}
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}
