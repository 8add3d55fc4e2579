//go:build race

package mcpfind

const raceEnabled = true
