//go:build !unix

package regularfile

// FlagNonblock makes opening a pipe not wait for its writer, where the system has such a
// flag.
const FlagNonblock = 0
