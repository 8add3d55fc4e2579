// Package elsewhere has types that types of the zoo are made of, and that are made of them.
package elsewhere

// Group is several of anything.
type Group[T any] struct {
	Name    string `json:"name"`
	Members []T    `json:"members"`
}
