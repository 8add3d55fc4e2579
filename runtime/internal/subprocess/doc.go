// Package subprocess runs a program whose standard input and output are a stream of
// messages, for the client.
//
// An open connection has one goroutine of its own. It keeps the end of standard error, and
// notices when the program ends. Ending a connection takes one more for a moment.
//
// The program has a process group of its own where the system has groups. On Linux its
// process is not waited for before the group has been signalled for the last time, so that
// no other process can have got its id.
package subprocess
