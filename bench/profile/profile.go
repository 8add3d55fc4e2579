// Package profile is empty, unless the program is built with the tag profile. Then the program
// writes a CPU profile from its start until SIGUSR1 to the path in BENCH_PROFILE with .cpu added,
// and an allocation profile with .mem added, which is empty unless BENCH_ALLOCS is also set.
package profile
