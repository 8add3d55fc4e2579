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

// Options are the limits of a [Pool]. A zero field means its default.
type Options struct {
	PerTarget int           // clients of one key: 10
	Total     int           // clients of all keys: 1000
	IdleTime  time.Duration // time after which an unused client is closed: 5 min
	Parallel  int           // concurrent leases of one client: unlimited
}

// Pool keeps clients open between uses. Its methods are safe for concurrent use.
type Pool struct {
	core *pool[*mcpclient.Client]
}

// New returns an empty pool.
func New(o Options) *Pool { return &Pool{newPool[*mcpclient.Client](o)} }

// Acquire returns a client for a key until [Lease.Release]: an open one with fewer than Parallel
// leases, or a new one that open returns, usually by [mcpclient.Connect]. If the key has PerTarget
// clients, or the pool has Total clients and no idle one, Acquire waits: in the order of the calls,
// until ctx is done.
//
// The key names the server and the credentials of its requests: all callers with one key share its
// clients. A key that names only the server lets one user act as another.
//
// Only one client of a key is opened at a time, in a caller's goroutine and with its context. That
// caller gets the error of open. Callers that wait for the key get it too, if the key has no other
// client and the opening caller's context is not done: they need not wait one after the other for a
// server that is down. A closed client is replaced, and the longest idle client is closed when
// Total is reached. After Close the error is [mcpclient.ErrClosed].
func (p *Pool) Acquire(ctx context.Context, key string, open func(context.Context) (*mcpclient.Client, error)) (*Lease, error) {
	l, err := p.core.acquire(ctx, key, open)
	if err != nil {
		return nil, err
	}
	return &Lease{core: l}, nil
}

// Close closes all clients, including those in use, and ends all waits. It returns when the clients
// are closed. It may be called more than once.
func (p *Pool) Close() error {
	p.core.close()
	return nil
}

// Lease is the right to use a client of a [Pool].
type Lease struct {
	core *lease[*mcpclient.Client]
}

// Client returns the client. The user must not close it, and must not use it after Release.
func (l *Lease) Client() *mcpclient.Client { return l.core.member.client }

// Release returns the client to the pool. It may be called more than once.
func (l *Lease) Release() { l.core.release() }

// withDefaults returns the options with defaults in place of zeros.
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
