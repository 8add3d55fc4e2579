package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// attempts sends a request until it receives a reply or must not send the request again. It is the
// innermost Sender.
func (c *Client) attempts(ctx context.Context, r *Request) (json.RawMessage, error) {
	if len(c.options.Interceptors) > 0 {
		var err error
		if r, err = intercepted(r); err != nil {
			return nil, c.wrap(r.Method, err)
		}
	}
	var done progressOfAttempts
	for attempt := 1; ; attempt++ {
		if ctx.Err() != nil {
			return nil, c.wrap(r.Method, context.Cause(ctx))
		}
		x, err := c.connectedFor(ctx, r.options)
		if err != nil {
			return nil, done.wrap(c, r.Method, err)
		}
		if err := c.supports(x, r.Method); err != nil {
			return nil, err
		}
		if err := c.enterFlight(ctx, r.options); err != nil {
			return nil, c.wrap(r.Method, err)
		}
		result, err := x.request(ctx, r)
		<-c.inFlight
		if err == nil {
			if x.assumed.Load() {
				x.assumed.Store(false)
			}
			return result, nil
		}
		done.note(err)
		replaced := x.assumed.CompareAndSwap(true, false) && c.isReplaced(ctx, x, err)
		if ctx.Err() != nil {
			return nil, c.wrap(r.Method, err)
		}
		if attempt >= c.retry.Attempts {
			err = done.wrap(c, r.Method, err)
			if lost, ok := err.(*ConnectionError); ok {
				lost.Attempts = attempt
			}
			return nil, err
		}
		if replaced {
			continue
		}
		wait, again := c.again(ctx, x, r, err, attempt, &done)
		if !again {
			return nil, done.wrap(c, r.Method, err)
		}
		if cause := c.pause(ctx, r.options, wait); cause != nil {
			return nil, c.wrap(r.Method, &timeoutError{cause, unnamed(done.wrap(c, "", err))})
		}
	}
}

// intercepted returns the request in the form in which it is sent. Interceptors may have created or
// changed it: a message contains no line breaks, and the header fields carry the same name as the
// params.
func intercepted(r *Request) (*Request, error) {
	sent := *r
	var err error
	if sent.Params, err = object(r.Params, "params of "+r.Method); err != nil {
		return r, err
	}
	sent.Name = requestName(sent.Method, sent.Params)
	if sent.options == nil {
		sent.options = new(requestOptions)
	}
	return &sent, nil
}

// enterFlight waits until fewer than Limits.InFlight requests are in flight.
func (c *Client) enterFlight(ctx context.Context, o *requestOptions) error {
	select {
	case c.inFlight <- struct{}{}:
		return nil
	default:
	}
	ctx, cancel := o.within(ctx)
	defer cancel()
	select {
	case c.inFlight <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// pause waits before the next attempt of a request. It returns an error if the request is over, or
// will be over before the next attempt.
func (c *Client) pause(ctx context.Context, o *requestOptions, d time.Duration) error {
	if !o.deadline.IsZero() && time.Until(o.deadline) <= d {
		return errMaxTime
	}
	return sleep(ctx, c.ctx, d)
}

// progressOfAttempts records the steps that are done once per request.
type progressOfAttempts struct {
	probed, listed, reopened bool
	sent                     bool // an attempt may have run
}

// note records the error of an attempt.
func (d *progressOfAttempts) note(err error) {
	switch e := err.(type) {
	case *lost:
		d.sent = d.sent || e.sent
	case *dial.Error:
		d.sent = d.sent || e.Sent
	case *dial.Status:
		d.sent = d.sent || e.Status >= 500
	}
}

// wrap calls Client.wrap with the error of the last attempt. The request may have run in an earlier
// attempt.
func (d *progressOfAttempts) wrap(c *Client, method string, err error) error {
	err = c.wrap(method, err)
	if e, ok := err.(*ConnectionError); ok && d.sent && !e.Sent {
		sent := *e
		sent.Sent = true
		return &sent
	}
	return err
}

// again reports whether to send a request again after an error, and after which delay: requests
// that certainly have not run, and requests that may run twice.
func (c *Client) again(ctx context.Context, x *connection, r *Request, err error, attempt int, done *progressOfAttempts) (time.Duration, bool) {
	backoff := c.retry.backoff(attempt, 0)
	switch e := err.(type) {
	case *dial.SessionLost:
		x.replace(e)
		// A server that does not know a new session will not know the next one either.
		again := !done.reopened
		done.reopened = true
		return 0, again
	case *lost:
		return 0, !e.sent || c.mayRunTwice(r)
	case *dial.Error:
		if !e.Sent {
			return backoff, e.Again
		}
		return backoff, c.mayRunTwice(r)
	case *dial.Status:
		switch e.Status {
		case 429:
			return c.retry.backoff(attempt, e.RetryAfter), true
		case 502, 503, 504:
			return c.retry.backoff(attempt, e.RetryAfter), c.mayRunTwice(r)
		case 400, 404, 405, 501:
			// The server may have been replaced by one of another revision.
			if !done.probed && x.revision.Load().PerRequest && c.forget() {
				done.probed = true
				x.replace(errReplaced)
				return 0, true
			}
		}
	case *jsonrpc.Error:
		switch {
		case e.Code == protocol.CodeUnsupportedVersion && !done.probed && x.revision.Load().PerRequest:
			done.probed = true
			c.forget()
			x.replace(errReplaced)
			return 0, true
		case e.Code == protocol.CodeHeaderMismatch && !done.listed && r.Method == protocol.ToolsCall.String():
			// The definition of the tool has changed, or the client has never read it.
			done.listed = true
			return 0, c.refreshTool(ctx, r)
		}
	}
	return 0, false
}

// backoff returns the delay before the next attempt: the delay that the server requests, up to Max,
// or a delay that doubles with each attempt, minus a random part of at most half.
func (r *Retry) backoff(attempts int, asked time.Duration) time.Duration {
	if asked > 0 {
		return min(asked, r.Max)
	}
	d := r.First
	for range attempts - 1 {
		if d *= 2; d >= r.Max {
			d = r.Max
			break
		}
	}
	return d/2 + rand.N(d/2+1)
}

// sleep waits for d, or until one of the contexts ends.
func sleep(ctx, client context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-client.Done():
		return context.Cause(client)
	}
}

// mayRunTwice reports whether a request that may have run can be sent again.
func (c *Client) mayRunTwice(r *Request) bool {
	if r.options.idempotent {
		return true
	}
	switch protocol.MethodOf(r.Method) {
	case protocol.Discover, protocol.Ping, protocol.ToolsList, protocol.ResourcesList, protocol.ResourcesTemplatesList, protocol.ResourcesRead,
		protocol.PromptsList, protocol.PromptsGet, protocol.Complete, protocol.SetLevel, protocol.Listen, protocol.ResourcesSubscribe, protocol.ResourcesUnsubscribe:
		return true
	case protocol.ToolsCall:
		return c.retry.TrustHints && c.tools.repeatable(r.Name)
	}
	return false
}

// wrap converts an error for the user: it adds the server name and the method.
func (c *Client) wrap(method string, err error) error {
	target := c.target.Name()
	switch e := err.(type) {
	case nil:
		return nil
	case *jsonrpc.Error, *ToolError, *UnsupportedError, *ConnectionError, *StatusError, *ExitError, *RevisionError, *ProtocolViolationError:
		return err
	case *LimitError:
		named := *e
		named.Target, named.Method = target, method
		return &named
	case *dial.Violation:
		return &ProtocolViolationError{Target: target, Method: method, Text: e.Text, Bytes: e.Bytes}
	case *dial.TooLarge:
		return &LimitError{Target: target, Method: method, What: e.What, Limit: limitOf(e), Value: e.Limit}
	case *dial.Status:
		return &StatusError{
			Target: target, Method: method, Status: e.Status, ContentType: e.ContentType, Body: e.Body, RetryAfter: e.RetryAfter, Location: e.Location, Err: e.Err,
		}
	case *dial.Exit:
		return &ExitError{Target: target, Status: e.Status, Code: e.Code, Stderr: e.Stderr}
	case *dial.SessionLost:
		return &ConnectionError{Target: target, Method: method, Err: err}
	case *dial.Error:
		return c.wrapLost(method, e.Sent, e.Err)
	case *lost:
		return c.wrapLost(method, e.sent, e.err)
	}
	return &requestError{prefix(target, method), err}
}

// wrapLost converts the loss of a connection for the user. It returns a separate error if the
// client was closed.
func (c *Client) wrapLost(method string, sent bool, why error) error {
	if errors.Is(why, ErrClosed) {
		return &requestError{prefix(c.target.Name(), method), ErrClosed}
	}
	if _, ok := why.(*dial.SessionLost); !ok {
		why = unnamed(c.wrap("", why))
	}
	return &ConnectionError{Target: c.target.Name(), Method: method, Sent: sent, Err: why}
}

// unnamed returns an error without the server name, which the surrounding error contains.
func unnamed(err error) error {
	switch e := err.(type) {
	case *requestError:
		return e.err
	case *ExitError:
		named := *e
		named.Target = ""
		return &named
	case *ProtocolViolationError:
		named := *e
		named.Target = ""
		return &named
	case *LimitError:
		named := *e
		named.Target = ""
		return &named
	case *StatusError:
		named := *e
		named.Target = ""
		return &named
	case *ConnectionError:
		named := *e
		named.Target = ""
		return &named
	}
	return err
}

// requestError adds the server and the method to an error.
type requestError struct {
	prefix string
	err    error
}

func (e *requestError) Error() string { return e.prefix + e.err.Error() }
func (e *requestError) Unwrap() error { return e.err }

// limitOf returns the field of Limits that sets the limit, or "".
func limitOf(e *dial.TooLarge) string {
	if e.Header {
		return ""
	}
	return "MessageBytes"
}
