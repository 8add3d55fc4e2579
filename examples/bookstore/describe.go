package bookstore

import (
	"context"
	"fmt"
	"strings"
)

// DescribeBook returns a few plain sentences about a book and its price, as one would put them on a
// card in the window.
//
//mcp:tool readonly group=catalogue
//mcp:arg id minimum=1
func (s *Store) DescribeBook(
	ctx context.Context,
	id int64, // catalogue number
) (string, error) {
	b, err := bookByID(ctx, s.db, id)
	if err != nil {
		return "", err
	}
	var card strings.Builder
	fmt.Fprintf(&card, "%s by %s was first published in %d", b.Title, enumerate(b.Authors), b.Year)
	if b.Language != English {
		fmt.Fprintf(&card, ", in %s", b.Language.Name())
	}
	card.WriteString(".")
	if len(b.Subjects) > 0 {
		fmt.Fprintf(&card, " Its subjects are %s.", enumerate(b.Subjects))
	}
	fmt.Fprintf(&card, " A %s costs %s; %s.", b.Format, euros(b.PriceCents), copiesLeft(b.Available))
	return card.String(), nil
}

// enumerate joins words with commas and "and".
func enumerate(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

func euros(cents int) string {
	return fmt.Sprintf("€%d.%02d", cents/100, cents%100)
}

func copiesLeft(n int) string {
	switch n {
	case 0:
		return "none is available at the moment"
	case 1:
		return "one copy is available"
	}
	return fmt.Sprintf("%d copies are available", n)
}
