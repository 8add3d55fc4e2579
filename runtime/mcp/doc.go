// Package mcp serves tools over the Model Context Protocol, in every revision of
// it, to code that mcpgen generates and to hand-written features alike.
//
// A [Server] holds features. Generated code makes one with NewMCPServer or adds
// to one with RegisterMCP; [NewTool] makes a tool by hand. [Server.ServeStdio]
// and [Server.Serve] answer a client; packages beside this one add other
// transports. Which revision is spoken is decided for each request, as the
// specification demands, and no handler has to know.
//
// Inside a handler the context says what call it is about: [CallFrom],
// [Logger]. What a handler returns as an error reaches the model as a failed
// result; [Errorf] and [ProtocolError] say how.
package mcp
