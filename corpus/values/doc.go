// Package values sends values to the tools that corpus/wrap generates from API packages, each of
// which returns its argument, and compares the results with two oracles that share no code with the
// generator: a JSON Schema validator with the published schemas, and encoding/json with the Go
// types.
//
// It calls a running server over its transports. It generates values in two ways: from the
// published input schemas, which it then also makes invalid, and by filling Go values by
// reflection. It does not use internal/proof/zoo/prove.
package values
