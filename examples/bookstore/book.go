package bookstore

import "time"

// Book is one title that the shop trades in.
type Book struct {
	// ID is the catalogue number. For the books that the shop opened with it is their number at
	// Project Gutenberg; books added later begin at 1000000.
	ID int64 `json:"id"`
	// Title is the English title, whatever language the book was written in.
	Title string `json:"title"`
	// Authors are the full names, in the order of the title page.
	Authors []string `json:"authors"`
	// Year is the year of first publication. A serial counts from its first instalment, a play from
	// its first performance.
	Year int `json:"year"`
	// Language is the language in which the book was first written.
	Language Language `json:"language"`
	// Subjects are in lower case unless they are names.
	Subjects []string `json:"subjects"`
	Format   Format   `json:"format"`
	// PriceCents is the price of one copy, in euro cents.
	PriceCents int `json:"priceCents"`
	// Available is the number of copies that are neither sold nor reserved.
	Available int `json:"available"`
	// AddedAt is the time when the title was added to the catalogue.
	AddedAt time.Time `json:"addedAt"`
	// RepricedAt is the time of the last price change, absent without one.
	RepricedAt *time.Time `json:"repricedAt,omitempty"`
}

// NewBook is the data of a book that the shop does not sell yet.
type NewBook struct {
	// Title is the English title.
	Title string `json:"title" jsonschema:"minLength=1,maxLength=300"`
	// Authors are the full names, in the order of the title page.
	Authors []string `json:"authors" jsonschema:"minItems=1,maxItems=10"`
	// Year is the year of first publication.
	Year int `json:"year" jsonschema:"minimum=1450,maximum=2100"`
	// Language is the language in which the book was first written.
	Language Language `json:"language,omitempty" jsonschema:"default=en"`
	// Subjects are in lower case unless they are names.
	Subjects []string `json:"subjects,omitempty" jsonschema:"maxItems=20,uniqueItems=true"`
	Format   Format   `json:"format,omitempty" jsonschema:"default=paperback"`
	// PriceCents is the price of one copy, in euro cents.
	PriceCents int `json:"priceCents" jsonschema:"minimum=1,maximum=1000000"`
	// Stock is the number of copies that come in with the book.
	Stock int `json:"stock,omitempty" jsonschema:"default=1,minimum=0,maximum=1000"`
}

// Language is a language of the catalogue, by its ISO 639-1 code.
type Language string

const (
	English   Language = "en" // English
	French    Language = "fr" // French
	German    Language = "de" // German
	Spanish   Language = "es" // Spanish
	Italian   Language = "it" // Italian
	Norwegian Language = "no" // Norwegian
	Russian   Language = "ru" // Russian
)

// Name is the English name of the language.
func (l Language) Name() string {
	switch l {
	case English:
		return "English"
	case French:
		return "French"
	case German:
		return "German"
	case Spanish:
		return "Spanish"
	case Italian:
		return "Italian"
	case Norwegian:
		return "Norwegian"
	case Russian:
		return "Russian"
	}
	return string(l)
}

// Format is how a book is bound.
type Format string

const (
	Paperback Format = "paperback" // glued, soft cover
	Hardback  Format = "hardback"  // sewn, cloth over boards
)
