// Package load reads Go packages for the generator.
//
// Only the requested packages are read as source; the types of all others come from the compiler's
// export data, so that loading takes little longer than go list -export. The packages are
// type-checked as if they had no generated file, so neither a stale one, nor one with merge
// markers, nor code that calls functions not generated yet matters: errors of the type checker are
// collected, and [InvalidIn] reports whether they concern a signature.
//
// [Docs] returns the doc comments of every object that the types lead to, in any package.
package load
