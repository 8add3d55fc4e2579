package mcpclient

import (
	"errors"
	"strings"
	"testing"
)

// The message for a status contains the readable part of the body, without repetition.
func TestStatusText(t *testing.T) {
	for body, want := range map[string]string{
		"": "", "  \n": "",
		"not today\nor tomorrow": `: "not today"`,
		`{"jsonrpc":"2.0","error":{"code":-32603,"message":"the request needs a \"credential\""}}`: `: "the request needs a \"credential\""`,
		`{"error":"invalid_token","error_description":"it has expired"}`:                           `: "it has expired"`,
		`{"error":"invalid_token"}`:                                 `: "invalid_token"`,
		`{"title":"Forbidden","detail":"not for you","status":403}`: `: "not for you"`,
		`{"message":"Unauthorized"}`:                                `: "Unauthorized"`,
		`{"error":{"message":{"nested":true}},"message":"outer"}`:   `: "outer"`,
		`{"error":{"code":1}}`:                                      "", `{"error":null}`: "", `{"message":""}`: "", `{"ok":false}`: "", `[{"message":"a batch"}]`: "", `{"message":"cut`: "",
		`{"Message":"Denied"}`:                           `: "Denied"`,
		"{\"message\":\"caf\xe9 closed\"}":               `: "caf` + "\uFFFD" + ` closed"`,
		`{"message":"two\nlines"}`:                       `: "two"`,
		`{"message":"\u001b[2J"}`:                        `: "\x1b[2J"`,
		`{"message":"` + strings.Repeat("x", 300) + `"}`: `: "` + strings.Repeat("x", maxLine) + `"`,
	} {
		e := &StatusError{Target: "s", Status: 403, Body: []byte(body)}
		if got := e.Error(); got != "s: HTTP status 403: the server forbids this"+want {
			t.Errorf("%s: %s", body, got)
		}
	}
	e := &StatusError{Target: "s", Status: 401, Err: errors.New("the server requires a login"), Body: []byte(`{"error":{"message":"the request needs a credential"}}`)}
	if got := e.Error(); got != `s: HTTP status 401: the server requires a login: "the request needs a credential"` {
		t.Error(got)
	}
}
