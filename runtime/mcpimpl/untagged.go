package mcpimpl

// Untagged returns f, a function converted to a type whose unnamed structs have no tags. It hides
// the conversion from the compiler.
//
//go:noinline
func Untagged[F any](f F) F { return f }
