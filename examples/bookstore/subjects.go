package bookstore

import (
	"context"
	"fmt"
)

// Subject is a subject of the catalogue, with the number of its books.
type Subject struct {
	Name  string `json:"name"`
	Books int    `json:"books"`
}

// ListSubjects returns what the books are about, the most frequent first. The names are good words
// for search_books.
//
//mcp:tool readonly group=catalogue
//mcp:arg limit default=50 minimum=1 maximum=500
func (s *Store) ListSubjects(
	ctx context.Context,
	language *Language, // only subjects of books first written in this language
	limit int, // the most subjects to return
) ([]Subject, error) {
	scan := func(row func(...any) error, v *Subject) error {
		return row(&v.Name, &v.Books)
	}
	all, err := collect(ctx, s.db, scan, `SELECT subject, count(*) AS n
		FROM subjects JOIN books AS b ON b.id = book
		WHERE ?1 IS NULL OR b.language = ?1
		GROUP BY subject ORDER BY n DESC, subject LIMIT ?2`, (*string)(language), limit)
	if err != nil {
		return nil, fmt.Errorf("list subjects: %w", err)
	}
	return all, nil
}
