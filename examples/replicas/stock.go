package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// bucket is the key-value bucket with the stock: one key for each item.
const bucket = "shop-stock"

const (
	// maxSales limits the sales of an item that are recorded one by one. Older ones are only
	// counted.
	maxSales = 200
	// maxDeliveries limits the deliveries of an item whose names are remembered.
	maxDeliveries = 50
)

// record is the value of a key. Everything that a sale changes is in one record, so that one write
// completes the sale: copies are never both sold and in stock. Received is always Left plus the
// copies of all sales.
type record struct {
	Received int `json:"received"` // copies that came in
	Left     int `json:"left"`
	Settled  int `json:"settled"` // copies of sales that are no longer in Sales

	Sales      []sale   `json:"sales"`      // the oldest first
	Deliveries []string `json:"deliveries"` // the newest ones, the oldest first
}

// sale is an order by a caller.
type sale struct {
	Caller    string `json:"caller"`
	Reference string `json:"reference"`
	Copies    int    `json:"copies"`
}

// find returns the index of the sale of a caller with a reference, or -1.
func (r *record) find(caller, reference string) int {
	return slices.IndexFunc(r.Sales, func(s sale) bool { return s.Caller == caller && s.Reference == reference })
}

// sell adds a sale.
func (r *record) sell(s sale) {
	if len(r.Sales) == maxSales {
		r.Settled += r.Sales[0].Copies
		r.Sales = slices.Delete(r.Sales, 0, 1)
	}
	r.Left -= s.Copies
	r.Sales = append(r.Sales, s)
}

// takeBack removes a sale.
func (r *record) takeBack(i int) {
	r.Left += r.Sales[i].Copies
	r.Sales = slices.Delete(r.Sales, i, i+1)
}

// receive adds the copies of a delivery, unless it was added before.
func (r *record) receive(delivery string, copies int) (added bool) {
	if slices.Contains(r.Deliveries, delivery) {
		return false
	}
	if len(r.Deliveries) == maxDeliveries {
		r.Deliveries = slices.Delete(r.Deliveries, 0, 1)
	}
	r.Received += copies
	r.Left += copies
	r.Deliveries = append(r.Deliveries, delivery)
	return true
}

// stock is a client of the bucket.
type stock struct{ values jetstream.KeyValue }

// openStock opens the bucket, or creates it with a number of copies of each item, in a cluster with
// three replicas. It waits until JetStream answers, or ctx is cancelled.
func openStock(ctx context.Context, js jetstream.JetStream, cluster bool, copies int) (*stock, error) {
	for {
		s, err := tryOpenStock(ctx, js, cluster, copies)
		if err == nil {
			return s, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("open stock: %w", err)
		case <-time.After(100 * time.Millisecond): // a leader is being elected
		}
	}
}

func tryOpenStock(ctx context.Context, js jetstream.JetStream, cluster bool, copies int) (*stock, error) {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	values, err := js.KeyValue(ctx, bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		// CreateKeyValue would allow any server to answer reads, even one without the latest
		// writes.
		config := jetstream.StreamConfig{
			Name: "KV_" + bucket, Subjects: []string{"$KV." + bucket + ".>"}, MaxMsgsPerSubject: 1,
			Discard: jetstream.DiscardNew, AllowRollup: true, DenyDelete: true, Replicas: 1,
		}
		if cluster {
			config.Replicas = 3
		}
		if _, err = js.CreateStream(ctx, config); err != nil && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			return nil, err
		}
		values, err = js.KeyValue(ctx, bucket)
	}
	if err != nil {
		return nil, err
	}
	s := &stock{values}
	for _, i := range catalogue {
		// Another replica may have been first.
		if err := s.create(ctx, i.id, copies); err != nil && !errors.Is(err, jetstream.ErrKeyExists) {
			return nil, err
		}
	}
	return s, nil
}

// create adds an item unless the bucket contains it.
func (s *stock) create(ctx context.Context, item string, copies int) error {
	text, err := json.Marshal(record{Received: copies, Left: copies})
	if err != nil {
		return err
	}
	_, err = s.values.Create(ctx, item, text)
	return err
}

// read returns the record of an item.
func (s *stock) read(ctx context.Context, item string) (r record, err error) {
	err = retry(ctx, func(ctx context.Context) error {
		r, _, err = s.load(ctx, item)
		return err
	})
	return r, err
}

// update reads the record of an item, calls change, and writes the record unless another replica
// wrote it in the meantime; then it tries again. change returns false if the record needs no write.
// It must recognise its own change, since an earlier write may have succeeded without a response
// when a server was killed.
func (s *stock) update(ctx context.Context, item string, change func(*record) (write bool, err error)) error {
	return retry(ctx, func(ctx context.Context) error {
		r, version, err := s.load(ctx, item)
		if err != nil {
			return err
		}
		if write, err := change(&r); err != nil || !write {
			return err
		}
		text, err := json.Marshal(r)
		if err != nil {
			return err
		}
		if _, err := s.values.Update(ctx, item, text, version); err != nil {
			return fmt.Errorf("write stock of %s: %w", item, err)
		}
		return nil
	})
}

// load reads the record of an item once.
func (s *stock) load(ctx context.Context, item string) (r record, version uint64, err error) {
	entry, err := s.values.Get(ctx, item)
	if err != nil {
		return r, 0, fmt.Errorf("read stock of %s: %w", item, err)
	}
	if err := json.Unmarshal(entry.Value(), &r); err != nil {
		return r, 0, fmt.Errorf("read stock of %s: %w", item, err)
	}
	return r, entry.Revision(), nil
}

const (
	// tryTime limits the wait for a response. After the loss of a server a response may never come.
	tryTime = 2 * time.Second
	// retryTime limits the time for retries: it is longer than the election of a leader.
	retryTime = 10 * time.Second
)

// ErrUnavailable is returned if JetStream does not answer.
//
//mcp:error
var ErrUnavailable = errors.New("the stock cannot be read or changed at the moment: try again in a minute")

// retry calls a function until it returns nil or a permanent error.
func retry(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, retryTime)
	defer cancel()
	for try := 1; ; try++ {
		once, cancel := context.WithTimeout(ctx, tryTime)
		err := f(once)
		cancel()
		if err == nil || !isTemporary(err) {
			return err
		}
		select {
		case <-time.After(time.Duration(rand.Int64N(int64(min(try, 20)) * int64(time.Millisecond)))):
		case <-ctx.Done():
			slog.WarnContext(ctx, "JetStream does not answer", "error", err)
			return ErrUnavailable
		}
	}
}

// isTemporary reports whether another try may succeed: another replica was first, or a leader is
// being elected.
func isTemporary(err error) bool {
	if e, ok := errors.AsType[*jetstream.APIError](err); ok {
		return e.Code == 503 || e.Code == 408 || e.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
			e.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant
	}
	return errors.Is(err, jetstream.ErrKeyRevisionMismatch) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrNoResponders) ||
		errors.Is(err, jetstream.ErrNoStreamResponse)
}
