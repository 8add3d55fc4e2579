package bookstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Removal is the form to confirm the removal of a book.
//
//mcp:form
type Removal struct {
	// Confirm is whether the book may go for good.
	Confirm bool `json:"confirm" jsonschema:"title=Remove it for good"`
	// Reason is why, for the shop's records.
	Reason Reason `json:"reason,omitempty" jsonschema:"title=Why,default=sold"`
}

// Reason is a reason to remove a book from the catalogue.
type Reason string

const (
	SoldOut  Reason = "sold"    // Sold out, and not to be had again
	Damaged  Reason = "damaged" // The copies are damaged
	Mistaken Reason = "mistake" // It should not have been here
)

// ErrKept is returned if the user does not want a book to be removed.
//
//mcp:error
var ErrKept = errors.New("the user wants to keep the book")

// confirmRemoval asks the user, if possible: not when a Go program calls RemoveBook, nor for
// clients without forms, which have their own ways to ask before they call a destructive tool.
func (s *Store) confirmRemoval(ctx context.Context, id int64) error {
	if !mcp.CallFrom(ctx).Can(mcp.CapabilityElicitation) {
		return nil
	}
	book, err := bookByID(ctx, s.db, id)
	if err != nil {
		return err
	}
	answer, err := mcp.Elicit[Removal](ctx, fmt.Sprintf("Remove %q with its copies (%d available) from the catalogue?", book.Title, book.Available))
	if err != nil {
		return err
	}
	if !answer.Accepted() || !answer.Value.Confirm {
		return ErrKept
	}
	mcp.Logger(ctx).Info("removal confirmed", "id", id, "reason", string(answer.Value.Reason))
	return nil
}
