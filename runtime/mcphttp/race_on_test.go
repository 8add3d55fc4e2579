//go:build race

package mcphttp_test

const raceEnabled = true
