// Package tracing tests that spans of other people's clients are the parents of those of our servers.
package tracing
