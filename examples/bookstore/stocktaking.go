package bookstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Stocktaking is the stock of the shop, with the differences found.
type Stocktaking struct {
	Titles int `json:"titles"`
	// Copies is the number of copies in the shop, including reserved ones.
	Copies   int `json:"copies"`
	Reserved int `json:"reserved"`
	// ValueCents is the value of all copies at today's prices, in euro cents.
	ValueCents int `json:"valueCents"`
	// Differences are the books whose reserved copies differ from their reservations.
	Differences []Difference `json:"differences"`
	// Corrected is whether the reserved copies of these books were corrected.
	Corrected bool `json:"corrected"`
}

// Difference is a book with more or fewer reserved copies than reservations.
type Difference struct {
	ID    int64  `json:"id"`
	Title string `json:"title"`
	// Reserved is the number of copies that the book has as reserved.
	Reserved int `json:"reserved"`
	// Held is the number of copies in reservations.
	Held int `json:"held"`
}

// Correction is the form to confirm a correction.
//
//mcp:form
type Correction struct {
	// Correct is whether the reserved copies become those of the reservations.
	Correct bool `json:"correct" jsonschema:"title=Set the reserved copies right"`
}

// formats lists all formats.
var formats = []Format{Paperback, Hardback}

// section contains the counts for the books in one format.
type section struct {
	Titles, Copies, Reserved, ValueCents int
	Differences                          []Difference
}

// TakeStock counts the whole catalogue, one format after the other, and compares the reserved
// copies with the reservations. Where they differ it asks whether to correct them.
//
//mcp:tool idempotent additive task=optional inline=0 taskttl=24h restart group=stock
func (s *Store) TakeStock(ctx context.Context) (*Stocktaking, error) {
	all := &Stocktaking{Differences: []Difference{}}
	for i, format := range formats {
		mcp.Progress(ctx, float64(i), float64(len(formats)), "counting "+string(format))
		part, err := mcp.Once(ctx, "count "+string(format), func() (section, error) { return s.count(ctx, format) })
		if err != nil {
			return nil, err
		}
		all.Titles += part.Titles
		all.Copies += part.Copies
		all.Reserved += part.Reserved
		all.ValueCents += part.ValueCents
		all.Differences = append(all.Differences, part.Differences...)
	}
	if len(all.Differences) == 0 || !mcp.CallFrom(ctx).Can(mcp.CapabilityElicitation) {
		return all, nil
	}
	answer, err := mcp.Elicit[Correction](ctx, fmt.Sprintf("Reservations of %d books differ from their reserved copies. Correct them?", len(all.Differences)))
	if err != nil {
		return nil, err
	}
	if !answer.Accepted() || !answer.Value.Correct {
		return all, nil
	}
	all.Corrected, err = mcp.Once(ctx, "correct", func() (bool, error) { return true, s.correct(ctx, all.Differences) })
	if err != nil {
		return nil, err
	}
	return all, nil
}

// count counts the books of one format.
func (s *Store) count(ctx context.Context, format Format) (part section, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(stock), 0), coalesce(sum(reserved), 0), coalesce(sum(stock * price_cents), 0)
		FROM books WHERE format = ?`, string(format)).Scan(&part.Titles, &part.Copies, &part.Reserved, &part.ValueCents)
	if err != nil {
		return part, fmt.Errorf("count %s: %w", format, err)
	}
	scan := func(row func(...any) error, d *Difference) error { return row(&d.ID, &d.Title, &d.Reserved, &d.Held) }
	part.Differences, err = collect(ctx, s.db, scan, `SELECT b.id, b.title, b.reserved, coalesce(sum(r.copies), 0) AS held
		FROM books b LEFT JOIN reservations r ON r.book = b.id WHERE b.format = ?
		GROUP BY b.id HAVING b.reserved <> held ORDER BY b.id`, string(format))
	if err != nil {
		return part, fmt.Errorf("compare %s with reservations: %w", format, err)
	}
	return part, nil
}

// correct sets the reserved copies of books to the current number in reservations. Books without
// enough copies in the shop stay as they are.
func (s *Store) correct(ctx context.Context, differences []Difference) error {
	err := s.transact(ctx, func(tx *sql.Tx) error {
		var errs []error
		for _, d := range differences {
			_, err := tx.ExecContext(ctx, `UPDATE books SET reserved = min(stock,
				(SELECT coalesce(sum(copies), 0) FROM reservations WHERE book = books.id)) WHERE id = ?`, d.ID)
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	})
	if err != nil {
		return fmt.Errorf("correct reserved copies: %w", err)
	}
	for _, d := range differences {
		s.changed(d.ID)
	}
	return nil
}
