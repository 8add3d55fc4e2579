//go:build race

package hardening_test

// raceEnabled says that everything takes many times as long.
const raceEnabled = true
