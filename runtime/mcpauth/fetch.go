package mcpauth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/internal/secureurl"
)

// Limits of documents of an issuer.
const (
	maxDocumentBytes = 1 << 20
	// maxReplyBytes is the size of a reply about one token, which is kept.
	maxReplyBytes = 32 << 10
	fetchTime     = 5 * time.Second
	maxRedirects  = 3
)

// fetcher asks an issuer. Errors have the URL, which is the operator's or the issuer's, and no
// text of a reply.
type fetcher struct {
	client *http.Client
	most   int // bytes of a reply
}

// newFetcher returns a fetcher that uses the Transport of a client, which may be nil.
func newFetcher(c *http.Client, most int) fetcher {
	own := &http.Client{CheckRedirect: sameOriginOnly}
	if c != nil {
		own.Transport = c.Transport
	}
	return fetcher{own, most}
}

var errRedirect = errors.New("a redirect leads to another origin, or there are too many")

func sameOriginOnly(r *http.Request, via []*http.Request) error {
	first := via[0].URL
	if len(via) > maxRedirects || r.URL.Scheme != first.Scheme || r.URL.Host != first.Host {
		return errRedirect
	}
	if via[0].Method != http.MethodGet { // a question with credentials is not sent on
		return errRedirect
	}
	return nil
}

// object sends a request, and reads the JSON object of a response with status 200.
func (f fetcher) object(ctx context.Context, r *http.Request) (map[string]any, error) {
	body, err := f.body(ctx, r)
	if err != nil {
		return nil, err
	}
	object, err := readObject(body)
	if err != nil {
		return nil, fmt.Errorf("read reply of %s: %w", place(r.URL), err)
	}
	return object, nil
}

func (f fetcher) body(ctx context.Context, r *http.Request) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	r.Header.Set("Accept", "application/json")
	resp, err := f.client.Do(r.WithContext(ctx))
	if err != nil {
		// The error of net/http has the whole URL, or that of a redirect.
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err
		}
		return nil, fmt.Errorf("ask %s: %w", place(r.URL), err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, &statusError{place(r.URL), resp.StatusCode, errorCode(resp.Body)}
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(f.most)+1))
	if err != nil {
		return nil, fmt.Errorf("read reply of %s: %w", place(r.URL), err)
	}
	if len(body) > f.most {
		return nil, fmt.Errorf("the reply of %s has more than %d bytes", place(r.URL), f.most)
	}
	return body, nil
}

// statusError is a response with another status than 200.
type statusError struct {
	place  string
	status int
	code   string // the member error of RFC 6749, section 5.2; "" without it
}

func (e *statusError) Error() string {
	s := fmt.Sprintf("ask %s: status %d", e.place, e.status)
	if e.code != "" {
		s += ", " + e.code
	}
	return s
}

// maxErrorCode is the length of the longest code that is looked at.
const maxErrorCode = 64

// errorCode reads the code of an error. Nothing else of a body gets into an error: an issuer may
// repeat there what it was sent.
func errorCode(body io.Reader) string {
	text, err := io.ReadAll(io.LimitReader(body, 16<<10))
	if err != nil {
		return ""
	}
	object, _ := readObject(text)
	code, _ := object["error"].(string)
	if len(code) > maxErrorCode || strings.Trim(code, "abcdefghijklmnopqrstuvwxyz_") != "" {
		return ""
	}
	return code
}

func (f fetcher) get(ctx context.Context, at string) (map[string]any, error) {
	r, err := http.NewRequest(http.MethodGet, at, nil)
	if err != nil {
		return nil, errors.New("the URL is not valid")
	}
	return f.object(ctx, r)
}

// place is a URL without query and user.
func place(u *url.URL) string { return u.Scheme + "://" + u.Host + u.EscapedPath() }

// checkURL checks a URL that the server asks, or names to clients.
var checkURL = secureurl.Check
