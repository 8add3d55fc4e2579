package mcpimpl

// Untagged returns f, a function that has been converted to a type whose structs without a name
// have no tags. It hides the conversion from the compiler.
//
//go:noinline
func Untagged[F any](f F) F { return f }
