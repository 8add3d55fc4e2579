// Package profile is empty, unless the program is built with the tag profile. Then
// the program writes a profile of its CPU time from the start until SIGUSR1 to the
// path of BENCH_PROFILE with .cpu added, and one of its allocations with .mem added,
// which is empty unless BENCH_ALLOCS is set, too.
package profile
