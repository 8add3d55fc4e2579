package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Client is a client of one server. Its methods may be called by many goroutines. A lost
// connection is opened again by the next request, or at once while a [Subscription] exists.
type Client struct {
	target    Target
	options   Options
	limits    Limits
	retry     Retry
	info      mcp.ClientInfo
	log       *slog.Logger
	era       targetEra
	testing   dial.Testing // the target if it is one; nil otherwise
	results   resultCache
	metas     [][]byte // what each revision adds to _meta, by Revision.Index
	sender    Sender   // the interceptors, and attempts inside
	inFlight  chan struct{}
	questions chan struct{} // that are being answered
	events    events
	links     links
	tools     knownTools
	exits     exits

	ctx  context.Context // ends with the client
	stop context.CancelCauseFunc
	done chan struct{}

	revision atomic.Pointer[protocol.Revision] // of the newest connection

	mu       sync.Mutex
	current  *connection   // nil after a loss
	retired  []*connection // that requests still use; see connection.replace
	opening  *opening
	opened   bool      // there was a connection before
	openedAt time.Time // the newest one
	losses   int       // connections that were lost one after the other, each within Retry.Max
	closed   bool
	err      error // why the client has ended
	level    string
	subs     []*Subscription
	running  int           // goroutines of spawn
	idle     chan struct{} // closed when the last of them ends, after Close
}

// Connect connects to a server, and finds out which revision it speaks. It returns when ctx
// ends, whatever the server does; the client goes on after that, until [Client.Close].
//
// The error is a *RevisionError, *StatusError, *ExitError, *ConnectionError,
// *ProtocolViolationError or *LimitError, [ErrTimeout] after Limits.ConnectTime, the cause
// of ctx, or one of Options that contradict each other.
func Connect(ctx context.Context, to Target, o Options) (*Client, error) {
	c, err := newClient(to, o)
	if err != nil {
		return nil, err
	}
	if _, err := c.connected(ctx); err != nil {
		c.endSoon()
		return nil, c.wrap("", err)
	}
	return c, nil
}

// endTime is how long Connect waits for the end of what it has begun.
const endTime = 100 * time.Millisecond

// endSoon ends the client, and does not wait for a server that ends slowly.
func (c *Client) endSoon() {
	go c.end(ErrClosed)
	timer := time.NewTimer(endTime)
	defer timer.Stop()
	select {
	case <-c.done:
	case <-timer.C:
	}
}

func newClient(to Target, o Options) (*Client, error) {
	if to == nil {
		return nil, errors.New("mcpclient: Connect: the target is nil")
	}
	if o.Revision != "" && !slices.Contains(protocol.Versions, o.Revision) {
		return nil, fmt.Errorf("mcpclient: Options.Revision: there is no revision %q; this client speaks %q", o.Revision, protocol.Versions)
	}
	if o.LogLevel != "" && !slices.Contains(protocol.Levels, o.LogLevel) {
		return nil, fmt.Errorf("mcpclient: Options.LogLevel: there is no level %q; the levels are %q", o.LogLevel, protocol.Levels)
	}
	for _, f := range []struct {
		field string
		given *map[string]json.RawMessage
	}{{"Extensions", &o.Extensions}, {"Experimental", &o.Experimental}} {
		declared := maps.Clone(*f.given) // other clients may have the same Options
		*f.given = declared
		for _, name := range sortedKeys(declared) {
			value, err := object(declared[name], "Options."+f.field+" "+name)
			if err != nil {
				return nil, err
			}
			if value == nil {
				return nil, fmt.Errorf("mcpclient: Options.%s %s must be an object; {} where it has no members", f.field, name)
			}
			declared[name] = value
		}
	}
	if (o.SampleTools || o.SampleContext) && o.Sample == nil {
		return nil, errors.New("mcpclient: Options.SampleTools and SampleContext have no effect without Options.Sample")
	}
	c := &Client{
		target: to, options: o, limits: o.Limits.withDefaults(), retry: o.Retry.withDefaults(), info: infoOf(o.Info),
		log: o.Logger, era: targetEra{o.Eras, to}, level: o.LogLevel, done: make(chan struct{}),
	}
	c.testing, _ = to.(dial.Testing)
	if c.log == nil {
		c.log = slog.Default()
	}
	if o.Eras == nil {
		c.era.store = processEras
	}
	c.results = resultCache{cache: o.Cache, target: to, key: to.Key(), declared: c.appendCapabilities(nil, newestModern())}
	if o.Cache == nil {
		c.results.cache = NewCache(c.limits.CacheBytes, 0)
	}
	for _, r := range protocol.All {
		c.metas = append(c.metas, c.makeMeta(r))
	}
	c.inFlight = make(chan struct{}, c.limits.InFlight)
	c.questions = make(chan struct{}, c.limits.Questions)
	c.events = events{client: c, limit: c.limits.QueueBytes}
	c.ctx, c.stop = context.WithCancelCause(context.Background())
	c.sender = c.attempts
	for _, intercept := range slices.Backward(o.Interceptors) {
		c.sender = intercept(c.sender)
	}
	return c, nil
}

// Revision returns the protocol revision in use, such as 2025-11-25.
func (c *Client) Revision() string {
	if r := c.revision.Load(); r != nil {
		return r.Version
	}
	return ""
}

// Server returns what the server says of itself: its reply to initialize or
// server/discover.
func (c *Client) Server(ctx context.Context) (*DiscoverResult, error) {
	x, err := c.connected(ctx)
	if err != nil {
		return nil, c.wrap("", err)
	}
	return x.server, nil
}

// Close ends the client: what waits fails with [ErrClosed], a session is ended, a program is
// stopped. Each step takes at most Limits.CloseTime. Functions of Options that still run are
// not waited for; their contexts have ended. Close may be called more than once.
func (c *Client) Close() error {
	c.end(ErrClosed)
	return nil
}

// Done is closed when the client has ended, by Close.
func (c *Client) Done() <-chan struct{} { return c.done }

// Err returns [ErrClosed] when the client has ended, nil while it has not.
func (c *Client) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// end ends the client, and returns when its goroutines have ended.
func (c *Client) end(why error) {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		<-c.done
		return
	}
	c.closed = true
	c.err = why
	x := c.current
	c.current = nil
	retired := slices.Clone(c.retired)
	subs := slices.Clone(c.subs)
	c.mu.Unlock()
	c.stop(why) // ends an opening too, and pauses
	for _, s := range subs {
		s.finish(why)
	}
	for _, x := range retired {
		x.fail(why)
	}
	if x != nil {
		x.close(why)
	}
	idle := make(chan struct{})
	c.mu.Lock()
	if c.idle = idle; c.running == 0 {
		close(idle)
	}
	c.mu.Unlock()
	// A connection of a Dialer may not end its Read when it is closed.
	timer := time.NewTimer(4 * c.limits.CloseTime)
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C:
		c.log.Warn("mcpclient: the connection has not ended after Close", "server", c.target.Name())
	}
	c.events.state(State{Kind: Closed, Err: reason(why)})
	c.events.finish()
	close(c.done)
}

// reason leaves out that the user has closed the client.
func reason(why error) error {
	if errors.Is(why, ErrClosed) {
		return nil
	}
	return why
}

// spawn runs a function of the client, which must end when the context of the client does
// or its connection is closed, and must not call functions of users. Close waits for it.
func (c *Client) spawn(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spawnLocked(f)
}

// spawnLocked is spawn for a caller that holds the lock.
func (c *Client) spawnLocked(f func()) {
	c.running++
	go func() {
		defer func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.running--; c.running == 0 && c.idle != nil {
				select {
				case <-c.idle:
				default:
					close(c.idle)
				}
			}
		}()
		f()
	}()
}

func (c *Client) reportViolation(err error) { c.events.violation(c.wrap("", err)) }

// idleTime is how long a request waits since the last sign of life.
func (c *Client) idleTime(o *requestOptions) time.Duration {
	if o.timeout > 0 {
		return o.timeout
	}
	return c.limits.RequestTime
}

// maxTime is how long a request may take.
func (c *Client) maxTime(o *requestOptions) time.Duration {
	if o.deadline.IsZero() {
		return c.limits.MaxTime
	}
	return time.Until(o.deadline)
}

func (c *Client) logLevel() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.level
}

// apply returns the options of one request.
func (c *Client) apply(options []RequestOption) *requestOptions {
	o := &requestOptions{client: c}
	for _, option := range options {
		option(o)
	}
	most := o.maxTime
	if most <= 0 {
		most = c.limits.MaxTime
	}
	o.deadline = time.Now().Add(most)
	return o
}

// Request sends any request, such as one of an extension, and returns its result unchanged. The params are
// an object: a struct, a map, a json.RawMessage, or nil. What the revision requires in _meta is added.
func (c *Client) Request(ctx context.Context, method string, params any, options ...RequestOption) (json.RawMessage, error) {
	data, err := object(params, "params of "+method)
	if err != nil {
		return nil, err
	}
	return c.rounds(ctx, &Request{Method: method, Name: requestName(method, data), Params: data, options: c.apply(options)})
}

// Notify sends any notification. The params are as those of [Client.Request]. Over HTTP it waits
// until the server has accepted it, for Limits.RequestTime at most; over other transports it does
// not wait.
func (c *Client) Notify(ctx context.Context, method string, params any) error {
	data, err := object(params, "params of "+method)
	if err != nil {
		return err
	}
	for first := true; ; first = false {
		x, err := c.connected(ctx)
		if err != nil {
			return c.wrap(method, err)
		}
		err = x.notify(ctx, method, data)
		if !isSessionLost(err) || !first {
			return c.wrap(method, err)
		}
		x.replace(err)
	}
}

// Ping finds out whether the server replies: by ping, or server/discover in a revision that
// has no ping.
func (c *Client) Ping(ctx context.Context) error {
	o := c.apply(nil)
	x, err := c.connectedFor(ctx, o)
	if err != nil {
		return c.wrap(protocol.Ping.String(), err)
	}
	method := protocol.Ping
	if !x.has(method) {
		method = protocol.Discover
	}
	_, err = c.rounds(ctx, &Request{Method: method.String(), options: o})
	return err
}

// SetLogLevel sets the lowest level of log messages to get: in a session by a request, in a
// revision without sessions with each later request. It is kept when the connection is
// opened again.
func (c *Client) SetLogLevel(ctx context.Context, level string) error {
	if !slices.Contains(protocol.Levels, level) {
		return fmt.Errorf("mcpclient: there is no log level %q; the levels are %q", level, protocol.Levels)
	}
	x, err := c.connected(ctx)
	if err != nil {
		return c.wrap(protocol.SetLevel.String(), err)
	}
	if x.has(protocol.SetLevel) {
		if _, err := c.rounds(ctx, setLevelRequest(level, c.apply(nil))); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.level = level
	return nil
}

func setLevelRequest(level string, o *requestOptions) *Request {
	params := append(addMember([]byte{'{'}, "level", wire.AppendString(nil, level)), '}')
	return &Request{Method: protocol.SetLevel.String(), Params: params, options: o}
}

// RootsChanged notifies the server that Options.Roots returns other roots now, if the
// revision has such a notification.
func (c *Client) RootsChanged(ctx context.Context) error {
	x, err := c.connected(ctx)
	if err != nil {
		return c.wrap(protocol.RootsListChanged, err)
	}
	r := x.revision.Load()
	if c.options.Roots == nil || !slices.Contains(r.ClientMessages.Notifications, protocol.RootsListChanged) {
		return nil
	}
	return c.Notify(ctx, protocol.RootsListChanged, nil)
}
