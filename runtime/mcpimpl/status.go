package mcpimpl

import (
	"bytes"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// CheckStatus returns an error for the response of a service if its result, one part of the
// response, is missing or the service failed. The error is an [*mcp.StatusError] for a status of
// 400 and more, and if the part is missing although the response has a body or a status of 300 and
// more. Without a body, a missing part is an error whose message clients always get, since the call
// may have had an effect.
func CheckStatus(code int, status string, body []byte, missing bool) error {
	switch failure := func() *mcp.StatusError { return &mcp.StatusError{Code: code, Status: status, Body: body} }; {
	case code >= 400, missing && (code >= 300 || len(bytes.TrimSpace(body)) > 0):
		return failure()
	case missing:
		return mcp.Errorf("%w", failure())
	}
	return nil
}
