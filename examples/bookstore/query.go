package bookstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// queryer is a database or a transaction on it.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// bookColumns are the columns of a table books AS b that scanBook reads.
const bookColumns = `b.id, b.title, b.authors, b.year, b.language, b.format, b.price_cents,
	b.stock - b.reserved, b.added_at, b.repriced_at,
	(SELECT coalesce(group_concat(subject, char(10)), '') FROM subjects WHERE book = b.id)`

// scanBook reads bookColumns, and further columns into more.
func scanBook(scan func(...any) error, b *Book, more ...any) error {
	var authors, subjects string
	var added int64
	var repriced sql.NullInt64
	err := scan(append([]any{&b.ID, &b.Title, &authors, &b.Year, &b.Language, &b.Format, &b.PriceCents,
		&b.Available, &added, &repriced, &subjects}, more...)...)
	if err != nil {
		return err
	}
	b.Authors = lines(authors)
	b.Subjects = lines(subjects)
	b.AddedAt = time.Unix(added, 0).UTC()
	b.RepricedAt = nil
	if repriced.Valid {
		at := time.Unix(repriced.Int64, 0).UTC()
		b.RepricedAt = &at
	}
	return nil
}

// bookByID returns a book, or ErrNotFound.
func bookByID(ctx context.Context, q queryer, id int64) (Book, error) {
	var b Book
	row := q.QueryRowContext(ctx, "SELECT "+bookColumns+" FROM books AS b WHERE b.id = ?", id)
	if err := scanBook(row.Scan, &b); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			return Book{}, notFound(id)
		}
		return Book{}, fmt.Errorf("read book %d: %w", id, err)
	}
	return b, nil
}

func notFound(id int64) error {
	return fmt.Errorf("%w: %d", ErrNotFound, id)
}

// collect reads all rows of a query into a slice, which is never nil, and stops early when ctx is
// cancelled.
func collect[T any](ctx context.Context, q queryer, scan func(row func(...any) error, v *T) error,
	query string, args ...any,
) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	all := []T{}
	for rows.Next() {
		var v T
		if err := scan(rows.Scan, &v); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return all, ctx.Err()
}

// lines splits a column that contains one item per line.
func lines(s string) []string {
	if s == "" {
		return []string{}
	}
	return strings.Split(s, "\n")
}
