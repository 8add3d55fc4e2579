package mcpimpl_test

import (
	"errors"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
)

func TestCheckStatus(t *testing.T) {
	for name, test := range map[string]struct {
		code    int
		body    string
		missing bool
		want    string
		shown   bool // with errors=declared, too
	}{
		"value":            {code: 200, body: "{}"},
		"created":          {code: 201},
		"failure":          {code: 404, body: "no", want: "status 404: no"},
		"failure, no body": {code: 500, missing: true, want: "status 500"},
		"value of failure": {code: 400, body: "no", missing: true, want: "status 400: no"},
		"other body":       {code: 200, body: "<html>", missing: true, want: "status 200, without the expected value: <html>"},
		"redirect":         {code: 302, missing: true, want: "status 302, without the expected value"},
		"no content":       {code: 204, missing: true, want: "status 204, without the expected value", shown: true},
		"blank body":       {code: 200, body: " \n", missing: true, want: "status 200, without the expected value", shown: true},
	} {
		err := mcpimpl.CheckStatus(test.code, "", []byte(test.body), test.missing)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if _, shown := errors.AsType[*mcp.ToolError](err); got != test.want || shown != test.shown {
			t.Errorf("%s: %q, want %q; shown %v", name, got, test.want, shown)
		}
	}
}
