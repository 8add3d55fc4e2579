//go:build race

package mcptask_test

const raceEnabled = true
