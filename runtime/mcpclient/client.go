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

// Client is a client of one server. Several goroutines may call its methods. The next request opens
// a lost connection again; while a [Subscription] exists, the client opens it at once.
type Client struct {
	target    Target
	options   Options
	limits    Limits
	retry     Retry
	info      mcp.ClientInfo
	log       *slog.Logger
	era       targetEra
	testing   dial.Testing // the target if it is a dial.Testing, else nil
	results   resultCache
	metas     [][]byte // additions of each revision to _meta, by Revision.Index
	sender    Sender   // the interceptors around attempts
	inFlight  chan struct{}
	questions chan struct{} // one element per question that is being answered
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
	retired  []*connection // still in use by requests; see connection.replace
	opening  *opening
	opened   bool      // there was a connection before
	openedAt time.Time // when the newest connection was opened
	losses   int       // consecutive losses, each within Retry.Max
	closed   bool
	err      error // why the client was closed
	level    string
	subs     []*Subscription
	running  int           // number of goroutines started by spawn
	idle     chan struct{} // closed when the last goroutine ends after Close
}

// Connect connects to a server and negotiates the protocol revision. It returns when ctx is done,
// even if the server does not respond. The client remains open after that, until [Client.Close].
//
// The error is a *RevisionError, *StatusError, *ExitError, *ConnectionError,
// *ProtocolViolationError or *LimitError, [ErrTimeout] after Limits.ConnectTime, the cause of ctx,
// or an error about contradictory Options.
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

// endTime is the maximum time for which a failed Connect waits for its cleanup.
const endTime = 100 * time.Millisecond

// endSoon closes the client without waiting for a server that ends slowly.
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

// Server returns the server's description of itself: its reply to initialize or server/discover.
func (c *Client) Server(ctx context.Context) (*DiscoverResult, error) {
	x, err := c.connected(ctx)
	if err != nil {
		return nil, c.wrap("", err)
	}
	return x.server, nil
}

// Close closes the client. Requests in flight fail with [ErrClosed], a session is ended, a program
// is stopped. Each step takes at most Limits.CloseTime. Close cancels the contexts of functions of
// Options that still run, and does not wait for them. Close may be called more than once.
func (c *Client) Close() error {
	c.end(ErrClosed)
	return nil
}

// Done returns a channel that is closed after Close.
func (c *Client) Done() <-chan struct{} { return c.done }

// Err returns [ErrClosed] after Close, and nil before.
func (c *Client) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// end closes the client, and returns when its goroutines have returned.
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
	c.stop(why) // also stops opening a connection, and pauses
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
	// Read of a Dialer's connection may not return when the connection is closed.
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

// reason returns nil if the user has closed the client, else why.
func reason(why error) error {
	if errors.Is(why, ErrClosed) {
		return nil
	}
	return why
}

// spawn runs a function in a client goroutine. The function must return when the client's context
// ends or its connection is closed, and must not call functions of users. Close waits for it.
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

// idleTime returns the maximum time that a request waits since the last sign of life.
func (c *Client) idleTime(o *requestOptions) time.Duration {
	if o.timeout > 0 {
		return o.timeout
	}
	return c.limits.RequestTime
}

// maxTime returns the maximum duration of a request.
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

// Request sends any request, such as one of an extension, and returns its result unchanged. The
// params are an object: a struct, a map, a json.RawMessage, or nil. Request adds the members of
// _meta that the revision requires.
func (c *Client) Request(ctx context.Context, method string, params any, options ...RequestOption) (json.RawMessage, error) {
	data, err := object(params, "params of "+method)
	if err != nil {
		return nil, err
	}
	return c.rounds(ctx, &Request{Method: method, Name: requestName(method, data), Params: data, options: c.apply(options)})
}

// Notify sends any notification. It accepts the same params as [Client.Request]. Over HTTP it waits
// until the server accepts the notification, up to Limits.RequestTime; over other transports it
// does not wait.
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

// Ping checks whether the server replies: by ping, or by server/discover in a revision without
// ping.
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

// SetLogLevel sets the lowest level of log messages to receive: in a session by a request, in a
// revision without sessions with each later request. It also applies after the connection is opened
// again.
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

// RootsChanged notifies the server that Options.Roots now returns other roots, if the revision has
// such a notification.
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
