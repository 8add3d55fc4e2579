package mcpnats

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// This file is the time that replicas have in common. What one of them writes is compared with the clock of another one, and a
// clock can be wrong, also that of a NATS server, which may be in the process of a replica. So the time is that of most
// servers: of those that lead a stream, or have led one lately.

const (
	// clockTime is for how long an answer of a server says what its clock is: clocks drift.
	clockTime = time.Hour
	// maxAnswerTime is how long such an answer may take. The time in it is of some moment in between.
	maxAnswerTime = time.Second
	// maxSkew is how far the clock of this process may be from the time of the servers before the log says so.
	maxSkew = 2 * time.Second
)

// clocks are the clocks of the servers. The zero value is the clock of this process.
type clocks struct {
	wall func() time.Time // of this process: time.Now if nil, or that of a test

	mu       sync.Mutex
	servers  map[string]reading // by their names
	reported bool               // the log says that the clock of this process is wrong
}

// reading is a time of a server, and when it was that, by the clock of this process. The latter has a monotonic reading, so it does not
// matter if the clock is set.
type reading struct{ server, here time.Time }

// now returns the time of this process.
func (c *clocks) now() time.Time {
	if c.wall == nil {
		return time.Now()
	}
	return c.wall()
}

// note notes the time in an answer of the leader of a stream, to a question of that time.
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

// time returns the time of most servers: the middle one. The clock of this process decides between two, and is the time before a
// server has answered.
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

// report logs when the clock of this process begins to be wrong, and when it is right again.
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
