package bookstore

import (
	"context"
	"fmt"
)

// SimilarBook is a book with the subjects that it shares with another one.
type SimilarBook struct {
	Book
	// Shared are the subjects that both books have.
	Shared []string `json:"shared"`
}

// SimilarBooks finds the books that share most subjects with a given one. Of two that share as
// many, the one closer in time comes first.
//
//mcp:tool readonly group=catalogue
//mcp:arg id minimum=1
//mcp:arg limit default=5 minimum=1 maximum=50
func (s *Store) SimilarBooks(
	ctx context.Context,
	id int64, // catalogue number of the book to compare with
	limit int, // the most books to return
) ([]SimilarBook, error) {
	book, err := bookByID(ctx, s.db, id)
	if err != nil {
		return nil, err
	}
	scan := func(row func(...any) error, v *SimilarBook) error {
		var shared string
		err := scanBook(row, &v.Book, &shared)
		v.Shared = lines(shared)
		return err
	}
	all, err := collect(ctx, s.db, scan, `SELECT `+bookColumns+`, group_concat(other.subject, char(10))
		FROM subjects AS own
		JOIN subjects AS other ON other.subject = own.subject AND other.book <> own.book
		JOIN books AS b ON b.id = other.book
		WHERE own.book = ?
		GROUP BY b.id
		ORDER BY count(*) DESC, abs(b.year - ?), b.id
		LIMIT ?`, id, book.Year, limit)
	if err != nil {
		return nil, fmt.Errorf("compare with book %d: %w", id, err)
	}
	return all, nil
}
