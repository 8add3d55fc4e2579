package bookstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// RecommendBooks asks for books about a subject that the shop has.
//
//mcp:prompt title="Recommend books" group=catalogue
//mcp:arg subject complete=CompleteSubject
//mcp:arg count default=3 minimum=1 maximum=10
func (s *Store) RecommendBooks(
	subject string, // what the books should be about
	language *Language, // language in which they were first written
	count int, // how many books
) string {
	var ask strings.Builder
	fmt.Fprintf(&ask, "Recommend me %d books about %s", count, subject)
	if language != nil {
		fmt.Fprintf(&ask, ", first written in %s", language.Name())
	}
	ask.WriteString(". Look for them with search_books, and take only what is available. " +
		"Say in one sentence for each why I would like it, and what it costs.")
	return ask.String()
}

// DiscussBook begins a conversation about a book of the catalogue.
//
//mcp:prompt title="Discuss a book" group=catalogue
//mcp:arg title complete=CompleteTitle minLength=1
func (s *Store) DiscussBook(
	ctx context.Context,
	title string, // title of the book
) ([]mcp.PromptMessage, error) {
	var id int64
	err := s.db.QueryRowContext(ctx, "SELECT id FROM books WHERE title = ? COLLATE NOCASE ORDER BY id LIMIT 1", title).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("find book %q: %w", title, err)
	}
	book, err := bookByID(ctx, s.db, id)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(book)
	if err != nil {
		return nil, fmt.Errorf("write book %d: %w", id, err)
	}
	return []mcp.PromptMessage{
		mcp.FromUser(mcp.EmbeddedResource{
			URI: mcp.ExpandURI(bookURI, "id", fmt.Sprint(id)), MIMEType: "application/json", Text: string(text),
		}),
		mcp.FromUser(mcp.Text{Text: "Let us talk about this book. What makes it worth reading today?"}),
	}, nil
}
