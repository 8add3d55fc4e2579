//go:build !unix

package regularfile

const flagNonblock = 0
