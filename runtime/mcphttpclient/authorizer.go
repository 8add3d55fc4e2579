package mcphttpclient

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"net/http"
	"strings"
	"sync"
)

// Authorizer adds credentials to the requests of an [Endpoint]. Its methods may be called by many
// goroutines at once. A request that is cancelled does not wait for a method that ignores its ctx.
type Authorizer interface {
	// Authorize is called before each attempt to send a request, and may set fields of its header.
	// An error fails the request, which is not sent.
	Authorize(ctx context.Context, r *http.Request) error
	// HandleChallenge is called after a response with status 401 or 403. If it returns nil, the
	// request is sent again; a request is sent at most five times in all. It may read 64 KiB of the
	// body of resp, and need not close it. The time that it takes does not count for the request,
	// so that a person can log in.
	HandleChallenge(ctx context.Context, r *http.Request, resp *http.Response) error
	// CacheKey identifies the authorization context, without a secret, so that data which one
	// context has read is not shown to another one. Credentials that a server would refuse must
	// have another key than credentials that it accepts, since cached data is returned without
	// asking the server. If the context is not known, the key is ""; then nothing private is
	// cached.
	CacheKey() string
}

// errNoOther is the error of authorizers with one credential. The status of the response contains
// the details.
var errNoOther = errors.New("there are no other credentials")

// Bearer returns an Authorizer with a token that does not change (RFC 6750).
func Bearer(token string) Authorizer { return Header("Authorization", "Bearer "+token) }

// Basic returns an Authorizer with user name and password (RFC 7617).
func Basic(user, password string) Authorizer {
	r := http.Request{Header: http.Header{}}
	r.SetBasicAuth(user, password)
	return Header("Authorization", r.Header.Get("Authorization"))
}

// Header returns an Authorizer with a header field, as for API keys.
func Header(name, value string) Authorizer {
	name = http.CanonicalHeaderKey(name)
	digest := digestKey
	if scheme, _, _ := strings.Cut(value, " "); name == "Authorization" && strings.EqualFold(scheme, "Basic") {
		digest = processDigest // so that a password chosen by people cannot be guessed from the digest
	}
	return &fixed{name, []string{value}, digest("header", name, value)}
}

// fixed sets one header field.
type fixed struct {
	name   string
	values []string
	key    string
}

func (f *fixed) Authorize(_ context.Context, r *http.Request) error {
	r.Header[f.name] = f.values[:1:1]
	return nil
}

func (f *fixed) HandleChallenge(context.Context, *http.Request, *http.Response) error {
	return errNoOther
}

func (f *fixed) CacheKey() string { return f.key }

// TokenFunc returns an Authorizer that calls a function for the bearer token of each attempt. The
// function may be called by many goroutines at once. After a status 401 it is called once more, and
// the request is sent again if the token has changed.
func TokenFunc(token func(context.Context) (string, error)) Authorizer { return tokenFunc(token) }

type tokenFunc func(context.Context) (string, error)

func (f tokenFunc) Authorize(ctx context.Context, r *http.Request) error {
	token, err := f(ctx)
	if err != nil {
		return err
	}
	r.Header["Authorization"] = []string{"Bearer " + token}
	return nil
}

func (f tokenFunc) HandleChallenge(ctx context.Context, r *http.Request, resp *http.Response) error {
	if resp.StatusCode != http.StatusUnauthorized {
		return errNoOther
	}
	token, err := f(ctx)
	if err == nil && r.Header.Get("Authorization") == "Bearer "+token {
		err = errNoOther
	}
	return err
}

func (tokenFunc) CacheKey() string { return "" }

// digestKey returns a digest that differs for different lists of texts.
func digestKey(texts ...string) string { return digestBy(sha256.New(), texts) }

// processDigest returns a digest with a key of this process, so that other programs cannot compare
// it with guesses.
func processDigest(texts ...string) string {
	return digestBy(hmac.New(sha256.New, processKey()), texts)
}

var processKey = sync.OnceValue(func() []byte {
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // never fails
	return key
})

func digestBy(h hash.Hash, texts []string) string {
	for _, text := range texts {
		fmt.Fprintf(h, "%d:%s", len(text), text)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
