// Package generated contains the input of other generators. corpus/run-functions writes their
// output to out/generated.
package generated
