package bookstore

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"
)

// inserter inserts books into their three tables. It prepares its statements only once, since that
// alone takes half of the time for opening a new shop.
type inserter struct {
	book, subject, words *sql.Stmt
}

func newInserter(ctx context.Context, tx *sql.Tx) (*inserter, error) {
	in := new(inserter)
	for _, s := range []struct {
		to   **sql.Stmt
		text string
	}{
		{&in.book, `INSERT INTO books (id, title, authors, year, language, format, price_cents, stock, added_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`},
		{&in.subject, `INSERT INTO subjects (book, subject) VALUES (?, ?)`},
		{&in.words, `INSERT INTO words (rowid, title, authors, subjects) VALUES (?, ?, ?, ?)`},
	} {
		stmt, err := tx.PrepareContext(ctx, s.text)
		if err != nil {
			in.close()
			return nil, fmt.Errorf("prepare insert: %w", err)
		}
		*s.to = stmt
	}
	return in, nil
}

// insert adds a book under the given number, or the next free one for nil, and returns its number.
func (in *inserter) insert(ctx context.Context, number *int64, b NewBook, now time.Time) (int64, error) {
	authors := strings.Join(b.Authors, "\n")
	var id int64
	err := in.book.QueryRowContext(ctx, number, b.Title, authors, b.Year, string(b.Language), string(b.Format),
		b.PriceCents, b.Stock, now.Unix()).Scan(&id)
	if err != nil {
		if violatesUnique(err) {
			return 0, fmt.Errorf("%w: %q", ErrDuplicate, b.Title)
		}
		return 0, fmt.Errorf("insert book %q: %w", b.Title, err)
	}
	subjects := slices.Compact(slices.Sorted(slices.Values(b.Subjects)))
	for _, s := range subjects {
		if _, err := in.subject.ExecContext(ctx, id, s); err != nil {
			return 0, fmt.Errorf("insert subject %q: %w", s, err)
		}
	}
	if _, err := in.words.ExecContext(ctx, id, b.Title, authors, strings.Join(subjects, "\n")); err != nil {
		return 0, fmt.Errorf("index book %q: %w", b.Title, err)
	}
	return id, nil
}

func (in *inserter) close() {
	for _, stmt := range []*sql.Stmt{in.book, in.subject, in.words} {
		if stmt != nil {
			_ = stmt.Close()
		}
	}
}
