// Package remote is what the command knows of servers that it calls by the protocol: how they are
// named, and how their schemas read as Go.
package remote
