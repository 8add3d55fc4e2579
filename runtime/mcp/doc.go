// Package mcp serves tools, resources and prompts over the Model Context
// Protocol, in every revision of it: those of code that mcpgen generates and
// hand-written ones alike.
//
// A [Server] holds features. Generated code makes one with NewMCPServer or adds
// to one with RegisterMCP; [NewTool], [NewResource], [NewTemplate], [NewFiles] and
// [NewPrompt] make them by hand. [Server.ServeStdio]
// and [Server.Serve] answer a client; packages beside this one add other
// transports. Which revision is spoken is decided for each request, as the
// specification demands, and no handler has to know.
//
// Inside a handler the context says what call it is about, [CallFrom], and leads
// to the client: [Progress] and [Logger] tell it something, [Elicit], [ElicitURL],
// [Sample] and [Roots] ask it. A question is a request to the client where the
// revision has those, and the handler waits; from revision 2026-07-28 on it is
// the reply, and the handler runs again when the client comes back with the
// answer (see [ErrPending], [Once] and [InputRequired]).
//
// What a handler returns as an error reaches the model as a failed result;
// [Errorf] and [ProtocolError] say how.
package mcp
