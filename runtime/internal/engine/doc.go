// Package engine is the connections of a server, and the requests on them: it reads messages, starts
// requests, limits their time, their memory and their number, and writes and queues replies. It knows no
// feature. The server above it makes each connection, request and session, as a type that contains the
// one of this package by value, and implements the interfaces of host.go.
package engine
