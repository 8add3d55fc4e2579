package mcp

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// StatusError is the failure of a service that a tool calls over HTTP: its response has a status of
// at least 400, or does not contain the value that the tool returns. Generated code returns it for
// functions whose //mcp:result is a field of such a response; functions may return it, too. Like
// any error message, its message is a part of the reply to the client.
type StatusError struct {
	Code   int    // 404
	Status string // such as "404 Not Found", the Status of [net/http.Response]; may be empty
	Body   []byte // of the response; may be nil
}

// maxStatusBody limits the part of a body in the error message, in bytes.
const maxStatusBody = 4 << 10

// Is reports whether the target is [ErrNotFound], which the statuses 404 and 410 mean.
func (e *StatusError) Is(target error) bool {
	return target == ErrNotFound && (e.Code == 404 || e.Code == 410)
}

// Error returns the status and the body, if that is text, up to 4 KiB.
func (e *StatusError) Error() string {
	code := strconv.Itoa(e.Code)
	text := strings.TrimSpace("status " + code + " " + strings.TrimPrefix(e.Status, code))
	text = strings.Replace(text, "  ", " ", 1)
	if e.Code < 400 {
		text += ", without the expected value"
	}
	body, rest := e.Body, ""
	if len(body) > maxStatusBody {
		body, rest = body[:maxStatusBody], "…"
		for n := 1; n < utf8.UTFMax && !utf8.Valid(body); n++ {
			body = body[:len(body)-1] // the rest of a truncated character
		}
	}
	if !utf8.Valid(body) {
		return text
	}
	if content := strings.TrimSpace(string(body)); content != "" {
		text += ": " + content + rest
	}
	return text
}
