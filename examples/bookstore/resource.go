package bookstore

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// bookURI is the URI template in the directive of BookPage.
const bookURI = "books://{id}"

// BookPage returns the entry of one book in the catalogue. found is false if there is no book of
// that number.
//
//mcp:resource books://{id} name=book title="A book of the catalogue" group=catalogue ttl=1m
//mcp:arg id complete=CompleteNumber
func (s *Store) BookPage(ctx context.Context, id int64) (book Book, found bool, err error) {
	book, err = bookByID(ctx, s.db, id)
	if errors.Is(err, ErrNotFound) {
		return Book{}, false, nil
	}
	return book, err == nil, err
}

// Cover draws the cover of a book, an SVG image.
//
//mcp:resource books://{id}/cover title="The cover of a book" group=catalogue mime=image/svg+xml audience=user ttl=24h cache=public
//mcp:arg id complete=CompleteNumber
func (s *Store) Cover(ctx context.Context, id int64) (svg string, found bool, err error) {
	book, found, err := s.BookPage(ctx, id)
	if err != nil || !found {
		return "", found, err
	}
	return drawCover(book), true, nil
}

// CompleteNumber returns the catalogue numbers that begin with some digits.
func (s *Store) CompleteNumber(ctx context.Context, prefix string) ([]string, error) {
	return s.completions(ctx, "SELECT CAST(id AS TEXT) AS v FROM books WHERE v LIKE ?1 || '%' ESCAPE '\\' ORDER BY id LIMIT ?2", prefix)
}

// CompleteSubject returns the subjects that begin with some letters, the most frequent first.
func (s *Store) CompleteSubject(ctx context.Context, prefix string) ([]string, error) {
	return s.completions(ctx, `SELECT subject FROM subjects WHERE subject LIKE ?1 || '%' ESCAPE '\'
		GROUP BY subject ORDER BY count(*) DESC, subject LIMIT ?2`, prefix)
}

// CompleteTitle returns the titles that begin with some letters.
func (s *Store) CompleteTitle(ctx context.Context, prefix string) ([]string, error) {
	return s.completions(ctx, `SELECT title FROM books WHERE title LIKE ?1 || '%' ESCAPE '\'
		GROUP BY title ORDER BY title LIMIT ?2`, prefix)
}

// maxCompletions is one more than a client gets, so that the result reports that more exist.
const maxCompletions = 101

// likeText escapes user input, so that SQLite does not read it as a pattern.
var likeText = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

func (s *Store) completions(ctx context.Context, query, prefix string) ([]string, error) {
	scan := func(row func(...any) error, v *string) error { return row(v) }
	return collect(ctx, s.db, scan, query, likeText.Replace(prefix), maxCompletions)
}

// NewServer returns the server of NewMCPServer, which also notifies clients that subscribed to a
// book when its price or its stock changes.
func NewServer(store *Store, opts ...mcp.Option) *mcp.Server {
	server := NewMCPServer(store, opts...)
	store.Watch(func(id int64) {
		server.ResourceUpdated(mcp.ExpandURI(bookURI, "id", strconv.FormatInt(id, 10)))
	})
	return server
}
