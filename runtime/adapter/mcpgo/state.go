package mcpgo

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
)

// This file binds request states to the credentials of the request. mcp-go does not identify the
// sender of a request, so package mcp treats all callers as one.

// statePurpose separates these states from other texts that the inner server seals.
const statePurpose = "request state on mcp-go"

var errState = errors.New("params.requestState is not valid for this request")

// credentials returns a digest of the field Authorization. Without that field it is the same for
// all callers, as on a server without a guard.
func credentials(header http.Header) [sha256.Size]byte {
	return sha256.Sum256([]byte(strings.Join(header["Authorization"], "\n")))
}

// sealState returns a request state of the inner server for requests with the same credentials.
func (m *mount) sealState(ctx context.Context, header http.Header, state string) (string, error) {
	if state == "" {
		return "", nil
	}
	of := credentials(header)
	sealed, err := m.bridge.Server().Seal(ctx, statePurpose, append(of[:], state...))
	return base64.RawURLEncoding.EncodeToString(sealed), err
}

// openState returns the request state of the inner server.
func (m *mount) openState(ctx context.Context, header http.Header, sealed string) (string, error) {
	data, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		return "", errState
	}
	text, ok, err := m.bridge.Server().Unseal(ctx, statePurpose, data)
	if err != nil {
		return "", err
	}
	of := credentials(header)
	state, own := bytes.CutPrefix(text, of[:])
	if !ok || !own {
		return "", errState
	}
	return string(state), nil
}
