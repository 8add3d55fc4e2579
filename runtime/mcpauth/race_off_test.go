//go:build !race

package mcpauth_test

// raceEnabled is set in builds with the race detector, whose pools drop what they keep at random.
const raceEnabled = false
