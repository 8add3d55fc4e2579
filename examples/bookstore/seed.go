package bookstore

import (
	"context"
	"database/sql"
	_ "embed" // for the books
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// seedCSV contains the books of a new shop. Titles, authors, years and numbers are real; price and
// stock are the shop's own.
//
//go:embed seed.csv
var seedCSV string

// Columns of seed.csv. Authors and subjects are lists separated by "; ".
const (
	seedID = iota
	seedTitle
	seedAuthors
	seedYear
	seedLanguage
	seedSubjects
	seedFormat
	seedPriceCents
	seedStock
	seedColumns
)

// seed inserts the books of seedCSV.
func seed(ctx context.Context, tx *sql.Tx, now time.Time) error {
	in, err := newInserter(ctx, tx)
	if err != nil {
		return err
	}
	defer in.close()
	r := csv.NewReader(strings.NewReader(seedCSV))
	r.FieldsPerRecord = seedColumns
	r.ReuseRecord = true
	if _, err := r.Read(); err != nil {
		return fmt.Errorf("read seed: %w", err)
	}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read seed: %w", err)
		}
		id, book, err := parseSeed(record)
		if err != nil {
			line, _ := r.FieldPos(0)
			return fmt.Errorf("read seed: line %d: %w", line, err)
		}
		if _, err := in.insert(ctx, &id, book, now); err != nil {
			return err
		}
	}
}

func parseSeed(record []string) (id int64, b NewBook, err error) {
	number := func(column int) int {
		n, e := strconv.Atoi(record[column])
		err = errors.Join(err, e)
		return n
	}
	id = int64(number(seedID))
	b = NewBook{
		Title:      record[seedTitle],
		Authors:    strings.Split(record[seedAuthors], "; "),
		Year:       number(seedYear),
		Language:   Language(record[seedLanguage]),
		Subjects:   strings.Split(record[seedSubjects], "; "),
		Format:     Format(record[seedFormat]),
		PriceCents: number(seedPriceCents),
		Stock:      number(seedStock),
	}
	return id, b, err
}
