// Package remote supports the command's calls of servers by the protocol: the names of servers, and
// their schemas as Go types.
package remote
