package bookstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// maxHeld limits the copies that one caller may hold.
const maxHeld = 20

// Reservation is a number of copies that wait for a customer in the shop.
type Reservation struct {
	ID     int64  `json:"id"`
	BookID int64  `json:"bookId"`
	Title  string `json:"title"`
	Copies int    `json:"copies"`
	// TotalCents is the price of all copies today, in euro cents.
	TotalCents int `json:"totalCents"`
	// Note is the customer's message to the shop, if any.
	Note      *string   `json:"note,omitempty"`
	CreatedAt time.Time `json:"createdAt"`
}

// ReserveCopies sets copies of a book aside for you. It reserves all of them or none, and a
// customer may hold at most 20 copies at a time.
//
//mcp:tool additive group=reservations
//mcp:arg id minimum=1
//mcp:arg copies default=1 minimum=1 maximum=10
//mcp:arg note maxLength=500
func (s *Store) ReserveCopies(
	ctx context.Context,
	caller Caller,
	id int64, // catalogue number of the book
	copies int, // how many copies
	note *string, // a word to the shop, such as when you will come by
) (Reservation, error) {
	var r Reservation
	err := s.transact(ctx, func(tx *sql.Tx) error {
		if err := checkHeld(ctx, tx, caller, copies); err != nil {
			return err
		}
		if err := take(ctx, tx, id, copies); err != nil {
			return err
		}
		var reservation int64
		err := tx.QueryRowContext(ctx, `INSERT INTO reservations (caller, book, copies, note, created_at)
			VALUES (?, ?, ?, ?, ?) RETURNING id`, caller.Name, id, copies, note, s.now().Unix()).Scan(&reservation)
		if err != nil {
			return fmt.Errorf("write reservation: %w", err)
		}
		row := tx.QueryRowContext(ctx, selectReservations+" WHERE r.id = ?", reservation)
		return scanReservation(row.Scan, &r)
	})
	if err == nil {
		s.changed(id)
	}
	return r, err
}

// checkHeld returns a LimitError if the caller would hold too many copies.
func checkHeld(ctx context.Context, tx *sql.Tx, caller Caller, copies int) error {
	var held int
	err := tx.QueryRowContext(ctx, "SELECT coalesce(sum(copies), 0) FROM reservations WHERE caller = ?",
		caller.Name).Scan(&held)
	if err != nil {
		return fmt.Errorf("count copies held: %w", err)
	}
	if held+copies > maxHeld {
		return &LimitError{Held: held, Asked: copies, Limit: maxHeld}
	}
	return nil
}

// take marks copies of a book as reserved if enough are available.
func take(ctx context.Context, tx *sql.Tx, id int64, copies int) error {
	var available int
	err := tx.QueryRowContext(ctx, "SELECT stock - reserved FROM books WHERE id = ?", id).Scan(&available)
	if errors.Is(err, sql.ErrNoRows) {
		return notFound(id)
	}
	if err != nil {
		return fmt.Errorf("read stock of book %d: %w", id, err)
	}
	if available < copies {
		return fmt.Errorf("%w: %d of book %d, %d asked for", ErrOutOfStock, available, id, copies)
	}
	if _, err := tx.ExecContext(ctx, "UPDATE books SET reserved = reserved + ? WHERE id = ?", copies, id); err != nil {
		return fmt.Errorf("reserve copies of book %d: %w", id, err)
	}
	return nil
}

// ListReservations returns your reservations, the oldest first.
//
//mcp:tool readonly group=reservations
func (s *Store) ListReservations(ctx context.Context, caller Caller) ([]Reservation, error) {
	all, err := collect(ctx, s.db, scanReservation,
		selectReservations+" WHERE r.caller = ? ORDER BY r.id", caller.Name)
	if err != nil {
		return nil, fmt.Errorf("list reservations: %w", err)
	}
	return all, nil
}

// CancelReservation gives the copies of one of your reservations back to the shop.
//
//mcp:tool destructive group=reservations
//mcp:arg reservation minimum=1
func (s *Store) CancelReservation(
	ctx context.Context,
	caller Caller,
	reservation int64, // number of the reservation, as reserve_copies returned it
) error {
	var book int64
	err := s.transact(ctx, func(tx *sql.Tx) error {
		var copies int
		err := tx.QueryRowContext(ctx, "DELETE FROM reservations WHERE id = ? AND caller = ? RETURNING book, copies",
			reservation, caller.Name).Scan(&book, &copies)
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("%w: %d", ErrNoReservation, reservation)
		}
		if err != nil {
			return fmt.Errorf("delete reservation %d: %w", reservation, err)
		}
		_, err = tx.ExecContext(ctx, "UPDATE books SET reserved = reserved - ? WHERE id = ?", copies, book)
		return err
	})
	if err == nil {
		s.stocked.ring()
		s.changed(book)
	}
	return err
}

const selectReservations = `SELECT r.id, r.book, b.title, r.copies, r.copies * b.price_cents, r.note, r.created_at
	FROM reservations AS r JOIN books AS b ON b.id = r.book`

func scanReservation(row func(...any) error, r *Reservation) error {
	var created int64
	err := row(&r.ID, &r.BookID, &r.Title, &r.Copies, &r.TotalCents, &r.Note, &created)
	r.CreatedAt = time.Unix(created, 0).UTC()
	return err
}
