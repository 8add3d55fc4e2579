// Package load reads Go packages for the generator.
//
// Only the packages that are asked for are read as source; the types of all others come from the
// compiler's export data, which is what keeps it close to the time of go list -export. The packages
// are type-checked as if they had no generated file, so neither a stale one, nor one with merge
// markers, nor code that calls what is yet to be generated matters: errors of the type checker are
// collected, and [InvalidIn] reports whether they concern a signature.
//
// [Docs] gives the doc comments of every object that the types lead to, whatever package it is in.
package load
