package sharedsession

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/usercode"
)

// Store is mcphttp.SessionStore.
type Store interface {
	Create(ctx context.Context, id string, record []byte, idle time.Duration) (version uint64, err error)
	Load(ctx context.Context, id string) (record []byte, version uint64, err error)
	Update(ctx context.Context, id string, record []byte, version uint64) (uint64, error)
	Touch(ctx context.Context, id string) error
	Delete(ctx context.Context, id string) error

	Append(ctx context.Context, id, stream string, after uint64, event []byte) error
	Events(ctx context.Context, id, stream string, after uint64) iter.Seq2[Event, error]

	Send(ctx context.Context, id, to string, message []byte) (taken bool, err error)
	Receive(ctx context.Context, id, name string, handle func(message []byte) (taken bool)) (stop func(), err error)
}

// Event is mcphttp.Event.
type Event struct {
	Sequence uint64
	Data     []byte
}

// Errors of a [Store].
var (
	ErrNoSession = errors.New("no such session")
	ErrConflict  = errors.New("changed in the meantime")
	ErrGone      = errors.New("events are no longer kept")
)

// storeWait limits the time of an operation of the store.
const storeWait = 5 * time.Second

var errStoreSlow = errors.New("the session store has not answered within " + storeWait.String())

// fromStore returns the result of a method of the store, which may take up to storeWait.
func fromStore[T any](ctx context.Context, f func(context.Context) (T, error)) (result T, err error) {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), storeWait, errStoreSlow)
	defer cancel()
	results := make(chan T, 1) // buffered, since f may return later
	err = usercode.Within(ctx, "the session store", func() error {
		result, err := f(ctx)
		results <- result
		return err
	})
	select {
	case result = <-results:
	default:
	}
	return result, err
}

// withStore is like fromStore for methods that return only an error.
func withStore(ctx context.Context, f func(context.Context) error) error {
	_, err := fromStore(ctx, func(ctx context.Context) (struct{}, error) { return struct{}{}, f(ctx) })
	return err
}
