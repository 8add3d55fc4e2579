package mcpnats

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// This file determines the time that replicas share. A replica compares timestamps that another
// replica wrote under another clock, and any clock may be wrong, even the clock of a NATS server,
// which may run in a replica's process. So the shared time is the time of the majority of servers
// that lead a stream, or led one lately.

const (
	// clockTime limits the age of a reading of a server's clock, since clocks drift.
	clockTime = time.Hour
	// maxAnswerTime limits the duration of such a request. The time in the answer lies somewhere
	// within it.
	maxAnswerTime = time.Second
	// maxSkew is the tolerated difference between the clock of this process and the servers' time
	// before it is logged.
	maxSkew = 2 * time.Second
)

// clocks contains the servers' clocks. Its zero value uses the clock of this process.
type clocks struct {
	wall func() time.Time // of this process: time.Now if nil, or a test's clock

	mu       sync.Mutex
	servers  map[string]reading // by server name
	reported bool               // the wrong clock of this process was logged
}

// reading is a time of a server, with the time of this process at that moment. The latter has a
// monotonic reading, so setting the clock does not matter.
type reading struct{ server, here time.Time }

// now returns the time of this process.
func (c *clocks) now() time.Time {
	if c.wall == nil {
		return time.Now()
	}
	return c.wall()
}

// note records the time in an answer of a stream's leader to a request that was sent at asked.
func (c *clocks) note(info *jetstream.StreamInfo, asked time.Time) {
	now := c.now()
	took := now.Sub(asked)
	if info == nil || info.TimeStamp.IsZero() || took > maxAnswerTime {
		return
	}
	name := ""
	if info.Cluster != nil {
		name = info.Cluster.Leader
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.servers == nil {
		c.servers = map[string]reading{}
	}
	for other, r := range c.servers {
		if now.Sub(r.here) > clockTime {
			delete(c.servers, other)
		}
	}
	c.servers[name] = reading{info.TimeStamp, asked.Add(took / 2)}
}

// time returns the median time of the servers. The clock of this process decides between two, and
// is used before a server has answered.
func (c *clocks) time() time.Time {
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	times := make([]time.Time, 0, 8)
	for _, r := range c.servers {
		times = append(times, r.server.Add(now.Sub(r.here)))
	}
	if len(times)%2 == 0 {
		times = append(times, now)
	}
	slices.SortFunc(times, time.Time.Compare)
	return times[len(times)/2]
}

// report logs when the clock of this process becomes wrong, and when it is right again.
func (c *clocks) report(log *slog.Logger) {
	ahead := c.now().Sub(c.time())
	wrong := ahead.Abs() > maxSkew
	c.mu.Lock()
	before := c.reported
	c.reported = wrong
	c.mu.Unlock()
	switch {
	case wrong && !before:
		log.LogAttrs(context.Background(), slog.LevelError,
			"the clock of this replica differs from that of most NATS servers: set it, for instance by NTP", slog.Duration("ahead", ahead))
	case before && !wrong:
		log.LogAttrs(context.Background(), slog.LevelInfo, "the clock of this replica agrees with that of most NATS servers again")
	}
}
