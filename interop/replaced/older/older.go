// Package older has a tool before a member was added to its result.
package older

// Book is a book.
type Book struct {
	Title string `json:"title"`
	Loans []Loan `json:"loans"`
}

// Loan is the time for which a reader has a book.
type Loan struct {
	Reader string `json:"reader"`
}

// Find finds a book.
//
//mcp:tool readonly closedworld
func Find(title string) Book { return Book{title, []Loan{{"Ada"}}} }
