package testbed

import "runtime"

// Goroutines counts the goroutines of the process. It stops all of them for that: [runtime.NumGoroutine] counts ended ones, too,
// while another thread moves them from one list of free ones to another, 33 at a time.
func Goroutines() int {
	n, _ := runtime.GoroutineProfile(make([]runtime.StackRecord, 1)) // no goroutine is stopped for none
	return n
}
