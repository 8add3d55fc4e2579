// Package zoo has a tool for every kind of Go type, and for every combination of them that is known
// to go wrong somewhere. Each tool takes a type and returns it, so that its schemas, its decoder
// and its encoder can be compared with each other, with encoding/json and with another reflector.
//
//mcp:server name=zoo title="Zoo of types"
package zoo
