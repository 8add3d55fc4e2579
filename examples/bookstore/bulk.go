package bookstore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// BulkImport is the result of an import.
type BulkImport struct {
	Added int `json:"added"`
	// Known are the books that the catalogue had already.
	Known int `json:"known"`
	// Refused are the lines that no book could be made of.
	Refused []RefusedLine `json:"refused"`
}

// RefusedLine is a line of a list without a book.
type RefusedLine struct {
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

// ErrNotCSV is returned for a list of books that is not CSV with the columns of the shop.
//
//mcp:error
var ErrNotCSV = errors.New(`the list must be CSV, whose first line is "title,authors,year,language,subjects,format,price_cents,stock"`)

// bulkColumns is the first line of a list.
const bulkColumns = "title,authors,year,language,subjects,format,price_cents,stock"

// bulkPortion is the number of books that are added in one transaction.
const bulkPortion = 100

// ImportList takes a list of books in CSV into the catalogue, as publishers send it: a hundred
// books at a time, so that what has been taken in stays. A line that is not a book is reported and
// left out, and so is a book that is there already. Authors and subjects are separated by "; ".
//
//mcp:tool additive idempotent task=required taskttl=24h group=stock
//mcp:ignore required-task A list of many books takes longer than a request may.
//mcp:arg list minLength=1 maxLength=1000000
func (s *Store) ImportList(
	ctx context.Context,
	list string, // CSV with the columns title, authors, year, language, subjects, format, price_cents and stock
) (*BulkImport, error) {
	books, refused, err := parseList(list)
	if err != nil {
		return nil, err
	}
	all := &BulkImport{Refused: refused}
	for from := 0; from < len(books); from += bulkPortion {
		mcp.Progress(ctx, float64(from), float64(len(books)), "taking in "+books[from].Title)
		portion := books[from:min(from+bulkPortion, len(books))]
		added, err := mcp.Once(ctx, "portion "+strconv.Itoa(from), func() (int, error) { return s.takeIn(ctx, portion) })
		if err != nil {
			return nil, err
		}
		all.Added += added
		all.Known += len(portion) - added
	}
	return all, nil
}

// takeIn adds the books that the catalogue lacks, and returns their number. It may run again: books
// that it added before are skipped.
func (s *Store) takeIn(ctx context.Context, books []NewBook) (added int, err error) {
	err = s.transact(ctx, func(tx *sql.Tx) error {
		in, err := newInserter(ctx, tx)
		if err != nil {
			return err
		}
		defer in.close()
		for _, book := range books {
			switch _, err := in.insert(ctx, nil, book, s.now()); {
			case errors.Is(err, ErrDuplicate):
			case err != nil:
				return err
			default:
				added++
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return added, nil
}

// parseList parses a list of books.
func parseList(list string) (books []NewBook, refused []RefusedLine, err error) {
	refused = []RefusedLine{}
	r := csv.NewReader(strings.NewReader(list))
	r.FieldsPerRecord = -1
	header, err := r.Read()
	if err != nil || strings.Join(header, ",") != bulkColumns {
		return nil, nil, ErrNotCSV
	}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return books, refused, nil
		}
		if _, broken := errors.AsType[*csv.ParseError](err); broken {
			return nil, nil, fmt.Errorf("%w: %w", ErrNotCSV, err)
		}
		line, _ := r.FieldPos(0)
		book, err := parseLine(record)
		if err != nil {
			refused = append(refused, RefusedLine{Line: line, Reason: err.Error()})
			continue
		}
		books = append(books, book)
	}
}

// parseLine parses a book, within the bounds of [NewBook].
func parseLine(record []string) (b NewBook, err error) {
	if len(record) != strings.Count(bulkColumns, ",")+1 {
		return b, fmt.Errorf("there are %d columns", len(record))
	}
	number := func(column int, name string, least, most int) int {
		n, e := strconv.Atoi(record[column])
		if e != nil || n < least || n > most {
			err = errors.Join(err, fmt.Errorf("%s must be a number from %d to %d", name, least, most))
		}
		return n
	}
	b = NewBook{
		Title: record[0], Authors: fields(record[1]), Year: number(2, "year", 1450, 2100), Language: cmp.Or(Language(record[3]), English),
		Subjects: fields(record[4]), Format: cmp.Or(Format(record[5]), Paperback),
		PriceCents: number(6, "price_cents", 1, 1_000_000), Stock: number(7, "stock", 0, 1000),
	}
	switch {
	case b.Title == "" || len(b.Title) > 300:
		err = errors.Join(err, errors.New("title must have 1 to 300 bytes"))
	case len(b.Authors) == 0 || len(b.Authors) > 10:
		err = errors.Join(err, errors.New("there must be 1 to 10 authors"))
	}
	if b.Language.Name() == string(b.Language) {
		err = errors.Join(err, fmt.Errorf("language %q is not known", b.Language))
	}
	if !slices.Contains(formats, b.Format) {
		err = errors.Join(err, fmt.Errorf("format %q is not known", b.Format))
	}
	return b, err
}

// fields returns the items of a list in one column.
func fields(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "; ")
}
