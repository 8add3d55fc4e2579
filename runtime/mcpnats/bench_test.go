package mcpnats_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpnats"
	"github.com/mcpgen/mcpgen/runtime/mcpnats/embedded"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// BenchmarkTask measures a task from its creation to its result: three writes, on one server.
func BenchmarkTask(b *testing.B) {
	for _, sync := range []bool{false, true} {
		b.Run(fmt.Sprint("sync=", sync), func(b *testing.B) {
			s, err := embedded.Start(embedded.Options{Dir: b.TempDir(), MaxStore: storage, SyncAlways: sync})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close(b.Context())
			nc, err := s.Connect()
			if err != nil {
				b.Fatal(err)
			}
			defer nc.Close()
			c, err := mcpnats.Open(b.Context(), nc, "test", mcpnats.WithSecret(secret))
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close(b.Context())
			tasks, n := c.Tasks(), 0
			for b.Loop() {
				n++
				if err := tasks.Create(b.Context(), taskRecord(fmt.Sprint(n)), mcptask.Quota{Account: 100, Total: 10_000}, 0); err != nil {
					b.Fatal(err)
				}
				r, err := tasks.Claim(b.Context(), claimOf("a", time.Minute))
				if err != nil {
					b.Fatal(err)
				}
				r.Owner, r.Status = "", mcptask.Completed
				if err := tasks.Update(b.Context(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
