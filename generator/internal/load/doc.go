// Package load reads Go packages for the generator.
//
// Only the packages that are asked for are read as source; the types of all
// others come from the compiler's export data, which is what keeps it close to
// the time of go list -export. The packages are type-checked as if they had no
// generated file, so a stale one, or one with merge markers, does no harm, and
// neither does code that calls what is yet to be generated: errors of the type
// checker are kept, not judged, and [InvalidIn] says whether they concern a
// signature.
//
// [Docs] gives the doc comments of every object that the types lead to,
// whatever package it is in.
package load
