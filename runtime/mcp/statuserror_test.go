package mcp_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

func TestStatusError(t *testing.T) {
	long := strings.Repeat("é", 3000) // of two bytes each
	for name, test := range map[string]struct {
		err  mcp.StatusError
		want string
	}{
		"body":        {mcp.StatusError{404, "404 Not Found", []byte(" {\"message\":\"no\"}\n")}, `status 404 Not Found: {"message":"no"}`},
		"no body":     {mcp.StatusError{500, "500 Internal Server Error", nil}, "status 500 Internal Server Error"},
		"no text":     {mcp.StatusError{503, "", nil}, "status 503"},
		"number only": {mcp.StatusError{503, "503", nil}, "status 503"},
		"own text":    {mcp.StatusError{418, "Teapot", []byte("short")}, "status 418 Teapot: short"},
		"binary":      {mcp.StatusError{400, "400 Bad Request", []byte{0xff, 'a'}}, "status 400 Bad Request"},
		"good status": {mcp.StatusError{200, "200 OK", []byte("<html>")}, "status 200 OK, without the expected value: <html>"},
		"long":        {mcp.StatusError{400, "", []byte(long)}, "status 400: " + strings.Repeat("é", 2048) + "…"},
		"cut":         {mcp.StatusError{400, "", []byte("x" + long)}, "status 400: x" + strings.Repeat("é", 2047) + "…"},
	} {
		if got := test.err.Error(); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestStatusErrorNotFound(t *testing.T) {
	for code, want := range map[int]bool{404: true, 410: true, 400: false, 403: false, 500: false} {
		if err := fmt.Errorf("get: %w", &mcp.StatusError{Code: code}); errors.Is(err, mcp.ErrNotFound) != want {
			t.Errorf("%d: %v", code, !want)
		}
	}
	if errors.Is(&mcp.StatusError{Code: 404}, errors.ErrUnsupported) {
		t.Error("it is every error")
	}
}
