package testbed

import "runtime"

// MemoryInUse returns the size of the live heap and of the stacks.
func MemoryInUse() int64 {
	runtime.GC()
	runtime.GC() // pools keep objects for one collection
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc) + int64(m.StackInuse)
}
