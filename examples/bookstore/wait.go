package bookstore

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// maxPatience limits the time that WaitForCopies waits.
const maxPatience = 5 * time.Minute

// WaitForCopies waits until enough copies of a book are available, because some came in or a
// reservation was cancelled, and returns the book as it is then. It reserves nothing, so another
// customer may be faster.
//
//mcp:tool readonly group=reservations timeout=6m
//mcp:arg id minimum=1
//mcp:arg copies default=1 minimum=1 maximum=10
//mcp:arg patience default=30s
func (s *Store) WaitForCopies(
	ctx context.Context,
	id int64, // catalogue number of the book
	copies int, // how many copies have to be available
	patience time.Duration, // how long to wait, at most 5m
) (Book, error) {
	gone := errors.New("patience is at an end")
	waiting, cancel := context.WithTimeoutCause(ctx, min(patience, maxPatience), gone)
	defer cancel()
	for {
		changed := s.stocked.wait()
		book, err := bookByID(ctx, s.db, id)
		if err != nil {
			return Book{}, err
		}
		if book.Available >= copies {
			return book, nil
		}
		select {
		case <-changed:
		case <-waiting.Done():
			if errors.Is(context.Cause(waiting), gone) {
				return Book{}, fmt.Errorf("%w: %d of book %d after %v", ErrOutOfStock, book.Available, id, patience)
			}
			return Book{}, context.Cause(waiting)
		}
	}
}
