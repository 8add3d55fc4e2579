package bookstore

import (
	"context"
	"fmt"
	"strings"
	"unicode"
)

// Sort is the order of a list of books.
type Sort string

const (
	ByRelevance Sort = "relevance" // best match first
	ByTitle     Sort = "title"     // alphabetically
	ByYear      Sort = "year"      // oldest first
	ByPrice     Sort = "price"     // cheapest first
)

// clause returns the ORDER BY clause of s. A match in the title ranks above one among the authors,
// and that above one among the subjects.
func (s Sort) clause() string {
	switch s {
	case ByTitle:
		return "b.title COLLATE NOCASE, b.id"
	case ByYear:
		return "b.year, b.id"
	case ByPrice:
		return "b.price_cents, b.id"
	default:
		return "bm25(words, 10, 5, 2), b.id"
	}
}

// maxWords limits the work of one search.
const maxWords = 16

// SearchBooks finds the books whose title, authors and subjects together have all the words of a
// query. Word endings, case and accents do not matter, so "sea" finds "seas" and "bronte" finds
// Brontë. It returns one page of books and the total number of matches.
//
//mcp:tool readonly group=catalogue
//mcp:arg query minLength=1 maxLength=200 examples=`["sea stories"]`
//mcp:arg maxPriceCents minimum=1
//mcp:arg sort default=relevance
//mcp:arg limit default=20 minimum=1 maximum=100
//mcp:arg offset default=0 minimum=0
func (s *Store) SearchBooks(
	ctx context.Context,
	query string, // words to look for; a book must have all of them
	language *Language, // only books first written in this language
	maxPriceCents *int, // only books that cost at most this much, in euro cents
	sort Sort, // order of the books
	limit int, // the most books to return
	offset int, // how many matches to skip, to see the next page
) (books []Book, total int, err error) {
	match, err := matchAll(query)
	if err != nil {
		return nil, 0, err
	}
	from := "FROM words JOIN books AS b ON b.id = words.rowid WHERE words MATCH ?"
	args := []any{match}
	if language != nil {
		from += " AND b.language = ?"
		args = append(args, string(*language))
	}
	if maxPriceCents != nil {
		from += " AND b.price_cents <= ?"
		args = append(args, *maxPriceCents)
	}
	if err := s.db.QueryRowContext(ctx, "SELECT count(*) "+from, args...).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count matches: %w", err)
	}
	books, err = collect(ctx, s.db, scanOne,
		"SELECT "+bookColumns+" "+from+" ORDER BY "+sort.clause()+" LIMIT ? OFFSET ?",
		append(args, limit, offset)...)
	if err != nil {
		return nil, 0, fmt.Errorf("search books: %w", err)
	}
	return books, total, nil
}

func scanOne(row func(...any) error, b *Book) error {
	return scanBook(row, b)
}

// matchAll returns an FTS5 expression that matches texts with every word of a query. The words are
// quoted, so that FTS5 reads none as an operator, a column or a prefix.
func matchAll(query string) (string, error) {
	words := strings.FieldsFunc(query, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	})
	if len(words) == 0 {
		return "", ErrNoWords
	}
	words = words[:min(len(words), maxWords)]
	return `"` + strings.Join(words, `" "`) + `"`, nil
}
