//go:build !race

package mcpclient

// raceEnabled is set in builds with the race detector, which allocates by itself.
const raceEnabled = false
