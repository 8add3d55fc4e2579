package bookstore

import (
	"errors"
	"fmt"
)

// ErrNotFound is returned if no book has the given number.
//
//mcp:error
var ErrNotFound = errors.New("no such book")

// ErrDuplicate is returned for a book that the catalogue already contains.
//
//mcp:error
var ErrDuplicate = errors.New("the catalogue has this book already")

// ErrOutOfStock is returned if fewer copies are available than requested.
//
//mcp:error
var ErrOutOfStock = errors.New("not enough copies available")

// ErrReserved is returned for a book with reserved copies, which cannot be removed.
//
//mcp:error
var ErrReserved = errors.New("copies of the book are reserved")

// ErrNoReservation is returned if the caller has no reservation with the given number.
//
//mcp:error
var ErrNoReservation = errors.New("you have no such reservation")

// ErrNoWords is returned for a search without words.
//
//mcp:error
var ErrNoWords = errors.New("the query has no words in it")

// ErrNameless is returned for a context whose caller has no name.
var ErrNameless = errors.New("the caller has no name")

// LimitError is the error for more copies than one caller may hold.
//
//mcp:error
type LimitError struct {
	Held  int // copies that the caller holds
	Asked int // copies requested in addition
	Limit int // copies that one caller may hold
}

// Error implements error.
func (e *LimitError) Error() string {
	return fmt.Sprintf("you hold %d copies and asked for %d more, the limit is %d", e.Held, e.Asked, e.Limit)
}
