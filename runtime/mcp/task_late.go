package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/taskcall"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file is answers of clients to questions of tasks whose request to the client has ended: the replica that sent it was
// killed, or could not use its store. Where replicas share a session, the id of such a request names the question, so that any replica can
// store the answer, and no client is asked twice.

// taskMark is between the number of a request and the question of a task.
const taskMark = "-t"

// questionID returns the end of the id of a request with a question of a task.
func questionID(task, question string) string {
	return taskMark + base64.RawURLEncoding.EncodeToString([]byte(task+" "+question))
}

// parseQuestionID parses an id that ends with the result of questionID. The names are the client's: they give no access.
func parseQuestionID(id string) (task, question string, ok bool) {
	_, encoded, found := strings.Cut(id, taskMark)
	if !found {
		return "", "", false
	}
	text, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		return "", "", false
	}
	return strings.Cut(string(text), " ")
}

func (l *transportConn) Waits(id jsonrpc.ID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, waits := l.requests.open[id.Key()]
	return waits
}

func (l *transportConn) IsForTask(id jsonrpc.ID) bool {
	text, _ := jsonrpc.String(id.Raw())
	_, _, ok := parseQuestionID(text)
	return ok && l.server.hasTasks.Load()
}

func (l *transportConn) AnswerTask(ctx context.Context, from transport.Caller, m *jsonrpc.Message) error {
	text, _ := jsonrpc.String(m.ID.Raw())
	task, question, ok := parseQuestionID(text)
	if !ok || !l.server.hasTasks.Load() {
		return nil
	}
	x := (*conn)(l).requestOfAnswer(newCaller(from))
	if x == nil {
		return nil
	}
	defer x.stop(nil)
	answer := json.RawMessage(emptyObject) // see askForTask
	if m.Error == nil {
		answer = append(json.RawMessage(nil), m.Result...)
	}
	authorize := func(tool string) error { return authorizeTask(&x.ctx, l.server, x, tool) }
	err := taskServer(l.server).Answer(ctx, taskCaller(x), task, map[string]json.RawMessage{question: answer}, authorize)
	if _, refused := errors.AsType[*ProtocolError](err); refused || errors.Is(err, taskcall.ErrUnknown) {
		return nil // as for an answer to no request
	}
	return err
}

// requestOfAnswer returns a request for the caller of an answer; nil without a session.
func (c *conn) requestOfAnswer(from *caller) *exchange {
	c.mu.Lock()
	session := c.session
	c.mu.Unlock()
	if session == nil || session.revision == nil {
		return nil
	}
	x := &exchange{
		conn: c, sink: c.out, revision: session.revision, method: protocol.TasksUpdate, inSession: session, from: *from,
		exchangeReply: exchangeReply{answered: true},
	}
	x.ctx.x, x.call.x = x, x
	x.call.method, x.call.client = protocol.TasksUpdate.String(), session.client
	return x
}
