package mcp

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
)

func TestTablesFitRevisions(t *testing.T) {
	if len(protocol.All) != revisions {
		t.Errorf("%d revisions, tables of %d", len(protocol.All), revisions)
	}
}
