package spec

import (
	"bytes"
	"io"
	"net/http"
)

// Transport is [Tap.Transport] of a new tap.
func Transport(t T, next http.RoundTripper) http.RoundTripper { return NewTap(t).Transport(next) }

// Transport returns a RoundTripper that sends requests with next and validates their messages: the
// client's counterpart of [Tap.Handler].
func (p *Tap) Transport(next http.RoundTripper) http.RoundTripper {
	if p.all == nil {
		return next
	}
	return &transport{next: next, tap: p}
}

type transport struct {
	next http.RoundTripper
	tap  *Tap
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	x := &exchange{conversation: t.tap.conversationOf(r)}
	if r.Body != nil && r.Body != http.NoBody && r.Method == http.MethodPost {
		text, err := io.ReadAll(r.Body)
		_ = r.Body.Close()
		if err != nil {
			return nil, err
		}
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(text))
		x.asked(text)
	}
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	x.begin(resp.Header)
	resp.Body = &answered{ReadCloser: resp.Body, exchange: x}
	return resp, nil
}

// answered is the body of a response.
type answered struct {
	io.ReadCloser
	exchange *exchange
}

func (a *answered) Read(b []byte) (int, error) {
	n, err := a.ReadCloser.Read(b)
	a.exchange.written(b[:n], nil)
	if err == io.EOF {
		a.exchange.end()
	}
	return n, err
}
