package mcpnats

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// StateStore returns a store of used request states: the first write of a subject wins.
func (c *Cluster) StateStore() mcp.StateStore { return stateStore{c} }

type stateStore struct{ *Cluster }

// Consume implements [mcp.StateStore].
func (s stateStore) Consume(ctx context.Context, id string, expires time.Time) (first bool, err error) {
	hash := sha256.Sum256([]byte(id)) // any text may be an id
	subject := s.subject("state", hex.EncodeToString(hash[:]))
	// The clocks of the servers may differ from that of this process.
	_, err = s.writeOne(ctx, s.states, subject, 0, time.Until(expires)+time.Minute, nil)
	if wrongSequence(err) {
		return false, nil
	}
	return err == nil, err
}
