package bookstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Book returns one book by its catalogue number.
//
//mcp:tool name=get_book readonly group=catalogue
//mcp:arg id minimum=1
func (s *Store) Book(
	ctx context.Context,
	id int64, // catalogue number, as search_books returns it
) (Book, error) {
	return bookByID(ctx, s.db, id)
}

// AddBook adds a new book to the catalogue and returns it with its number.
//
//mcp:tool additive group=stock
func (s *Store) AddBook(ctx context.Context, book NewBook) (Book, error) {
	book.Language = cmp.Or(book.Language, English)
	book.Format = cmp.Or(book.Format, Paperback)
	var added Book
	err := s.transact(ctx, func(tx *sql.Tx) error {
		in, err := newInserter(ctx, tx)
		if err != nil {
			return err
		}
		defer in.close()
		id, err := in.insert(ctx, nil, book, s.now())
		if err != nil {
			return err
		}
		added, err = bookByID(ctx, tx, id)
		return err
	})
	return added, err
}

// UpdatePrice changes the price of a book and returns the old and the new one, both in euro cents.
//
//mcp:tool destructive idempotent group=stock
//mcp:arg id minimum=1
//mcp:arg priceCents minimum=1 maximum=1000000
func (s *Store) UpdatePrice(
	ctx context.Context,
	id int64, // catalogue number
	priceCents int, // new price of one copy, in euro cents
) (oldCents, newCents int, err error) {
	err = s.transact(ctx, func(tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, "SELECT price_cents FROM books WHERE id = ?", id).Scan(&oldCents)
		if errors.Is(err, sql.ErrNoRows) {
			return notFound(id)
		}
		if err != nil {
			return fmt.Errorf("read price of book %d: %w", id, err)
		}
		if oldCents == priceCents {
			return nil
		}
		_, err = tx.ExecContext(ctx, "UPDATE books SET price_cents = ?, repriced_at = ? WHERE id = ?",
			priceCents, s.now().Unix(), id)
		return err
	})
	if err != nil {
		return 0, 0, err
	}
	s.changed(id)
	return oldCents, priceCents, nil
}

// RestockBook adds copies of a book to the stock and returns the book.
//
//mcp:tool additive group=stock
//mcp:arg id minimum=1
//mcp:arg copies minimum=1 maximum=1000
func (s *Store) RestockBook(
	ctx context.Context,
	id int64, // catalogue number
	copies int, // how many copies came in
) (Book, error) {
	var book Book
	err := s.transact(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "UPDATE books SET stock = stock + ? WHERE id = ?", copies, id); err != nil {
			return fmt.Errorf("restock book %d: %w", id, err)
		}
		var err error
		book, err = bookByID(ctx, tx, id)
		return err
	})
	if err != nil {
		return Book{}, err
	}
	s.stocked.ring()
	s.changed(id)
	return book, nil
}

// RemoveBook removes a book from the catalogue with all its copies. It cannot be undone. A book of
// which copies are reserved is not removed. If the client can show a form, the user is asked first.
//
//mcp:tool destructive group=stock
//mcp:arg id minimum=1
func (s *Store) RemoveBook(
	ctx context.Context,
	id int64, // catalogue number
) error {
	if err := s.confirmRemoval(ctx, id); err != nil {
		return err
	}
	err := s.transact(ctx, func(tx *sql.Tx) error {
		var reserved int
		err := tx.QueryRowContext(ctx, "SELECT reserved FROM books WHERE id = ?", id).Scan(&reserved)
		if errors.Is(err, sql.ErrNoRows) {
			return notFound(id)
		}
		if err != nil {
			return fmt.Errorf("read book %d: %w", id, err)
		}
		if reserved > 0 {
			return fmt.Errorf("%w: %d of book %d", ErrReserved, reserved, id)
		}
		for _, statement := range []string{
			"DELETE FROM words WHERE rowid = ?",
			"DELETE FROM books WHERE id = ?", // and its subjects
		} {
			if _, err := tx.ExecContext(ctx, statement, id); err != nil {
				return fmt.Errorf("remove book %d: %w", id, err)
			}
		}
		return nil
	})
	if err == nil {
		s.changed(id)
	}
	return err
}
