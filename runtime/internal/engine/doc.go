// Package engine implements the connections of a server, and the requests on them: it reads
// messages, starts requests, limits their time, memory and number, and queues and writes replies.
// It does not know features. The server above it creates each connection, request and session, as a
// type that contains the corresponding type of this package by value, and implements the interfaces
// of host.go.
package engine
