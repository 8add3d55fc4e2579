// Package mcpotel records spans and metrics of servers with OpenTelemetry, by its semantic
// conventions for MCP. [Instrument] returns an option for a server, and [TaskOptions] options for a
// store of tasks:
//
//	server := NewMCPServer(store, mcpotel.Instrument())
//
// docs/serve/observability.md lists the recorded attributes and metrics.
package mcpotel
