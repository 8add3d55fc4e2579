package mcpsqlite_test

import (
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcpsqlite"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
	"github.com/mcpgen/mcpgen/runtime/replicatest"
)

func TestStore(t *testing.T) {
	folder := t.TempDir()
	var n atomic.Int32
	replicatest.TestTaskStore(t, func() mcptask.Store {
		s, err := mcpsqlite.Open(filepath.Join(folder, fmt.Sprintf("tasks %d?.db", n.Add(1))))
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}
