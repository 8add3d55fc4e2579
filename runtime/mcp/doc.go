// Package mcp serves tools, resources and prompts over the Model Context
// Protocol, in every revision of it: those of code that mcpgen generates and
// hand-written ones alike.
//
// A [Server] holds features. Generated code makes one with NewMCPServer or adds
// to one with RegisterMCP; [NewTool], [NewResource], [NewTemplate], [NewFiles] and
// [NewPrompt] make them by hand. [Server.ServeStdio]
// and [Server.Serve] serve a client; packages beside this one add other transports. Each request
// has its own revision, as the specification requires, and handlers are independent of it.
//
// The context of a handler has the call ([CallFrom]) and a way to the client: [Progress] and
// [Logger] send to it, [Elicit], [ElicitURL], [Sample] and [Roots] ask it. A question is a request
// to the client if the revision has those, and the handler waits. From revision 2026-07-28 on it
// is the reply, and the handler runs again when the client calls again with the answer (see
// [ErrPending], [Once] and [InputRequired]).
//
// An error of a handler becomes a failed result, which the model reads; see [Errorf] and
// [ProtocolError].
package mcp
