// Bearer accepts HTTP requests with a known bearer token only, and gives each owner of a token
// notes of their own.
//
//	BEARER_TOKENS=s3cret=ada,hidden=bob go run ./bearer -http 8080
//	curl -i http://127.0.0.1:8080/mcp -d '{}' # 401
//	claude mcp add --transport http notes http://127.0.0.1:8080/mcp --header "Authorization: Bearer s3cret"
package main

import (
	"context"
	"crypto/sha256"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

//go:generate go tool mcpgen

func main() {
	owners := parseTokens(os.Getenv("BEARER_TOKENS"))
	mcpcmd.Main(NewMCPServer(&Notes{}), mcpcmd.WithHTTPOptions(mcphttp.WithPrincipal(owners.principal)))
}

// tokens contains owners by token hash, so that the time of a lookup does not reveal a token.
type tokens map[[sha256.Size]byte]string

// parseTokens reads TOKEN=OWNER,TOKEN=OWNER.
func parseTokens(text string) tokens {
	t := tokens{}
	for pair := range strings.SplitSeq(text, ",") {
		if token, owner, ok := strings.Cut(pair, "="); ok && token != "" && owner != "" {
			t[sha256.Sum256([]byte(token))] = owner
		}
	}
	return t
}

// principal returns the owner of the token in a request.
func (t tokens) principal(r *http.Request) (mcp.Principal, error) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	owner := t[sha256.Sum256([]byte(token))]
	if !ok || owner == "" {
		return mcp.Principal{}, &mcphttp.Refusal{
			Status: http.StatusUnauthorized,
			Header: http.Header{"WWW-Authenticate": {`Bearer realm="notes"`}},
		}
	}
	return mcp.Principal{ID: owner}, nil
}

// Notes stores lines of text by owner.
type Notes struct {
	mu    sync.Mutex
	lines map[string][]string
}

// Add adds a note of the caller, and returns all notes of the caller.
//
//mcp:tool additive closedworld name=add_note
//mcp:arg text "one line" minLength=1
func (n *Notes) Add(ctx context.Context, text string) []string {
	owner := mcp.CallFrom(ctx).Principal().ID
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.lines == nil {
		n.lines = map[string][]string{}
	}
	n.lines[owner] = append(n.lines[owner], text)
	return n.lines[owner]
}
