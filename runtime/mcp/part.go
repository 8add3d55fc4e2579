package mcp

import (
	"context"
	"encoding/json"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
)

// This file is what the core knows of tasks: interfaces that the files task_*.go implement. A server
// without a tool whose calls become tasks has no [serverPart], a plain call no [handlerPart], and a
// program without such tools links none of those files.

// serverPart holds the tasks of a server, for tools whose calls become tasks. Its methods are called by many
// goroutines.
type serverPart interface {
	// serve is called when the server begins to serve, any number of times.
	serve()
	// shutdown ends the tasks that run in this process.
	shutdown(ctx context.Context) error
	// call calls a tool for a client that takes tasks. It reports false for a call that is not to
	// become one.
	call(ctx context.Context, req *Request, f Feature) (reply Reply, taken bool, err error)
	// answer answers a method of tasks.
	answer(ctx context.Context, req *Request) (Reply, error)
	// listen returns those of the ids that are tasks of the caller.
	listen(ctx context.Context, x *exchange, ids []string) ([]string, error)
	// watch notifies a listen of a task, as it is and after changes, until one of both ends.
	watch(ctx context.Context, x *exchange, sub *subscriber, id string)
}

// toolPart is how calls of a tool become tasks.
type toolPart interface {
	// support is "required" if a call has to become a task, otherwise "optional".
	support() string
	// register is called before the tool is registered, and registered after that.
	register(s *Server) (registered func())
}

// handlerPart is part of the exchange of a handler whose call may become a task.
type handlerPart interface {
	// record returns the record of the task, nil while the call is none.
	record() record
	// asker returns what asks the questions of a task. It returns nil if the handler asks as that of a
	// plain call, which the call then remains.
	asker() asker
	// hasReply reports whether the request of the handler has a reply, so that it cannot ask.
	hasReply() bool
	// abandon replies for a handler that does not return in time. It reports false if the exchange is
	// to reply itself.
	abandon(x *exchange, late *engine.TimeoutError) bool
}

// record is where the handler of a task stores values and reports progress.
type record interface {
	Store(ctx context.Context, key string, value json.RawMessage) error
	Progress(done, total float64, message string)
}

// tasks returns the part of the server for tasks, nil before the first tool that has them.
func (s *Server) tasks() serverPart {
	if p := s.part.Load(); p != nil {
		return *p
	}
	return nil
}

// record returns the record of the task that a handler runs for, nil in a plain call.
func (x *exchange) record() record {
	if x.part == nil {
		return nil
	}
	return x.part.record()
}

// hasReply reports whether the request of a handler has its reply, so that it cannot ask.
func (x *exchange) hasReply() bool {
	if x.part == nil {
		return x.IsAnswered()
	}
	return x.part.hasReply()
}
