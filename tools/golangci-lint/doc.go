// Package golangcilint is empty. Its go.mod pins golangci-lint.
package golangcilint
