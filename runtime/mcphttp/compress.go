package mcphttp

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"sync"
)

// minCompressed is the size of the smallest reply that is compressed.
const minCompressed = 8 << 10

// compress returns the body of a JSON reply for the client, and sets the header fields. A
// compressed body is appended to b; otherwise body itself is returned. Event streams are never
// compressed: each event would have to be flushed, which middleware and proxies do not do by
// themselves.
func compress(answer, request http.Header, b, body []byte) []byte {
	if len(body) < minCompressed || answer.Get("Content-Encoding") != "" {
		return body
	}
	if len(request["Accept-Encoding"]) == 0 {
		return body // the response is valid for every client
	}
	answer.Add("Vary", "Accept-Encoding")
	if !acceptsGzip(request) {
		return body
	}
	start := len(b)
	b = gzipTo(b, body)
	if len(b)-start >= len(body) {
		return body
	}
	answer.Set("Content-Encoding", "gzip")
	return b[start:]
}

// acceptsGzip reports whether a client accepts gzip (RFC 9110, section 12.5.3): Accept-Encoding
// covers gzip, and does not prefer identity. Without the field, replies are not compressed.
func acceptsGzip(h http.Header) bool {
	var zipped, plain preference
	for _, line := range h["Accept-Encoding"] {
		for line != "" {
			var element string
			element, line = cutOff(line, ',')
			switch coding, q := weigh(element); {
			case strings.EqualFold(coding, "gzip"), strings.EqualFold(coding, "x-gzip"):
				zipped.consider(2, q)
			case strings.EqualFold(coding, "identity"):
				plain.consider(2, q)
			case coding == "*":
				zipped.consider(1, q)
			}
		}
	}
	return zipped.q > 0 && zipped.q >= plain.q
}

// gzipWriters are reused: a writer costs a millisecond and a megabyte.
var gzipWriters = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is valid
	}
	return z
}}

// gzipTo appends src, compressed (RFC 1952).
func gzipTo(b, src []byte) []byte {
	out := appender(b)
	z := gzipWriters.Get().(*gzip.Writer)
	z.Reset(&out)
	_, err := z.Write(src)
	if closing := z.Close(); err == nil {
		err = closing
	}
	if err != nil {
		panic(err) // an appender cannot fail
	}
	z.Reset(io.Discard) // the pool must not keep the reply alive
	gzipWriters.Put(z)
	return out
}

type appender []byte

func (a *appender) Write(b []byte) (int, error) {
	*a = append(*a, b...)
	return len(b), nil
}
