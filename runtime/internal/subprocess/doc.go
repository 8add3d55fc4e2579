// Package subprocess runs a program whose standard input and output are a stream of messages, for
// the client.
//
// An open connection has one goroutine. It keeps the last part of standard error, and notices when
// the program exits. Closing a connection takes one more for a moment.
//
// The program leads a process group of its own on systems with process groups. On Linux its process
// is reaped only after the last signal to the group, so that no other process can have got its id.
package subprocess
