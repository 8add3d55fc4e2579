package mcpnats

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// changeTime is the lifetime of notices, and maxChanges limits their number.
const (
	changeTime = 10 * time.Minute
	maxChanges = 100_000
)

// PubSub returns a PubSub in a stream. Notices have the sequence numbers of the stream.
func (c *Cluster) PubSub() mcp.PubSub { return pubSub{c} }

type pubSub struct{ *Cluster }

// Publish implements [mcp.PubSub].
func (p pubSub) Publish(ctx context.Context, notice []byte) error {
	m := nats.NewMsg(p.subject("change", "all"))
	m.Data = notice
	return p.attempts(ctx, func(ctx context.Context) error { // a repeated write is an additional notice
		_, err := p.js.PublishMsg(ctx, m, jetstream.WithRetryAttempts(0))
		return err
	})
}

// Subscribe implements [mcp.PubSub].
func (p pubSub) Subscribe(ctx context.Context, after uint64) iter.Seq2[mcp.Notice, error] {
	return func(yield func(mcp.Notice, error) bool) {
		err := p.read(ctx, "mcp-"+p.name+"-change", p.subject("change", "all"), after+1, false, func(m jetstream.Msg) bool {
			meta, err := m.Metadata()
			return err == nil && yield(mcp.Notice{Sequence: meta.Sequence.Stream, Data: m.Data()}, nil)
		})
		if err != nil && !errors.Is(err, errStopped) && !errors.Is(err, errClosed) {
			yield(mcp.Notice{}, err)
		}
	}
}

// errStopped is returned by read if its function has returned false.
var errStopped = errors.New("stopped")

// errGap is returned by read if a message was lost in transit.
var errGap = errors.New("mcpnats: a message of a consumer is missing")

// read reads a subject of a stream in order, beginning at a sequence number, until the function
// returns false, ctx is done, or the cluster is closed. After another error the caller calls it
// again: the consumer lives on one server, and the library's consumer that recreates itself waits
// for up to 20 seconds after an outage.
func (c *Cluster) read(ctx context.Context, stream, subject string, first uint64, headersOnly bool, f func(jetstream.Msg) bool) error {
	opening, cancel := context.WithTimeout(ctx, openWait)
	defer cancel()
	consumer, err := c.js.CreateConsumer(opening, stream, jetstream.ConsumerConfig{
		FilterSubject: subject, DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: max(1, first), HeadersOnly: headersOnly,
		AckPolicy: jetstream.AckNonePolicy, MemoryStorage: true, Replicas: 1, InactiveThreshold: consumerTime,
	})
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return err
	}
	defer func() { go c.removeConsumer(stream, consumer.CachedInfo().Name) }()
	// With these heartbeats, a killed server of the consumer is noticed after two seconds.
	messages, err := consumer.Messages(jetstream.PullExpiry(10*time.Second), jetstream.PullHeartbeat(time.Second))
	if err != nil {
		return err
	}
	defer messages.Stop()
	end := make(chan struct{})
	defer close(end)
	go func() {
		select {
		case <-ctx.Done():
		case <-c.stop:
		case <-end:
		}
		messages.Stop()
	}()
	for delivered := uint64(1); ; delivered++ {
		m, err := messages.Next()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, jetstream.ErrMsgIteratorClosed):
			return errClosed
		case err != nil:
			return err
		}
		meta, err := m.Metadata()
		switch {
		case err != nil:
			return err
		case meta.Sequence.Consumer != delivered:
			return errGap
		case !f(m):
			return errStopped
		}
	}
}

// consumerTime is the time after which a server removes an unused consumer.
const consumerTime = 30 * time.Second

// removeConsumer removes a consumer. If that fails, it expires after [consumerTime].
func (c *Cluster) removeConsumer(stream, name string) {
	ctx, cancel := context.WithTimeout(context.Background(), openWait)
	defer cancel()
	_ = c.js.DeleteConsumer(ctx, stream, name)
}
