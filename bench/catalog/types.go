// Package catalog has the types and functions that all servers of the comparison share. It does not
// depend on the protocol.
package catalog

import "time"

// Sum is the result of an addition.
type Sum struct {
	Sum int64 `json:"sum"`
}

// Query is what to search for.
type Query struct {
	Query   string             `json:"query" jsonschema:"minLength=1,maxLength=200"`
	Limit   int                `json:"limit,omitempty" jsonschema:"minimum=1,maximum=100"`
	Offset  int64              `json:"offset,omitempty" jsonschema:"minimum=0"`
	Sort    Sort               `json:"sort,omitempty"`
	Exact   bool               `json:"exact,omitempty"`
	Filters []Filter           `json:"filters,omitempty" jsonschema:"maxItems=10"`
	Labels  map[string]string  `json:"labels,omitempty" jsonschema:"maxProperties=8"`
	Weights map[string]float64 `json:"weights,omitempty" validate:"dive,gte=0,lte=1"`
	Page    *Page              `json:"page,omitempty"`
	Since   time.Time          `json:"since,omitzero"`
}

// Sort is the order of the hits.
type Sort string

// The orders.
const (
	ByRelevance Sort = "relevance"
	ByTitle     Sort = "title"
	ByYear      Sort = "year"
)

// Filter narrows the hits by one field.
type Filter struct {
	Field  string   `json:"field" jsonschema:"minLength=1"`
	Op     Op       `json:"op"`
	Values []string `json:"values,omitempty" jsonschema:"minItems=1"`
	Boost  float64  `json:"boost,omitempty" jsonschema:"exclusiveMinimum=0"`
}

// Op is how a field is compared.
type Op string

// The comparisons.
const (
	Equal    Op = "eq"
	NotEqual Op = "ne"
	In       Op = "in"
	Greater  Op = "gt"
	Less     Op = "lt"
)

// Page is which part of the hits to return.
type Page struct {
	Number int    `json:"number,omitempty" jsonschema:"minimum=1"`
	Size   uint8  `json:"size,omitempty"`
	Cursor string `json:"cursor,omitempty"`
}

// Hits are what a search has found.
type Hits struct {
	Total int     `json:"total"`
	Books []Book  `json:"books"`
	Took  float64 `json:"took"`
}

// Book is one hit.
type Book struct {
	ID      int64             `json:"id"`
	Title   string            `json:"title"`
	Authors []string          `json:"authors"`
	Year    int               `json:"year"`
	Price   float64           `json:"price"`
	InPrint bool              `json:"inPrint"`
	Tags    map[string]string `json:"tags,omitempty"`
}

// Records are the lines of a ledger.
type Records struct {
	Items []Record `json:"items"`
}

// Record is one line of a ledger.
type Record struct {
	ID      int64   `json:"id"`
	Account string  `json:"account"`
	Amount  float64 `json:"amount"`
	Posted  bool    `json:"posted"`
	Note    string  `json:"note"`
}
