// Package newer has the tool of package older, with members added to its result.
package newer

// Book is a book.
type Book struct {
	Title string `json:"title"`
	Pages int    `json:"pages"`
	Loans []Loan `json:"loans"`
}

// Loan is the time for which a reader has a book.
type Loan struct {
	Reader string `json:"reader"`
	Days   int    `json:"days"`
}

// Find finds a book.
//
//mcp:tool readonly closedworld
func Find(title string) Book { return Book{title, 320, []Loan{{"Ada", 14}}} }
