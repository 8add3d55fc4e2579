package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var setLevel = protocol.SetLevel.String()

// handshake negotiates the protocol revision with a server. It may replace the connection.
type handshake struct {
	client *Client
	x      *connection
	silent *pending // the probe, if its reply has not arrived in time
}

func (h *handshake) run(ctx context.Context) error {
	c := h.client
	if l, ok := h.x.conn.(dial.Legacy); ok && l.Legacy() {
		return h.initialize(ctx)
	}
	if want := revisionOf(c.options.Revision); want != nil {
		if want.PerRequest {
			return h.probe(ctx, want)
		}
		return h.initialize(ctx)
	}
	if r, discover := c.era.get(); r != nil {
		var err error
		if r.PerRequest {
			err = h.useDiscover(r, discover)
		} else {
			err = h.initialize(ctx)
		}
		if err == nil {
			h.x.assumed.Store(r.PerRequest)
			return nil
		}
		// Another server may be running now. openUntil opens a lost connection again.
		c.era.drop()
		if h.x.isGone() || ctx.Err() != nil {
			return err
		}
	}
	return h.probe(ctx, newestModern())
}

// revisionOf returns the revision of a version string, or nil if it is unknown.
func revisionOf(version string) *protocol.Revision {
	i := slices.IndexFunc(protocol.All, func(r *protocol.Revision) bool { return r.Version == version })
	if i < 0 {
		return nil
	}
	return protocol.All[i]
}

// newestModern returns the newest revision without sessions.
func newestModern() *protocol.Revision { return protocol.All[len(protocol.All)-1] }

// probe probes the server in a revision without sessions, and acts on its reply.
func (h *handshake) probe(ctx context.Context, r *protocol.Revision) error {
	c := h.client
	f := probeFacts{target: c.target.Name(), over: h.kind(), want: revisionOf(c.options.Revision)}
	for {
		h.x.revision.Store(r)
		answer := h.ask(ctx, f.want == nil && !f.again)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		v := classify(answer, f)
		switch v.kind {
		case speaksModern:
			return h.speakModern(v.revision, answer.result)
		case askAgain:
			r, f.again = v.revision, true
		case speaksLegacy:
			return h.speakLegacy(ctx, v.keep)
		case startAgain:
			if err := h.replace(ctx); err != nil {
				return err
			}
			return h.speakLegacy(ctx, v.keep)
		default: // openUntil connects again if that may help
			if v.kind == tryLater && answer.ended {
				return &lost{err: v.err}
			}
			return v.err
		}
	}
}

// kind returns the kind of the transport.
func (h *handshake) kind() probeTransport {
	if h.x.requester != nil {
		return overHTTP
	}
	if r, ok := h.client.target.(dial.Restarter); ok && r.Restarts() {
		return overProgram
	}
	return overStream
}

// speakLegacy opens a session, and stores the revision.
func (h *handshake) speakLegacy(ctx context.Context, keep bool) error {
	if err := h.initialize(ctx); err != nil {
		return err
	}
	if r := h.x.revision.Load(); keep && !r.PerRequest {
		h.client.era.put(r, nil)
	}
	return nil
}

// speakModern switches to a revision without sessions, and stores it.
func (h *handshake) speakModern(r *protocol.Revision, discover json.RawMessage) error {
	if err := h.useDiscover(r, discover); err != nil {
		return err
	}
	h.client.era.put(r, discover)
	return nil
}

// useDiscover switches to a revision without sessions, with the result of server/discover.
func (h *handshake) useDiscover(r *protocol.Revision, discover json.RawMessage) error {
	server, err := readDiscover(discover)
	if err != nil {
		return err
	}
	h.x.revision.Store(r)
	h.x.server = server
	h.x.initialized.Store(true)
	return nil
}

// ask sends server/discover. On a stream it waits only for probeTime if a timeout has a meaning;
// the request then remains open, since its reply may arrive later. Over HTTP it waits for half of
// ConnectTime, to leave time for a second attempt. If only this revision is acceptable, it waits as
// for any request, within ConnectTime.
func (h *handshake) ask(ctx context.Context, briefly bool) probeAnswer {
	x := h.x
	r := &Request{Method: protocol.Discover.String(), options: new(requestOptions)}
	if x.requester != nil {
		if briefly {
			r.options.timeout = min(h.client.limits.RequestTime, h.client.limits.ConnectTime/2)
		}
		a := answerOf(x.request(ctx, r))
		a.silence = errors.Is(a.err, ErrTimeout)
		return a
	}
	p, err := x.enter(r.Method, r.options)
	if err != nil {
		return answerOf(nil, err)
	}
	message, err := x.appendRequest(nil, p, r)
	if err != nil {
		x.leave(p)
		return answerOf(nil, err)
	}
	x.out.add(message, p)
	wait := h.client.limits.RequestTime
	if briefly {
		wait = h.client.limits.probeTime()
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-p.arrived:
		return answerOf(p.result, p.err)
	case <-timer.C:
		h.silent = p
		return probeAnswer{silence: true}
	case <-ctx.Done():
		x.leave(p)
		return probeAnswer{err: context.Cause(ctx)}
	}
}

func answerOf(result json.RawMessage, err error) probeAnswer {
	if e, ok := err.(*jsonrpc.Error); ok {
		return probeAnswer{failure: e}
	}
	if e, ok := err.(*lost); ok {
		return probeAnswer{ended: true, err: e.err}
	}
	if err != nil {
		return probeAnswer{err: err}
	}
	return probeAnswer{result: result}
}

// replace connects again, to a program that has exited.
func (h *handshake) replace(ctx context.Context) error {
	h.x.close(errReplaced)
	h.silent = nil
	if err := h.client.exits.givenUp(); err != nil {
		return err
	}
	conn, err := h.client.target.Dial(ctx, h.client.dialOptions())
	if err != nil {
		return err
	}
	h.x = newConnection(h.client, conn)
	return nil
}

// initialize opens a session: in the newest revision with sessions, or the revision of Options.
func (h *handshake) initialize(ctx context.Context) error {
	c := h.client
	asked := protocol.Latest
	if want := revisionOf(c.options.Revision); want != nil && !want.PerRequest {
		asked = want
	}
	params := addMember([]byte{'{'}, "protocolVersion", wire.AppendString(nil, asked.Version))
	params = addMember(params, "capabilities", c.appendCapabilities(nil, asked))
	params = append(addMember(params, "clientInfo", c.appendInfo(nil, asked)), '}')
	h.x.revision.Store(nil)
	r := &Request{Method: protocol.Initialize.String(), Params: params, options: c.apply(nil)}
	result, err := h.send(ctx, r)
	if s, ok := errors.AsType[*dial.Status](err); ok && h.x.requester != nil && (s.Status == 400 || s.Status == 404 || s.Status == 405) {
		stream, sseErr := h.x.requester.OpenSSE(ctx)
		if sseErr != nil || stream == nil {
			return err // the error of initialize is more specific
		}
		h.x.fail(errReplaced)
		h.x = newConnection(c, stream)
		result, err = h.send(ctx, r)
	}
	if err != nil || h.x.initialized.Load() {
		return err
	}
	return h.beginSession(ctx, result)
}

// send sends initialize. If the reply to the probe arrives first, and shows a server without
// sessions, no session is opened.
func (h *handshake) send(ctx context.Context, r *Request) (json.RawMessage, error) {
	if h.silent == nil {
		return h.x.request(ctx, r)
	}
	x := h.x
	p, err := x.enter(r.Method, r.options)
	if err != nil {
		return nil, err
	}
	message, err := x.appendRequest(nil, p, r)
	if err != nil {
		x.leave(p)
		return nil, err
	}
	x.out.add(message, p)
	late := h.silent.arrived
	defer x.leave(h.silent)
	timer := time.NewTimer(h.client.limits.RequestTime)
	defer timer.Stop()
	for {
		select {
		case <-p.arrived:
			return p.result, p.err
		case <-late:
			late = nil
			v := classify(answerOf(h.silent.result, h.silent.err), probeFacts{target: h.client.target.Name(), over: h.kind()})
			if v.kind == speaksModern {
				x.leave(p)
				return nil, h.speakModern(v.revision, h.silent.result)
			}
		case <-timer.C:
			x.leave(p)
			return nil, ErrTimeout
		case <-ctx.Done():
			x.leave(p)
			return nil, context.Cause(ctx)
		}
	}
}

// beginSession reads the result of initialize, and sends notifications/initialized.
func (h *handshake) beginSession(ctx context.Context, result json.RawMessage) error {
	c, x := h.client, h.x
	version, server, err := readInitialize(result)
	if err != nil {
		return err
	}
	r := revisionOf(version)
	want := revisionOf(c.options.Revision)
	if r == nil || r.PerRequest || want != nil && r != want {
		return &RevisionError{Target: c.target.Name(), Want: c.options.Revision, Offered: []string{version}}
	}
	x.revision.Store(r)
	x.server = server
	if err := x.notify(ctx, protocol.Initialized, nil); err != nil {
		return err
	}
	x.initialized.Store(true)
	return nil
}
