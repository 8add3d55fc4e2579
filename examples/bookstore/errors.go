package bookstore

import (
	"errors"
	"fmt"
)

// ErrNotFound says that no book has the number asked for.
//
//mcp:error
var ErrNotFound = errors.New("no such book")

// ErrDuplicate says that a book is in the catalogue already.
//
//mcp:error
var ErrDuplicate = errors.New("the catalogue has this book already")

// ErrOutOfStock says that fewer copies are available than were asked for.
//
//mcp:error
var ErrOutOfStock = errors.New("not enough copies available")

// ErrReserved says that a book cannot go while copies of it are reserved.
//
//mcp:error
var ErrReserved = errors.New("copies of the book are reserved")

// ErrNoReservation says that a caller has no reservation of that number.
//
//mcp:error
var ErrNoReservation = errors.New("you have no such reservation")

// ErrNoWords says that a search has nothing to look for.
//
//mcp:error
var ErrNoWords = errors.New("the query has no words in it")

// ErrNameless says that a context names a caller without a name.
var ErrNameless = errors.New("the caller has no name")

// LimitError says that a caller asked for more copies than one may hold.
//
//mcp:error
type LimitError struct {
	Held  int // copies that the caller holds
	Asked int // copies asked for on top of them
	Limit int // copies that one caller may hold
}

// Error implements error.
func (e *LimitError) Error() string {
	return fmt.Sprintf("you hold %d copies and asked for %d more, the limit is %d", e.Held, e.Asked, e.Limit)
}
