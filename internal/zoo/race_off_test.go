//go:build !race

package zoo_test

const slowdown = 1
