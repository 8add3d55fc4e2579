//go:build race

package zoo_test

// slowdown is by how much fewer values are tried under the race detector.
const slowdown = 8
