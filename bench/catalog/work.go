package catalog

import (
	"context"
	"errors"
	"strconv"
	"strings"
)

// Steps is the number of progress notifications of Report.
const Steps = 10

// MaxRecords is the number of records.
const MaxRecords = 5000

// MaxText limits the length of a text in bytes.
const MaxText = 1 << 20

// ErrNoBook is returned for a number without a book.
var ErrNoBook = errors.New("no such book")

// Add adds.
func Add(a, b int64) Sum { return Sum{Sum: a + b} }

// Search returns the same seven books for every query, about 1.1 KB of JSON. Total is the limit of
// the query, so that answers differ.
func Search(q *Query) Hits { return Hits{Total: q.Limit, Books: books, Took: 0.0123} }

// Text returns the text.
func Text(text string) string { return text }

// List returns the first records.
func List(count int) Records { return Records{Items: records[:count]} }

// Report takes ten steps without work, and reports progress after each.
func Report(ctx context.Context, tell func(ctx context.Context, done, total float64, message string)) string {
	for i := range Steps {
		tell(ctx, float64(i+1), Steps, "step done")
	}
	return "reported"
}

// BookAt returns the book of a number from 1 to 7.
func BookAt(id int64) (Book, error) {
	if id < 1 || id > int64(len(books)) {
		return Book{}, ErrNoBook
	}
	return books[id-1], nil
}

// BookURI is the prefix of the URIs of books, and BookTemplate their template.
const (
	BookURI      = "catalog://books/"
	BookTemplate = "catalog://books/{id}"
)

// BookID returns the number in the URI of a book, for servers that receive only the URI.
func BookID(uri string) (int64, error) {
	text, ok := strings.CutPrefix(uri, BookURI)
	if !ok {
		return 0, ErrNoBook
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, ErrNoBook
	}
	return id, nil
}

var books = func() []Book {
	all := make([]Book, 7)
	for i := range all {
		all[i] = Book{
			ID: 9007199254740001 + int64(i), Title: "The Book of Räume, volume " + string(rune('A'+i)),
			Authors: []string{"Ada Example", "B. \"Bee\" Sample"}, Year: 1990 + i, Price: 12.5 * float64(i+1), InPrint: i%2 == 0,
		}
	}
	all[0].Tags = map[string]string{"shelf": "7", "colour": "blue"}
	return all
}()

var records = func() []Record {
	all := make([]Record, MaxRecords)
	for i := range all {
		all[i] = Record{
			ID: 1_000_000 + int64(i), Account: "ledger-" + strconv.Itoa(i%97), Amount: float64(i%1000) + 0.25,
			Posted: i%3 == 0, Note: "Entry " + strconv.Itoa(i) + " of the general ledger, quarterly",
		}
	}
	return all
}()
