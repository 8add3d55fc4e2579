package analyze

import "testing"

func TestDropSymbol(t *testing.T) {
	for _, c := range []struct{ name, text, symbol, want string }{
		{"first word", "Search finds books.", "Search", "Finds books."},
		{"other first word", "Finds books.", "Search", "Finds books."},
		{"prefix only", "Searching is fun.", "Search", "Searching is fun."},
		{"further paragraphs stay", "Search finds books.\n\nSearch is slow.", "Search", "Finds books.\n\nSearch is slow."},
		{"only the name", "Search", "Search", "Search"},
		{"the name and a blank", "Search ", "Search", "Search "},
		{"imperative", "Start the scheduler.", "Start", "Start the scheduler."},
		{"imperative with its object", "Close tx and its file.", "Close", "Close tx and its file."},
		{"imperative with a pronoun", "Drop its rows.", "Drop", "Drop its rows."},
		{"imperative and a name", "Restart X.", "Restart", "Restart X."},
		{"modal verb", "Compact will copy.", "Compact", "Will copy."},
		{"adverb", "Walk recursively visits.", "Walk", "Recursively visits."},
		{"no word of a sentence", "SearchBooks the way you like.", "SearchBooks", "The way you like."},
		{"umlaut", "Search öffnet.", "Search", "Öffnet."},
	} {
		if got := dropSymbol(c.text, c.symbol); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
