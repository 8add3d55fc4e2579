//go:build !race

package mcpfind

const raceEnabled = false
