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

// Limits for documents of an issuer.
const (
	maxDocumentBytes = 1 << 20
	// maxReplyBytes limits a reply about one token, which is cached.
	maxReplyBytes = 32 << 10
	fetchTime     = 5 * time.Second
	maxRedirects  = 3
)

// fetcher sends requests to an issuer. Errors contain the URL, which the operator or the issuer has
// chosen, and no part of a reply.
type fetcher struct {
	client *http.Client
	most   int // maximum bytes of a reply
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
	if via[0].Method != http.MethodGet { // a request with credentials is not redirected
		return errRedirect
	}
	return nil
}

// object sends a request, and reads the JSON object in a response with status 200.
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
		// The error of net/http contains the whole URL, or the URL of a redirect.
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

// statusError is a response with a status other than 200.
type statusError struct {
	place  string
	status int
	code   string // the member error of RFC 6749, section 5.2; "" if absent
}

func (e *statusError) Error() string {
	s := fmt.Sprintf("ask %s: status %d", e.place, e.status)
	if e.code != "" {
		s += ", " + e.code
	}
	return s
}

// maxErrorCode limits the length of an error code.
const maxErrorCode = 64

// errorCode reads the error code in a body. No other part of the body is used in errors, since an
// issuer may repeat the data that it received.
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

// place returns a URL without query and user.
func place(u *url.URL) string { return u.Scheme + "://" + u.Host + u.EscapedPath() }

// checkURL checks a URL to which the server sends requests, or which it publishes.
var checkURL = secureurl.Check
