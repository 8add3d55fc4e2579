package bookstore

import (
	"context"
	_ "embed"
	"fmt"
)

// The page that shows the result of report_by_decade, in hosts that show pages.
//
//mcp:resource ui://bookstore/report name=report title="Report by decade" group=reports border ttl=1h cache=public
//go:embed report.html
var reportPage string

// Decade sums up the books of ten years.
type Decade struct {
	Books int `json:"books"`
	// Available is the number of copies that can be bought now.
	Available int `json:"available"`
	// MeanPriceCents is the mean price of a title, in euro cents.
	MeanPriceCents float64 `json:"meanPriceCents"`
	// Languages counts the books by the language they were written in.
	Languages map[Language]int `json:"languages"`
}

// ReportByDecade sums up the catalogue by decade of first publication. The decades are named like
// "1850s"; one without books is left out.
//
//mcp:tool readonly group=reports ui=ui://bookstore/report
//mcp:arg from default=1450 minimum=1450 maximum=2100
//mcp:arg to default=2100 minimum=1450 maximum=2100
func (s *Store) ReportByDecade(
	ctx context.Context,
	from int, // first year of the report
	to int, // last year of the report
) (map[string]Decade, error) {
	type line struct {
		decade                  int
		language                Language
		books, available, cents int
	}
	scan := func(row func(...any) error, l *line) error {
		return row(&l.decade, &l.language, &l.books, &l.available, &l.cents)
	}
	all, err := collect(ctx, s.db, scan, `SELECT year / 10 * 10 AS decade, language,
			count(*), sum(stock - reserved), sum(price_cents)
		FROM books WHERE year BETWEEN ? AND ? GROUP BY decade, language`, from, to)
	if err != nil {
		return nil, fmt.Errorf("report by decade: %w", err)
	}
	report := make(map[string]Decade)
	for _, l := range all {
		name := fmt.Sprintf("%ds", l.decade)
		d, ok := report[name]
		if !ok {
			d.Languages = make(map[Language]int)
		}
		d.MeanPriceCents = (d.MeanPriceCents*float64(d.Books) + float64(l.cents)) / float64(d.Books+l.books)
		d.Books += l.books
		d.Available += l.available
		d.Languages[l.language] = l.books
		report[name] = d
	}
	return report, nil
}
