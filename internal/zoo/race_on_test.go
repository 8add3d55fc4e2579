//go:build race

package zoo_test

// slowdown is the factor by which fewer values are tried under the race detector.
const slowdown = 8
