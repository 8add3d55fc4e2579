// Package golangcilint holds nothing. Its module pins golangci-lint, in go.mod.
package golangcilint
