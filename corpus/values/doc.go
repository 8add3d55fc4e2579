// Package values sends values to the tools that corpus/wrap makes of API packages, each of which
// returns the struct that it takes, and holds the answers against two oracles that share nothing
// with the generator: a JSON Schema validator with the published schemas, and encoding/json with
// the Go types.
//
// A server runs and is called over its transports. The values are made in two ways: from the
// published input schemas, then changed into wrong ones, and by filling Go values by reflection.
// Nothing of the proof in internal/proof/zoo/prove is used.
package values
