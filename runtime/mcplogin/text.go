package mcplogin

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/netdial"
)

// quote quotes a string from a server for messages, with limited length and without control
// characters.
func quote(text string) string {
	const most = 300
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return strconv.QuoteToASCII(text)
}

// unquoted is like quote without the quotation marks.
func unquoted(text string) string {
	q := quote(text)
	return q[1 : len(q)-1]
}

// storeKey returns a key of the store: readable at its beginning, and different for different
// texts.
func storeKey(kind string, texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(h, "%d:%s", len(text), text)
	}
	return kind + " " + unquoted(texts[0]) + " " + hex.EncodeToString(h.Sum(nil)[:8])
}

// isLoopbackURL reports whether a URL refers to this machine.
func isLoopbackURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && netdial.IsThisMachine(u.Hostname())
}

// digest returns a short digest of a text, for the name of a file.
func digest(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:8])
}
