package bookstore

import (
	"cmp"
	"context"
	"database/sql"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// ImportBooks takes many new books into the catalogue, all of them or none, and returns their
// numbers in the same order. It reports its progress.
//
//mcp:tool additive group=stock
//mcp:arg books "the books to be taken in" minItems=1 maxItems=1000
func (s *Store) ImportBooks(ctx context.Context, books []NewBook) (numbers []int64, err error) {
	err = s.transact(ctx, func(tx *sql.Tx) error {
		in, err := newInserter(ctx, tx)
		if err != nil {
			return err
		}
		defer in.close()
		for i, book := range books {
			book.Language = cmp.Or(book.Language, English)
			book.Format = cmp.Or(book.Format, Paperback)
			id, err := in.insert(ctx, nil, book, s.now())
			if err != nil {
				return err
			}
			numbers = append(numbers, id)
			mcp.Progress(ctx, float64(i+1), float64(len(books)), book.Title)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return numbers, nil
}
