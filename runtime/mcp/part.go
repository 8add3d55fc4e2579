package mcp

import (
	"context"
	"encoding/json"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
)

// This file defines the interfaces between the core and tasks, which the files task_*.go implement,
// and skills (skill_*.go). A server without a tool whose calls become tasks has no [serverPart],
// the exchange of a plain call no [handlerPart], and a plain resource no [resourcePart]. A program
// without such features links none of those files.

// serverPart manages the tasks of a server, for tools whose calls become tasks. Its methods are
// called by many goroutines.
type serverPart interface {
	// serve is called when the server begins to serve, any number of times.
	serve()
	// shutdown stops the tasks that run in this process.
	shutdown(ctx context.Context) error
	// call calls a tool for a client that supports tasks. taken is false for a call that is not to
	// become a task.
	call(ctx context.Context, req *Request, f Feature) (reply Reply, taken bool, err error)
	// answer answers a method of tasks.
	answer(ctx context.Context, req *Request) (Reply, error)
	// listen returns the ids that belong to tasks of the caller.
	listen(ctx context.Context, x *exchange, ids []string) ([]string, error)
	// watch notifies a listen of the state of a task, at first and after each change, until the
	// listen or the task ends.
	watch(ctx context.Context, x *exchange, sub *subscriber, id string)
}

// toolPart configures how calls of a tool become tasks.
type toolPart interface {
	// support is "required" if a call must become a task, otherwise "optional".
	support() string
	// register is called before the tool is registered, and the function that it returns after
	// that.
	register(s *Server) (registered func())
}

// handlerPart is the task state in the exchange of a handler whose call may become a task.
type handlerPart interface {
	// record returns the record of the task, or nil while the call is not a task.
	record() record
	// asker returns the asker for the questions of a task. It returns nil if the handler asks as in
	// a plain call; the call then does not become a task.
	asker() asker
	// hasReply reports whether the request of the handler already has its reply, so that the
	// handler cannot ask.
	hasReply() bool
	// abandon replies for a handler that does not return in time. It returns false if the exchange
	// is to reply itself.
	abandon(x *exchange, late *engine.TimeoutError) bool
}

// record is the place where the handler of a task stores values and reports progress.
type record interface {
	Store(ctx context.Context, key string, value json.RawMessage) error
	Progress(done, total float64, message string)
}

// resourcePart makes a resource more than one document: it answers for further URIs, depends on
// other features, and has an entry in the list of an extension. It does not change.
type resourcePart interface {
	// uris returns the further URIs, in their normal form.
	uris() []string
	// listings returns a description of each, as lists of resources have it.
	listings() []json.RawMessage
	// needs returns the features without which a request does not see the resource.
	needs() []neededFeature
	// entry returns the entry in the list of the extension.
	entry() []byte
	// check panics if the server cannot serve the resource.
	check(s *Server, r *resource)
	// brings returns the extension that a server with such a resource declares.
	brings() *extensions
	// begin is called when the server begins to serve. It panics if a needed feature is missing
	// that the program was to register.
	begin(s *Server, r *resource)
	// renamed returns a copy for a server whose features have the prefix.
	renamed(prefix string) resourcePart
}

// partOf returns the part of a resource, or nil for other features.
func partOf(f Feature) resourcePart {
	if r, ok := f.(*resource); ok {
		return r.part
	}
	return nil
}

// beginParts calls begin of all parts, and writes about missing pages to the log, before a server
// reads its first message. It is called without a lock, since it may log and panic.
func (s *Server) beginParts() {
	s.mu.RLock()
	items := s.sets[resourceSet].after(0)
	s.mu.RUnlock()
	for _, e := range items {
		if part := partOf(e.Feature); part != nil {
			part.begin(s, e.Feature.(*resource))
		}
	}
	if !s.begun.Swap(true) && s.showsPages() {
		s.warnOfPages()
	}
}

// neededFeature is a feature that another one depends on.
type neededFeature struct {
	set  int
	name string
}

// tasks returns the server's part for tasks, or nil if no tool has needed it yet.
func (s *Server) tasks() serverPart {
	if p := s.part.Load(); p != nil {
		return *p
	}
	return nil
}

// record returns the record of the task that a handler runs for, or nil in a plain call.
func (x *exchange) record() record {
	if x.part == nil {
		return nil
	}
	return x.part.record()
}

// hasReply reports whether the request of a handler already has its reply, so that the handler
// cannot ask.
func (x *exchange) hasReply() bool {
	if x.part == nil {
		return x.IsAnswered()
	}
	return x.part.hasReply()
}
