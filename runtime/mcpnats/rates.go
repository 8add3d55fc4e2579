package mcpnats

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/time/rate"

	"github.com/mcpgen/mcpgen/runtime/internal/gcra"
	"github.com/mcpgen/mcpgen/runtime/mcprate"
)

// RateLimiter returns a store of buckets, for [mcprate.WithStore]. A bucket is a point in time that
// is written by compare-and-swap, according to the clock of the majority of NATS servers.
func (c *Cluster) RateLimiter() mcprate.Store { return rateStore{c} }

type rateStore struct{ *Cluster }

// maxRateTries limits the attempts to write a bucket that other replicas also write.
const maxRateTries = 50

// errBusyBucket is returned after too many attempts.
var errBusyBucket = errors.New("mcpnats: a bucket is written by too many at once")

// rateSlack is the tolerance for the time of a bucket beyond the time of an empty one, before the
// bucket is corrected: replicas know the servers' time with this accuracy.
const rateSlack = time.Second

// Take implements [mcprate.Store].
func (s rateStore) Take(ctx context.Context, key string, limit rate.Limit, burst, want int) (got int, retry time.Duration, err error) {
	hash := sha256.Sum256([]byte(key)) // any string may be a key
	subject := s.subject("rate", hex.EncodeToString(hash[:]))
	for try := range maxRateTries {
		full, version, err := s.load(ctx, subject)
		if err != nil {
			return 0, 0, err
		}
		now := s.clock.time()
		next, got, retry := gcra.Take(full, now, float64(limit), burst, want)
		// A time that no correct clock can have written is replaced; otherwise the bucket would
		// remain empty until then.
		if got == 0 && full.Sub(next) <= rateSlack {
			return 0, retry, nil
		}
		text := binary.BigEndian.AppendUint64(nil, uint64(next.UnixNano()))
		keep := wholeSeconds(next.Sub(now)) + time.Second // after that the bucket is full, like a missing one
		_, err = s.writeOne(ctx, s.rates, subject, version, keep, text)
		if err == nil {
			return got, retry, nil
		}
		if !wrongSequence(err) {
			return 0, 0, err
		}
		select {
		case <-time.After(time.Duration(rand.Int64N(int64(min(try+1, 20)) * int64(time.Millisecond)))):
		case <-ctx.Done():
			return 0, 0, context.Cause(ctx)
		}
	}
	return 0, 0, errBusyBucket
}

// load reads the time at which a bucket is full; the zero time means a full bucket.
func (s rateStore) load(ctx context.Context, subject string) (full time.Time, version uint64, err error) {
	m, err := s.last(ctx, s.rates, subject)
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return time.Time{}, 0, nil
	case err != nil:
		return time.Time{}, 0, err
	case len(m.Data) != 8:
		return time.Time{}, m.Sequence, nil
	}
	return time.Unix(0, int64(binary.BigEndian.Uint64(m.Data))), m.Sequence, nil
}
