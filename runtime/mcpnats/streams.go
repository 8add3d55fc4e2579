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

// This file makes the streams: those of a new cluster at once, and those that the servers have forgotten, which happens
// after several kills (nats-server issue 6888), when they have been absent for a while.

const (
	// openPause is the time between two tries to open streams, and openWait the time for one.
	openPause, openWait = 100 * time.Millisecond, 2 * time.Second
	// forgottenTime is for how long a stream is absent before it is made anew: a server that starts may have it.
	forgottenTime = 30 * time.Second
	// lookPause is the time between two looks at the streams.
	lookPause = 10 * time.Second
)

// streamSpec is a stream as this program has it.
type streamSpec struct {
	stream *jetstream.Stream
	config jetstream.StreamConfig
	has    string // what it has, for the log
}

// specs returns all streams.
func (c *Cluster) specs() []streamSpec {
	last := jetstream.StreamConfig{ // has one message for each subject
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

// absences is since when streams are missing.
type absences struct {
	since map[string]time.Time
	last  map[string]uint64 // the last numbers of streams that were there
	isNew bool              // no stream was there at first: this replica makes them
}

func newAbsences() *absences {
	return &absences{since: map[string]time.Time{}, last: map[string]uint64{}}
}

// found notes that a stream is there.
func (a *absences) found(s jetstream.Stream) {
	info := s.CachedInfo()
	a.last[info.Config.Name] = max(a.last[info.Config.Name], info.State.LastSeq)
	delete(a.since, info.Config.Name)
}

// numberSlack is more than the messages that a stream gets between two looks at it.
const numberSlack = 1_000_000

// firstNumber returns the number of the first message of a stream that is made anew.
func (a *absences) firstNumber(name string, now time.Time) uint64 {
	first := uint64(now.UnixMilli())
	if last := a.last[name]; last > 0 {
		first = max(first, last+numberSlack)
	}
	return first
}

// openStreams opens the streams, and makes those that are missing. A stream that is missing beside others is being made by
// another replica, or forgotten.
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

// makeStream makes a stream that is missing, if that is due. Its numbers follow those of one that was there before,
// since replicas have read up to those; also where all were lost, and this replica takes the cluster for a new one.
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
	// It fails while not all servers are there that are to have a copy.
	made, err := c.js.CreateStream(ctx, config)
	switch {
	case errors.Is(err, jetstream.ErrStreamNameAlreadyInUse): // another replica has made it
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

// errStreamMissing is the error of a stream that is missing beside others.
var errStreamMissing = errors.New("a stream is missing")

// chooseCopies chooses how many servers have a copy of a stream, unless an option says so.
func (c *Cluster) chooseCopies(ctx context.Context) error {
	if c.copies > 0 {
		return nil
	}
	// What exists already decides, also while a server is down.
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

// compareConfig returns the error for a stream that exists with other settings.
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

// watchStreams makes streams anew that the servers forget while the cluster is open.
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
			case err == nil: // one that cannot be looked up now may still be missing
				a.found(found)
			}
		}
		c.clock.report(c.log)
	}
}
