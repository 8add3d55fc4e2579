package mcpnats

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// This file creates the streams: immediately in a new cluster; streams that the servers have
// forgotten, which happens after several kills (nats-server issue 6888), after they have been
// missing for a while.

const (
	// openPause is the time between two attempts to open streams, and openWait the time for one.
	openPause, openWait = 100 * time.Millisecond, 2 * time.Second
	// forgottenTime is the time for which a stream must be missing before it is created again: a
	// server that is starting may have it.
	forgottenTime = 30 * time.Second
	// lookPause is the time between two checks of the streams.
	lookPause = 10 * time.Second
)

// streamSpec is the definition of a stream in this program.
type streamSpec struct {
	stream *jetstream.Stream
	config jetstream.StreamConfig
	has    string // a description of its content, for the log
}

// specs returns all streams.
func (c *Cluster) specs() []streamSpec {
	last := jetstream.StreamConfig{ // keeps one message per subject
		MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, AllowMsgTTL: true, DenyDelete: true, MaxBytes: c.maxBytes,
	}
	memory := last
	memory.Storage, memory.MaxBytes = jetstream.MemoryStorage, c.maxBytes/8
	batches := last
	batches.AllowAtomicPublish = true
	keys := last
	keys.MaxBytes = 1 << 20
	specs := []streamSpec{
		{&c.records, last, "session"},
		{&c.states, last, "state"},
		{&c.keys, keys, "keys"},
		{&c.rates, memory, "rate"},
		{&c.tasks, batches, "task"},
		{&c.parts, last, "part"},
		{&c.events, jetstream.StreamConfig{MaxAge: c.eventTime, MaxBytes: c.eventBytes, MaxMsgsPerSubject: maxEvents}, "event"},
		{&c.changes, jetstream.StreamConfig{MaxAge: changeTime, MaxMsgs: maxChanges, MaxMsgsPerSubject: -1, MaxBytes: c.maxBytes / 8}, "change"},
	}
	for i := range specs {
		s := &specs[i].config
		s.Name, s.Subjects, s.Replicas = "mcp-"+c.name+"-"+specs[i].has, []string{c.subject(specs[i].has, ">")}, c.copies
	}
	return specs
}

// absences records since when streams are missing.
type absences struct {
	since map[string]time.Time
	last  map[string]uint64 // last sequence numbers of existing streams
	isNew bool              // no stream existed at first: this replica creates them
}

func newAbsences() *absences {
	return &absences{since: map[string]time.Time{}, last: map[string]uint64{}}
}

// found records that a stream exists.
func (a *absences) found(s jetstream.Stream) {
	info := s.CachedInfo()
	a.last[info.Config.Name] = max(a.last[info.Config.Name], info.State.LastSeq)
	delete(a.since, info.Config.Name)
}

// numberSlack exceeds the number of messages that a stream gets between two checks.
const numberSlack = 1_000_000

// firstNumber returns the first sequence number of a stream that is created again.
func (a *absences) firstNumber(name string, now time.Time) uint64 {
	first := uint64(now.UnixMilli())
	if last := a.last[name]; last > 0 {
		first = max(first, last+numberSlack)
	}
	return first
}

// openStreams opens the streams, and creates missing ones. If some streams are missing and others
// exist, another replica is creating them, or the servers have forgotten them.
func (c *Cluster) openStreams(ctx context.Context, a *absences) error {
	if err := c.chooseCopies(ctx); err != nil {
		return err
	}
	specs := c.specs()
	var missing []streamSpec
	for _, s := range specs {
		found, err := c.findStream(ctx, s.config.Name)
		switch {
		case errors.Is(err, jetstream.ErrStreamNotFound):
			missing = append(missing, s)
		case err != nil:
			return err
		default:
			a.found(found)
			if err := compareConfig(found.CachedInfo().Config, s.config); err != nil {
				return err
			}
			*s.stream = found
		}
	}
	a.isNew = a.isNew || len(missing) == len(specs)
	for _, s := range missing {
		made, err := c.makeStream(ctx, s, a)
		if err != nil {
			return err
		}
		*s.stream = made
	}
	return nil
}

func (c *Cluster) findStream(ctx context.Context, name string) (jetstream.Stream, error) {
	ctx, cancel := context.WithTimeout(ctx, openWait)
	defer cancel()
	began := c.clock.now()
	found, err := c.js.Stream(ctx, name)
	if err == nil {
		c.clock.note(found.CachedInfo(), began)
		if name == "mcp-"+c.name+"-task" {
			c.readers.Store(int32(found.CachedInfo().State.Consumers))
		}
	}
	return found, err
}

// makeStream creates a missing stream if that is due. Its sequence numbers follow its
// predecessor's, since replicas have already read up to them; even if all streams were lost, and
// this replica considers the cluster new.
func (c *Cluster) makeStream(ctx context.Context, s streamSpec, a *absences) (jetstream.Stream, error) {
	ctx, cancel := context.WithTimeout(ctx, openWait)
	defer cancel()
	config := s.config
	config.FirstSeq = a.firstNumber(config.Name, c.clock.time())
	if !a.isNew {
		since, noted := a.since[config.Name]
		if !noted {
			since = time.Now()
			a.since[config.Name] = since
		}
		if time.Since(since) < c.forgotten {
			return nil, fmt.Errorf("%w: %s is made anew when it has been missing for %s", errStreamMissing, config.Name, c.forgotten)
		}
	}
	// It fails until all servers that will store a copy are there.
	made, err := c.js.CreateStream(ctx, config)
	switch {
	case errors.Is(err, jetstream.ErrStreamNameAlreadyInUse): // another replica has created it
		if made, err = c.js.Stream(ctx, config.Name); errors.Is(err, jetstream.ErrStreamNotFound) {
			err = fmt.Errorf("%w: %s is being made by another replica", errStreamMissing, config.Name)
		}
	case err == nil && !a.isNew:
		c.log.LogAttrs(ctx, slog.LevelError, "a stream that the NATS servers have lost was made anew, without its content",
			slog.String("stream", config.Name))
	}
	if err != nil {
		return nil, err
	}
	delete(a.since, config.Name)
	return made, nil
}

// errStreamMissing is returned if a stream is missing and others exist.
var errStreamMissing = errors.New("a stream is missing")

// chooseCopies chooses the number of copies, unless an option sets it.
func (c *Cluster) chooseCopies(ctx context.Context) error {
	if c.copies > 0 {
		return nil
	}
	// Existing streams determine it, even while a server is down.
	ctx, cancel := context.WithTimeout(ctx, openWait)
	defer cancel()
	list := c.js.ListStreams(ctx, jetstream.WithStreamListSubject(c.subject(">")))
	for s := range list.Info() {
		c.copies = s.Config.Replicas
	}
	switch err := list.Err(); {
	case err != nil:
		return err
	case c.copies > 0:
	case c.nc.ConnectedClusterName() != "":
		c.copies = 3
	default:
		c.copies = 1
	}
	return nil
}

// compareConfig returns an error if an existing stream has other settings.
func compareConfig(have, want jetstream.StreamConfig) error {
	for _, d := range []struct {
		setting    string
		have, want any
	}{
		{"Replicas", have.Replicas, want.Replicas},
		{"MaxMsgsPerSubject", have.MaxMsgsPerSubject, want.MaxMsgsPerSubject},
		{"MaxAge", have.MaxAge, want.MaxAge},
		{"MaxBytes", have.MaxBytes, want.MaxBytes},
		{"Storage", have.Storage, want.Storage},
		{"Discard", have.Discard, want.Discard},
		{"AllowMsgTTL", have.AllowMsgTTL, want.AllowMsgTTL},
		{"AllowAtomicPublish", have.AllowAtomicPublish, want.AllowAtomicPublish},
		{"AllowDirect", have.AllowDirect, false},
		{"Subjects", strings.Join(have.Subjects, " "), strings.Join(want.Subjects, " ")},
	} {
		if d.have != d.want {
			return fmt.Errorf("the stream %s exists with %s %v, and this program has %v: give both the same options, or delete the stream",
				want.Name, d.setting, d.have, d.want)
		}
	}
	return nil
}

// watchStreams creates streams again that the servers forget while the cluster is open.
func (c *Cluster) watchStreams() {
	a := newAbsences()
	ticker := time.NewTicker(min(lookPause, c.forgotten))
	defer ticker.Stop()
	for {
		select {
		case <-c.stop:
			return
		case <-ticker.C:
		}
		for _, s := range c.specs() {
			found, err := c.findStream(context.Background(), s.config.Name)
			switch {
			case errors.Is(err, jetstream.ErrStreamNotFound):
				if _, err := c.makeStream(context.Background(), s, a); err != nil && !errors.Is(err, errStreamMissing) {
					c.log.LogAttrs(context.Background(), slog.LevelWarn, "a stream that the NATS servers have lost cannot be made anew", slog.Any("error", err))
				}
			case err == nil: // a failed lookup does not prove that it exists
				a.found(found)
			}
		}
		c.clock.report(c.log)
	}
}
