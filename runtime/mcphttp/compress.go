package mcphttp

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"sync"
)

// compressFrom is how many bytes an answer has at least for it to be worth it.
const compressFrom = 8 << 10

// compress returns the body of a plain answer as the client shall get it, and sets
// the header fields that say so. What is compressed is appended to b; otherwise
// body itself is returned. Event streams are never compressed: each event would
// have to be flushed, which middleware and proxies do not do by themselves.
func compress(answer, request http.Header, b, body []byte) []byte {
	if len(body) < compressFrom || answer.Get("Content-Encoding") != "" {
		return body
	}
	if len(request["Accept-Encoding"]) == 0 {
		return body // which everybody can read
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

// acceptsGzip reports whether a client wants answers compressed by gzip (RFC 9110,
// section 12.5.3): it names gzip, or everything, and does not like plain answers
// more. One that says nothing gets them plain.
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

// zippers are compressors, which take a millisecond and a megabyte to make.
var zippers = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // there is such a level
	}
	return z
}}

// gzipTo appends src, compressed (RFC 1952).
func gzipTo(b, src []byte) []byte {
	out := appender(b)
	z := zippers.Get().(*gzip.Writer)
	z.Reset(&out)
	_, err := z.Write(src)
	if closing := z.Close(); err == nil {
		err = closing
	}
	if err != nil {
		panic(err) // an appender takes everything
	}
	z.Reset(io.Discard) // the pool shall not hold on to the answer
	zippers.Put(z)
	return out
}

type appender []byte

func (a *appender) Write(b []byte) (int, error) {
	*a = append(*a, b...)
	return len(b), nil
}
