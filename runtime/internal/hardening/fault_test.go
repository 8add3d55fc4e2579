package hardening_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/faultconn"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// TestFaults has clients use servers on connections that split messages, stall, break, and fail to
// write. Nothing hangs, no request is answered twice, no call runs twice, and all answers are
// correct; at the end no goroutine is left, which the bubble checks.
func TestFaults(t *testing.T) {
	plans := []struct {
		name string
		plan faultconn.Plan
	}{
		{"pieces", faultconn.Plan{Piece: 300}},
		{"stalls", faultconn.Plan{Piece: 5000, Stall: 0.01, StallTime: 2 * time.Second}},
		{"resets", faultconn.Plan{Piece: 5000, Reset: 0.004}},
		{"write errors", faultconn.Plan{Piece: 5000, WriteError: 0.01}},
		{"everything", faultconn.Plan{Piece: 2000, Stall: 0.003, StallTime: 40 * time.Second, WriteError: 0.002, Reset: 0.002}},
	}
	losses := map[string]int{} // by plan, over all transports
	for _, w := range transports {
		t.Run(w.name, func(t *testing.T) {
			if w.name == memory {
				t.Log("does not apply: nothing can happen to a connection within a process")
				return
			}
			for _, e := range w.eras {
				for i, p := range plans {
					t.Run(fmt.Sprintf("%s/%s", e, p.name), func(t *testing.T) {
						losses[p.name] += target{transport: w, era: e}.suffer(t, p.plan, uint64(i+1))
					})
				}
			}
		})
	}
	for _, p := range plans {
		if n, run := losses[p.name]; run && n == 0 && isFragile(p.plan) {
			t.Errorf("%s: nothing has gone wrong", p.name)
		}
	}
}

// isFragile reports whether connections with that plan can break.
func isFragile(plan faultconn.Plan) bool {
	return plan.Reset > 0 || plan.WriteError > 0 || plan.StallTime > 30*time.Second
}

// suffer has a few clients do operations on such connections. A client that loses its connection
// opens another one. It returns the number of lost connections and replies.
func (v target) suffer(t *testing.T, plan faultconn.Plan, seed uint64) (losses int) {
	fragile := isFragile(plan)
	c := setup{
		plan: func(n int) faultconn.Plan {
			p := plan
			p.Seed = seed*1000 + uint64(n)
			return p
		},
		register: registerTraffic,
		http:     mcphttp.Limits{IdleTime: time.Minute},
		server:   []mcp.Option{mcp.WithTimeout(time.Minute)},
	}
	const enough = 10
	v.visit(t, c, func(t *testing.T, s *site) {
		var all sync.WaitGroup
		done, lost, failed := make([]int, 4), make([]int, 4), make([]int, 4)
		for i := range 4 {
			all.Go(func() {
				d := (*driver)(nil)
				for n := 0; done[i] < enough && n < 400; n++ {
					if d == nil {
						var err error
						if d, err = newDriver(s, seed+uint64(i*100+n), fragile); err != nil {
							if !fragile {
								t.Errorf("client %d: %v", i, err)
								return
							}
							failed[i]++
							continue
						}
						d.patience = 10 * time.Minute
					}
					if err := d.act(); err != nil {
						t.Errorf("client %d: %v", i, err)
						break
					}
					done[i]++
					select {
					case <-d.in.over:
						d.ended = true
					default:
					}
					if !d.ended {
						continue
					}
					if !fragile {
						t.Errorf("client %d: the connection has ended", i)
					}
					lost[i]++
					d.leave()
					d = nil
				}
				if d != nil {
					failed[i] += len(d.lost)
					d.leave()
				}
			})
		}
		all.Wait()
		for i := range done {
			losses += lost[i] + failed[i]
			if done[i] < enough {
				t.Errorf("client %d has done %d things and lost %d connections", i, done[i], lost[i])
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		for token, times := range s.marks {
			if times > 1 {
				t.Errorf("call %s has run %d times", token, times)
			}
		}
	})
	return losses
}
