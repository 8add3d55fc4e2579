// Package jsonrpc reads and writes the JSON-RPC 2.0 envelope as the Model Context Protocol uses it:
// one pass over the message, strict where JSON libraries are lenient (duplicate keys, key case,
// text encoding, trailing data), identifiers kept byte for byte. It is for authors of transports;
// authors of tools do not need it.
//
// The parts are [Parse] and [Parser] for incoming messages, the Append functions for outgoing ones,
// and [Conn] with [NewLineConn] and [Pipe] for the framing of byte streams: one message per line,
// as in the specification's stdio transport.
package jsonrpc
