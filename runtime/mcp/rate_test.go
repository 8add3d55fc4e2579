package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// reported returns the values of the notifications of progress, and checks that each is greater
// than the one before, and that the reply comes last.
func reported(t *testing.T, said []string) (values []float64) {
	t.Helper()
	for i, message := range said {
		var m struct {
			Method string
			Params struct{ Progress float64 }
		}
		if err := json.Unmarshal([]byte(message), &m); err != nil {
			t.Fatal(err)
		}
		switch {
		case m.Method == "notifications/progress":
			if len(values) > 0 && m.Params.Progress <= values[len(values)-1] {
				t.Errorf("progress %v after %v", m.Params.Progress, values)
			}
			values = append(values, m.Params.Progress)
		case m.Method == "" && i != len(said)-1:
			t.Errorf("%s after the reply", said[i+1:])
		}
	}
	return values
}

// Many reports of progress become few notifications: the first ones at once, then the newest one
// ten times a second, and the last one before the reply.
func TestLimitProgressRate(t *testing.T) {
	spec.Holds(t, "S192")
	for _, revision := range everyRevision {
		for _, test := range []struct {
			steps    int
			pause    time.Duration
			rate     int
			sent     int // at most
			complete bool
		}{
			{steps: 5000, sent: 11},
			{steps: 10, sent: 10, complete: true},
			{steps: 5000, rate: 1, sent: 2},
			{steps: 5000, rate: 5000, sent: 5000, complete: true},
			{steps: 50, pause: 100 * time.Millisecond, sent: 50, complete: true},
			{steps: 1000, pause: 10 * time.Millisecond, sent: 111},
		} {
			synctest.Test(t, func(t *testing.T) {
				c, s := clientIn(t, revision, mcp.WithLimits(mcp.Limits{ProgressRate: test.rate}))
				tool(s, "steps", func(ctx context.Context) (string, error) {
					for i := range test.steps {
						mcp.Progress(ctx, float64(i+1), float64(test.steps), "step")
						time.Sleep(test.pause)
					}
					return "done", nil
				})
				c.dial(t, s)
				defer c.hangUp()
				said := c.ask("tools/call", `"name":"steps"`)
				time.Sleep(time.Minute)
				synctest.Wait()
				said = append(said, c.received()...)
				values := reported(t, said)
				if n := len(values); n > test.sent || n < test.sent*9/10 || test.complete && n != test.steps {
					t.Errorf("%s: %d notifications of %+v", revision, n, test)
				}
				if len(values) == 0 || values[0] != 1 || values[len(values)-1] != float64(test.steps) {
					t.Errorf("%s: the first or the last value is missing: %v", revision, values)
				}
			})
		}
	}
}

// A waiting report is sent when the rate allows, without another report.
func TestProgressInItsTurn(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		release := make(chan struct{})
		s := mcp.NewServer(fixtureInfo(), quiet)
		tool(s, "steps", func(ctx context.Context) (string, error) {
			for i := range 20 {
				mcp.Progress(ctx, float64(i+1), 0, fmt.Sprint("step ", i+1))
			}
			<-release
			return "done", nil
		})
		p := dial(t, s, way)
		defer p.hangUp()
		p.send(lines(initialize("2025-11-25"), initialized))
		synctest.Wait()
		p.received()
		p.send(request(1, "tools/call", `{"name":"steps","_meta":{"progressToken":"p"}}`) + "\n")
		synctest.Wait()
		if n := len(reported(t, p.received())); n != 10 {
			t.Errorf("%d notifications at once", n)
		}
		time.Sleep(101 * time.Millisecond)
		synctest.Wait()
		said := p.received()
		if len(said) != 1 || !strings.Contains(said[0], `"progress":20,"message":"step 20"`) {
			t.Errorf("in its turn comes %q", said)
		}
		close(release)
		synctest.Wait()
		if said := p.received(); len(said) != 1 || !strings.Contains(said[0], `"done"`) {
			t.Errorf("at the end comes %q", said)
		}
	})
}

// No report is sent after a request is cancelled, whatever its handler does, nor after the reply.
func TestProgressOfTheCancelled(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		s := mcp.NewServer(fixtureInfo(), quiet)
		tool(s, "steps", func(ctx context.Context) (string, error) {
			for i := range 30 {
				mcp.Progress(ctx, float64(i+1), 0, "")
			}
			<-ctx.Done()
			mcp.Progress(ctx, 100, 0, "")
			mcp.Logger(ctx).Error("late")
			return "done", nil
		})
		p := dial(t, s, way)
		defer p.hangUp()
		p.send(lines(initialize("2025-11-25"), initialized, request(1, "tools/call", `{"name":"steps","_meta":{"progressToken":"p"}}`)))
		synctest.Wait()
		p.received()
		p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n")
		synctest.Wait()
		time.Sleep(time.Minute)
		synctest.Wait()
		if said := p.received(); len(said) > 0 {
			t.Errorf("after the cancellation comes %q", said)
		}
	})
}

// Goroutines that report at once make no more notifications than one.
func TestProgressOfMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := clientIn(t, "2026-07-28")
		tool(s, "steps", func(ctx context.Context) (string, error) {
			var all sync.WaitGroup
			for i := range 100 {
				all.Go(func() {
					for k := range 50 {
						mcp.Progress(ctx, float64(50*i+k+1), 0, "")
						mcp.Logger(ctx).Info("step")
						time.Sleep(time.Millisecond)
					}
				})
			}
			all.Wait()
			return "done", nil
		})
		c.dial(t, s)
		defer c.hangUp()
		c.ask("tools/call", `"name":"steps"`)
		time.Sleep(time.Minute)
		synctest.Wait()
		values := reported(t, c.received())
		if n := len(values); n > 12 {
			t.Errorf("%d notifications", n)
		}
	})
}

// The client gets a few of many log messages, and the number of the others; the server's own log
// contains all of them.
func TestLimitLogRate(t *testing.T) {
	spec.Holds(t, "S265", "S270")
	for _, revision := range everyRevision {
		for _, test := range []struct {
			records int
			pause   time.Duration
			rate    int
			sent    int
		}{
			{records: 3000, sent: 50},
			{records: 50, sent: 50},
			{records: 3000, rate: 3000, sent: 3000},
			{records: 200, pause: 20 * time.Millisecond, sent: 200},
			{records: 2000, pause: 5 * time.Millisecond, sent: 549},
		} {
			synctest.Test(t, func(t *testing.T) {
				c, s := clientIn(t, revision, mcp.WithLimits(mcp.Limits{LogRate: test.rate}))
				tool(s, "records", func(ctx context.Context) (string, error) {
					for i := range test.records {
						level := slog.LevelInfo
						if i == test.records-1 {
							level = slog.LevelError
						}
						mcp.Logger(ctx).Log(ctx, level, "record", "i", i)
						time.Sleep(test.pause)
					}
					return "done", nil
				})
				c.dial(t, s)
				defer c.hangUp()
				members := `"name":"records"`
				if revision == "2026-07-28" {
					c.level = "debug"
				}
				said := c.ask("tools/call", members)
				time.Sleep(time.Minute)
				synctest.Wait()
				said = append(said, c.received()...)
				sent, omitted, notices := 0, 0, 0
				for i, message := range said {
					var m struct {
						Method string
						Params struct {
							Level string
							Data  struct {
								Message string
								Omitted int
							}
						}
					}
					if err := json.Unmarshal([]byte(message), &m); err != nil {
						t.Fatal(err)
					}
					switch {
					case m.Method == "" && i != len(said)-1:
						t.Errorf("%q after the reply", said[i+1:])
					case m.Params.Data.Message == "record":
						sent++
					case m.Params.Data.Omitted > 0:
						notices++
						omitted += m.Params.Data.Omitted
						if i == len(said)-2 && m.Params.Level != "error" {
							t.Errorf("%s: the highest level left out is error: %s", revision, message)
						}
					}
				}
				if sent != test.sent || sent+omitted != test.records {
					t.Errorf("%s, %+v: %d are sent and %d left out", revision, test, sent, omitted)
				}
				if seconds := int(test.pause*time.Duration(test.records)/time.Second) + 1; notices > seconds+1 {
					t.Errorf("%s, %+v: the client gets the number %d times", revision, test, notices)
				}
				if n := strings.Count(c.logged.String(), "msg=record"); n != test.records {
					t.Errorf("%s: the server's log has %d records", revision, n)
				}
			})
		}
	}
}
