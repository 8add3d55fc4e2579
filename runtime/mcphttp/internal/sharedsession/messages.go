package sharedsession

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file sends messages between the copies of a session. A message is handled on a goroutine
// that the store started, which must not wait for clients or functions of users.

// ErrNoReplica is the reason for refusing a response of the client.
var ErrNoReplica = errors.New("the replica that has sent this request has ended, or it is one of another session")

// messageKind is the subject of a message.
type messageKind string

const (
	stateMessage    messageKind = "state"    // the record has changed
	endMessage      messageKind = "end"      // the session is closed
	clientMessage   messageKind = "client"   // a notification or response of the client
	listenMessage   messageKind = "listen"   // the client has opened the standalone stream elsewhere
	releasedMessage messageKind = "released" // the client is to resume a stream after a while
	resumedMessage  messageKind = "resumed"  // the client reads a stream elsewhere
	runsMessage     messageKind = "runs"     // to the copy that may run a call: taken if it does
)

// message is a message from one copy to others.
type message struct {
	Kind    messageKind             `json:"kind"`
	From    string                  `json:"from"`
	State   *transport.SessionState `json:"state,omitempty"`
	Version uint64                  `json:"version,omitempty"` // version of the record
	Changed uint64                  `json:"changed,omitempty"` // see record
	Text    json.RawMessage         `json:"text,omitempty"`    // message of the client
	Stream  string                  `json:"stream,omitempty"`
	Retry   time.Duration           `json:"retry,omitempty"`
}

// sendAll sends a message to all copies. An error is only logged, because copies read the record
// again after a while.
func (c *Session) sendAll(ctx context.Context, m message) {
	if _, err := c.send(ctx, "", m); err != nil {
		c.Fails(ctx, "other replicas cannot be notified of a change of a session", err)
	}
}

// send sends a message to one copy, or to all, and reports whether that one copy has taken it.
func (c *Session) send(ctx context.Context, to string, m message) (taken bool, err error) {
	m.From = c.name
	text, err := json.Marshal(&m)
	if err != nil {
		return false, err
	}
	sealed, err := c.Host.Seal(ctx, sessionPurpose(c.ID), text)
	if err != nil {
		return false, err
	}
	return fromStore(ctx, func(ctx context.Context) (bool, error) { return c.Store.Send(ctx, c.ID, to, sealed) })
}

// receive handles a message of another copy. It reports whether it has taken a message that is for
// this copy only.
func (c *Session) receive(sealed []byte) (taken bool) {
	l := c.local.Load()
	if sealed == nil || l == nil {
		c.lost.Store(true)
		return false
	}
	text, ok, err := c.Host.Unseal(context.Background(), sessionPurpose(c.ID), sealed)
	var m message
	if err != nil || !ok || json.Unmarshal(text, &m) != nil {
		c.lost.Store(true)
		return false
	}
	if m.From == c.name {
		return false
	}
	switch m.Kind {
	case stateMessage:
		c.mu.Lock()
		c.apply(*m.State, m.Version, m.Changed)
		c.mu.Unlock()
	case endMessage:
		go l.End() // a goroutine, because End waits until Receive has stopped
	case clientMessage:
		return c.deliver(l, m.Text)
	case listenMessage:
		l.Detach(0)
	case releasedMessage:
		c.releaseFollower(m.Stream, m.Retry)
	case resumedMessage:
		c.setFollower(m.Stream, nil)
	case runsMessage:
		return c.runs(m.Stream)
	}
	return false
}

// deliver passes a message of the client to the connection.
func (c *Session) deliver(l *local, text []byte) bool {
	in := c.Host.NewMessage()
	if !in.Room(len(text)) || in.Parse(text) != nil {
		in.Drop()
		return false
	}
	if kind := in.Message().Kind; kind != jsonrpc.Notification && kind != jsonrpc.Response {
		in.Drop()
		return false
	}
	l.Deliver(in)
	return true
}

// changesSession reports whether a message can change the state of a session that replicas share.
func changesSession(m *jsonrpc.Message) bool {
	switch string(m.Method) {
	case protocol.Initialized, protocol.SetLevel.String(), protocol.ResourcesSubscribe.String(), protocol.ResourcesUnsubscribe.String():
		return true
	}
	return m.Kind == jsonrpc.Batch
}

// Forward sends messages about calls at other replicas to these replicas: notifications to all, and
// a response to the replica that has asked. It reports whether the message was delivered there; an
// error means that it could not be delivered.
func (c *Session) Forward(ctx context.Context, m *jsonrpc.Message, text []byte) (delivered bool, err error) {
	switch m.Kind {
	case jsonrpc.Response:
		id, _ := jsonrpc.String(m.ID.Raw())
		name, _, asked := strings.Cut(id, requestMark)
		if !asked || !isRandomText(name) {
			return false, nil
		}
		if name == c.name {
			return false, nil
		}
		taken, err := c.send(ctx, name, message{Kind: clientMessage, Text: text})
		if err == nil && !taken {
			err = ErrNoReplica
		}
		return true, err
	case jsonrpc.Notification:
		if string(m.Method) != protocol.Initialized { // initialized is stored in the record instead
			_, err = c.send(ctx, "", message{Kind: clientMessage, Text: text})
		}
	case jsonrpc.Batch:
		jsonrpc.Elements(m.Batch, func(element []byte) bool {
			in := c.Host.NewMessage()
			defer in.Drop()
			element = slices.Clone(element) // a copy, since Drop reuses the storage
			if in.Room(len(element)) && in.Parse(element) == nil && in.Message().Kind != jsonrpc.Batch {
				_, err = c.Forward(ctx, in.Message(), element)
			}
			return err == nil
		})
	}
	return false, err
}

// requestMark separates the name of a copy from a number in the ids of requests to the client.
const requestMark = "-"
