// Package clients adds servers to the configuration of clients, and removes them.
//
// It changes a client's file only where the entry is: comments, order, indentation, line ends and
// unknown members remain unchanged. It does not write a file that it cannot parse.
package clients
