// Package tracing tests that spans of third-party clients are the parents of the spans of mcpgen's
// servers.
package tracing
