//go:build !unix

package regularfile

// FlagNonblock makes opening a pipe not wait for its writer, if the system supports that.
const FlagNonblock = 0
