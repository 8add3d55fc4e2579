package mcphttpclient

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/bufpool"
	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/discarded"
	"github.com/mcpgen/mcpgen/runtime/internal/httpfield"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// maxStatusBody is how many bytes of the body of another response an error keeps, and
// maxLocation how many of the target of a redirect.
const (
	maxStatusBody = 4 << 10
	maxLocation   = 2 << 10
)

// status returns the error for a response that has no reply, and closes the response.
func (e *exchange) status(resp *http.Response) *dial.Status {
	defer discard(resp)
	s := &dial.Status{
		Status: resp.StatusCode, ContentType: resp.Header.Get("Content-Type"), RetryAfter: retryAfter(resp.Header),
	}
	if resp.StatusCode/100 == 3 {
		s.Location = "another place, which it does not name"
		if to := location(resp.Request.URL, resp); to != nil {
			to.User = nil
			s.Location = to.String()
			s.Location = s.Location[:min(len(s.Location), maxLocation)]
		}
	}
	if !httpfield.IsJSON(s.ContentType) {
		s.Body, _ = io.ReadAll(io.LimitReader(resp.Body, maxStatusBody))
		return s
	}
	data, err := e.readAll(resp)
	s.Body = bytes.Clone(data[:min(len(data), maxStatusBody)])
	if err == nil {
		if _, failed := jsonrpc.Parse(data); failed == nil {
			s.Message = bytes.Clone(data)
		}
	}
	bufpool.Put(data)
	return s
}

// readAll reads a body within MessageBytes, into a buffer of the pool. What was read before
// an error is returned too.
func (e *exchange) readAll(resp *http.Response) ([]byte, error) {
	limit := e.conn.o.Limits.MessageBytes
	if resp.ContentLength > int64(limit) {
		return nil, tooLargeMessage(limit)
	}
	// Storage for Content-Length is allocated at once, if that is not much; one byte more for
	// the read that gets the end.
	b := bufpool.Get(int(min(max(resp.ContentLength, 0), 64<<10)) + 1)
	for {
		n, err := resp.Body.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case len(b) > limit:
			return b, tooLargeMessage(limit)
		case err == io.EOF && endsByClose(resp) && discarded.IsCut(b):
			return b, e.failure(io.ErrUnexpectedEOF, true)
		case err == io.EOF:
			return b, nil
		case err != nil:
			return b, e.failure(err, true)
		case len(b) == cap(b):
			b = bufpool.Grow(b, 1)
		}
	}
}

// endsByClose reports whether the end of the connection is the end of the body (RFC 9112,
// section 6.3), so that net/http cannot know whether the body is complete.
func endsByClose(resp *http.Response) bool {
	return resp.ContentLength < 0 && resp.ProtoMajor == 1 && len(resp.TransferEncoding) == 0
}

func tooLargeMessage(limit int) error { return &dial.TooLarge{What: "message", Limit: limit} }

// maxRetrySeconds keeps what a server asks for within a time.Duration.
const maxRetrySeconds = 1_000_000_000

// retryAfter reads the field Retry-After, seconds or a date (RFC 9110, section 10.2.3).
func retryAfter(h http.Header) time.Duration {
	text := httpfield.Trim(h.Get("Retry-After"))
	if httpfield.IsDigits(text) {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			seconds = maxRetrySeconds
		}
		return time.Duration(min(seconds, maxRetrySeconds)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}
