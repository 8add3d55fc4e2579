package mcp

import (
	"context"
	"encoding/json"
	"log/slog"

	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file reads the state keys of a server, whose source may fail.

// WithStateKeySource sets the source of the keys that [WithStateKeys] describes. If both options
// are given, the later one applies.
func WithStateKeySource(source KeySource) Option {
	return func(s *Server) { s.keys = &stateKeys{source: source} }
}

// sealingKeys returns the keys, and logs an error of their source.
func sealingKeys(ctx context.Context, s *Server) (*seal.Keyring, error) {
	ring, err := s.keys.current(ctx)
	return usableKeys(ctx, s, ring, err)
}

// usableKeys logs an error of a source. If keys of an earlier read exist, it returns them without
// an error.
func usableKeys(ctx context.Context, s *Server, ring *seal.Keyring, err error) (*seal.Keyring, error) {
	if err == nil {
		return ring, nil
	}
	s.log.Program(ctx, slog.LevelError, "state keys cannot be read", slog.Any("error", err), slog.Bool("before", ring != nil))
	if ring == nil {
		return nil, &ProtocolError{Code: jsonrpc.CodeInternal, Message: "the state keys cannot be read", Data: json.RawMessage(`{"reason":"state keys"}`)}
	}
	return ring, nil
}

// withKeys calls open, and if it fails, once more with the current keys of the source. It reports
// whether open has succeeded. It returns the error of a source that has never returned keys.
func (s *Server) withKeys(ctx context.Context, open func(*seal.Keyring) bool) (bool, error) {
	ring, err := sealingKeys(ctx, s)
	if err != nil {
		return false, err
	}
	if open(ring) {
		return true, nil
	}
	if !s.keys.change() {
		return false, nil
	}
	again, err := s.keys.read(ctx, keyPause, openKeyWait)
	if again, err = usableKeys(ctx, s, again, err); err != nil || again == ring {
		return false, err
	}
	return open(again), nil
}
