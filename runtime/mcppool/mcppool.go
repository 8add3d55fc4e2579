// Package mcppool keeps clients of MCP servers open between uses: for gateways, which call for many
// users, and for servers that answer one call at a time.
//
//	pool := mcppool.New(mcppool.Options{})
//	defer pool.Close()
//	lease, err := pool.Acquire(ctx, target.Key()+" "+user, func(ctx context.Context) (*mcpclient.Client, error) {
//		return mcpclient.Connect(ctx, target, mcpclient.Options{})
//	})
//	if err != nil {
//		return err
//	}
//	defer lease.Release()
//	result, err := lease.Client().Call(ctx, "search", map[string]any{"query": "sea"})
package mcppool

import (
	"context"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// Options are the bounds of a [Pool]. A zero field has its default.
type Options struct {
	PerTarget int           // clients of one key: 10
	Total     int           // clients of all keys: 1000
	IdleTime  time.Duration // until a client that is not in use is closed: 5 min
	Parallel  int           // leases of one client at a time: any number
}

// Pool keeps clients open between uses. It may be used by many goroutines.
type Pool struct {
	core *pool[*mcpclient.Client]
}

// New returns an empty pool.
func New(o Options) *Pool { return &Pool{newPool[*mcpclient.Client](o)} }

// Acquire returns a client of a key until [Lease.Release]. It is one that is open and has
// fewer than Parallel leases, or a new one that open returns, usually by [mcpclient.Connect]. Where the
// key has PerTarget clients, or the pool Total ones of which none is idle, Acquire waits: in
// the order of the calls, until ctx ends.
//
// The key names the server and whose credentials its requests carry: clients of one key are
// given to all that ask for it. A key of a server alone lets one user act as another.
//
// One client of a key is opened at a time, on the goroutine of a caller and with its context.
// An error of open goes to that caller. It also goes to those who wait for the key, if the
// key has no other client and the context of that caller has not ended: a server that is
// down does not make them wait one after the other. A client that has ended is replaced, and
// the longest idle one is closed where Total is reached. After Close the error is
// [mcpclient.ErrClosed].
func (p *Pool) Acquire(ctx context.Context, key string, open func(context.Context) (*mcpclient.Client, error)) (*Lease, error) {
	l, err := p.core.acquire(ctx, key, open)
	if err != nil {
		return nil, err
	}
	return &Lease{core: l}, nil
}

// Close closes all clients, those in use too, and ends what waits. It returns when they are
// closed. It may be called more than once.
func (p *Pool) Close() error {
	p.core.close()
	return nil
}

// Lease is the use of a client of a [Pool].
type Lease struct {
	core *lease[*mcpclient.Client]
}

// Client returns the client. It is not closed by its user, and not used after Release.
func (l *Lease) Client() *mcpclient.Client { return l.core.member.client }

// Release gives the client back. It may be called more than once.
func (l *Lease) Release() { l.core.release() }

// withDefaults returns the options with the defaults in the place of zeros.
func (o Options) withDefaults() Options {
	if o.PerTarget <= 0 {
		o.PerTarget = 10
	}
	if o.Total <= 0 {
		o.Total = 1000
	}
	if o.IdleTime <= 0 {
		o.IdleTime = 5 * time.Minute
	}
	o.Parallel = max(o.Parallel, 0)
	return o
}

// lease is one use of a member.
type lease[C pooled] struct {
	pool   *pool[C]
	member *member[C]
	once   sync.Once
}

func (l *lease[C]) release() { l.once.Do(func() { l.pool.release(l.member) }) }
