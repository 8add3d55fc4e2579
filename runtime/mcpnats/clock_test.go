package mcpnats

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// skews are the offsets of wrong clocks.
var skews = []time.Duration{-time.Hour, -90 * time.Second, -10 * time.Second, 10 * time.Second, 90 * time.Second, time.Hour}

// ahead returns a clock that is ahead by d.
func ahead(d time.Duration) func() time.Time { return func() time.Time { return time.Now().Add(d) } }

// answer records the clocks of servers, which are named by their numbers.
func (c *clocks) answer(servers ...time.Duration) {
	for i, d := range servers {
		c.note(&jetstream.StreamInfo{TimeStamp: time.Now().Add(d), Cluster: &jetstream.ClusterInfo{Leader: fmt.Sprint(i)}}, c.now())
	}
}

// The majority of servers determines the time, whichever clock is wrong.
func TestTimeOfMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, d := range skews {
			for name, c := range map[string]struct {
				own     time.Duration
				servers []time.Duration
				want    time.Duration
			}{
				"no server":                  {own: d, want: d},
				"one server, wrong replica":  {own: d, servers: []time.Duration{0}},
				"one of two servers":         {servers: []time.Duration{d, 0}},
				"two servers, wrong replica": {own: d, servers: []time.Duration{0, 0}},
				"one of three":               {servers: []time.Duration{0, d, 0}},
				"one of three is the own":    {own: d, servers: []time.Duration{0, d, 0}},
			} {
				one := clocks{wall: ahead(c.own)}
				one.answer(c.servers...)
				if got := time.Until(one.time()); got != c.want {
					t.Errorf("%s, %s ahead: the time is %s ahead", name, d, got)
				}
			}
		}
		// Slow answers are ignored, and old ones expire.
		var one clocks
		one.note(&jetstream.StreamInfo{TimeStamp: time.Now().Add(time.Hour)}, time.Now().Add(-2*time.Second))
		one.note(&jetstream.StreamInfo{}, time.Now())
		if len(one.servers) != 0 {
			t.Errorf("%d servers", len(one.servers))
		}
		one.answer(time.Minute, time.Minute)
		time.Sleep(2 * clockTime)
		one.answer(0)
		if got := time.Until(one.time()); got != 0 {
			t.Errorf("by an old answer, the time is %s ahead", got)
		}
	})
}

// The wrong clock of a replica is logged once.
func TestReportClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text bytes.Buffer
		log := slog.New(slog.NewTextHandler(&text, nil))
		skew := time.Duration(0)
		c := clocks{wall: func() time.Time { return time.Now().Add(skew) }}
		for _, skew = range []time.Duration{0, 90 * time.Second, 90 * time.Second, -time.Hour, 0, 0} {
			c.answer(0, 0, 0)
			c.report(log)
		}
		if got := text.String(); strings.Count(got, "\n") != 2 || !strings.Contains(got, "ahead=1m30s") || !strings.Contains(got, "again") {
			t.Errorf("the log is %s", got)
		}
	})
}

// rateReplica returns the rate buckets of a replica with a wrong clock, at a leader.
func rateReplica(l *leader, own time.Duration, servers ...time.Duration) rateStore {
	c := &Cluster{js: l, name: "test", stop: make(chan struct{}), rates: streamOf{leader: l}}
	c.clock.wall = ahead(own)
	c.clock.answer(servers...)
	return rateStore{c}
}

// One wrong clock, of a replica or of the server in it, does not deprive others of their share of a
// limit, and gains nothing.
func TestRatesWithWrongClock(t *testing.T) {
	const limit, burst, long = 5, 20, 60
	for _, d := range skews {
		for name, servers := range map[string][]time.Duration{"servers elsewhere": {0}, "servers in the replicas": {0, 0, d}} {
			t.Run(fmt.Sprint(name, d), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					l := &leader{underWay: map[string]bool{}, last: map[string]*jetstream.RawStreamMsg{}}
					replicas := []rateStore{rateReplica(l, d, servers...), rateReplica(l, 0, servers...), rateReplica(l, 0, servers...)}
					passed := make([]int, 3)
					send := func(first int) (all int) {
						clear(passed)
						for step := range long * 20 {
							i := first + step%(3-first)
							got, retry, err := replicas[i].Take(t.Context(), "caller", limit, burst, 1)
							if err != nil || retry > time.Second/limit {
								t.Fatalf("retry after %s, %v", retry, err)
							}
							passed[i] += got
							all += got
							time.Sleep(time.Second / 20)
						}
						return all
					}
					if all := send(0); all < long*limit || all > long*limit+burst {
						t.Errorf("%d pass, want %d", all, long*limit+burst)
					}
					for i, n := range passed {
						if n < long*limit/10 {
							t.Errorf("%d pass at replica %d", n, i)
						}
					}
					if all := send(1); all < long*limit-1 || all > long*limit+1 { // the replica with the wrong clock is gone
						t.Errorf("%d pass without the wrong one, want %d", all, long*limit)
					}
				})
			})
		}
	}
}

// A bucket that an earlier version wrote with a clock that was ahead is usable again after the time
// of one token.
func TestFutureBucket(t *testing.T) {
	for _, d := range skews[3:] {
		synctest.Test(t, func(t *testing.T) {
			l := &leader{underWay: map[string]bool{}, last: map[string]*jetstream.RawStreamMsg{}}
			s := rateReplica(l, 0, 0)
			if _, _, err := s.Take(t.Context(), "caller", 5, 20, 1); err != nil {
				t.Fatal(err)
			}
			for _, m := range l.last {
				m.Data = binary.BigEndian.AppendUint64(nil, uint64(time.Now().Add(d+4*time.Second).UnixNano()))
			}
			for i, want := range []int{0, 1, 1, 1} {
				if got, _, err := s.Take(context.Background(), "caller", 5, 20, 1); err != nil || got != want {
					t.Errorf("%s ahead, try %d: %d tokens, %v", d, i, got, err)
				}
				time.Sleep(time.Second / 5)
			}
		})
	}
}
