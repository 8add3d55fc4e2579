// Package mcpotel records spans and metrics of servers with OpenTelemetry, by its semantic conventions
// for MCP. [Instrument] is an option of a server, and [TaskOptions] are those of a store of tasks:
//
//	server := NewMCPServer(store, mcpotel.Instrument())
//
// docs/observability.md lists what is recorded.
package mcpotel
