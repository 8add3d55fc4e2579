package replicatest

import (
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
	"github.com/mcpgen/mcpgen/runtime/replicatest/internal/taskstore"
)

// TestTaskStore runs the tests of a [mcptask.Store]. Each store that open returns is empty. The
// tests take less than a minute.
func TestTaskStore(t *testing.T, open func() mcptask.Store) {
	t.Helper()
	taskstore.Run(t, open, func(t *testing.T, test func(*testing.T)) { test(t) })
}

// TestTaskStoreInBubbles is TestTaskStore for stores that work in a [synctest.Test] bubble, whose
// clock does not wait. Each store is opened in its bubble.
func TestTaskStoreInBubbles(t *testing.T, open func() mcptask.Store) {
	t.Helper()
	taskstore.Run(t, open, synctest.Test)
}
