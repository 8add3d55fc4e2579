//go:build !race

package mcphttp_test

const raceEnabled = false
