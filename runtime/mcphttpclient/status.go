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

// maxStatusBody limits the part of a response's body in an error, and maxLocation the target of a
// redirect, in bytes.
const (
	maxStatusBody = 4 << 10
	maxLocation   = 2 << 10
)

// status returns the error for a response without a reply, and closes the response.
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

// readAll reads a body within MessageBytes, into a buffer of the pool. If there is an error, it
// also returns the bytes that were read before.
func (e *exchange) readAll(resp *http.Response) ([]byte, error) {
	limit := e.conn.o.Limits.MessageBytes
	if resp.ContentLength > int64(limit) {
		return nil, tooLargeMessage(limit)
	}
	// If Content-Length is small, the storage is allocated at once, with one byte more for the read
	// that detects the end.
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

// endsByClose reports whether the body ends when the connection is closed (RFC 9112, section 6.3),
// so that net/http cannot know whether the body is complete.
func endsByClose(resp *http.Response) bool {
	return resp.ContentLength < 0 && resp.ProtoMajor == 1 && len(resp.TransferEncoding) == 0
}

func tooLargeMessage(limit int) error { return &dial.TooLarge{What: "message", Limit: limit} }

// maxRetrySeconds limits the value of a server so that it fits into a time.Duration.
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
