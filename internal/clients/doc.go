// Package clients adds servers to the configuration of clients, and takes them out again.
//
// A file of a client is changed where the entry is, and nowhere else: comments, order,
// indentation, line ends and members that are not known here stay as they are. A file that
// cannot be parsed is not written.
package clients
