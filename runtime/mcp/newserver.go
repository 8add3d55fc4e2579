package mcp

import (
	"fmt"
	"log/slog"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file composes a server of its parts. Only programs and generated code call it.

// NewServer returns a server without features. Generated code calls it. It panics if the website is
// not a URL or an icon is not valid.
func NewServer(info ServerInfo, options ...Option) *Server {
	s := &Server{info: info, log: logs.New(slog.Default()), limits: defaultLimits}
	for _, option := range options {
		option(s)
	}
	if s.keys == nil && s.storeKeys != nil {
		s.keys = &stateKeys{source: s.storeKeys}
	}
	if s.keys == nil {
		s.keys = fixedKeys(nil)
	}
	if s.store == nil {
		s.store = newLocalStore()
	}
	if s.info.Version == "" {
		s.info.Version = buildVersion()
	}
	if err := s.info.check(); err != nil {
		panic(fmt.Sprintf("mcp: info of server %q: %v", s.info.Name, err))
	}
	s.configure()
	s.handler = s.handle
	if len(s.interceptors) > 0 {
		s.handler = intercept(recovered(s.handle), s.interceptors)
	}
	if len(s.sessionHooks) > 0 {
		s.handler = s.hooked(s.handler)
	}
	s.handler = s.timed(s.handler)
	if s.finder != nil {
		s.finder.register(s)
	}
	return s
}

// configure sets the part of the connections' state that is the same for all, and the parts of
// replies that do not change.
func (s *Server) configure() {
	l := &s.limits
	s.published = publisher{
		info: &s.info, declared: s.extensions.settings, resultBytes: l.ResultBytes, resourceBytes: l.ResourceBytes,
	}
	for i, rev := range protocol.All {
		s.published.identity[i] = s.info.appendImplementation(nil, &rev.Fields, false)
	}
	s.settings.Log = s.log
	if s.changes != nil {
		s.changes.log = s.log
	}
	s.settings.Limits = engine.Limits{
		Depth: l.Depth, InFlight: l.InFlight, OpenQuestions: l.openQuestions(),
		ResultBytes: l.ResultBytes, QueueBytes: l.QueueBytes, ProgressRate: l.ProgressRate, LogRate: l.LogRate,
		CallTime: l.CallTime, QuestionTime: l.QuestionTime,
		WriteTime: l.WriteTime, DrainTime: l.DrainTime, GraceTime: l.GraceTime,
	}
	s.settings.Memory = membudget.New(int64(l.Memory), engine.LargeReplies)
	s.settings.Parser = jsonrpc.Parser{MaxDepth: l.Depth, Deferred: "arguments"}
	s.settings.Calls = clientlimit.NewCounter(l.Calls, clientlimit.Share(l.Calls, l.ClientShare))
	s.settings.Listens = clientlimit.NewCounter(l.Listens, clientlimit.Share(l.Listens, l.ClientShare))
}
