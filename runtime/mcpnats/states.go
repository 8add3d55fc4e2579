package mcpnats

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// StateStore returns a store of used request states: the first write of a subject wins. A state
// that expired more than a minute ago, according to the clock of the majority of NATS servers,
// counts as used, since its record may be gone and a replica whose clock is behind would accept it.
func (c *Cluster) StateStore() mcp.StateStore { return stateStore{c} }

type stateStore struct{ *Cluster }

// Consume implements [mcp.StateStore].
func (s stateStore) Consume(ctx context.Context, id string, expires time.Time) (first bool, err error) {
	hash := sha256.Sum256([]byte(id)) // any string may be an id
	subject := s.subject("state", hex.EncodeToString(hash[:]))
	keep := expires.Sub(s.clock.time()) + time.Minute
	if keep <= 0 {
		return false, nil
	}
	_, err = s.writeOne(ctx, s.states, subject, 0, keep, nil)
	if wrongSequence(err) {
		return false, nil
	}
	return err == nil, err
}
