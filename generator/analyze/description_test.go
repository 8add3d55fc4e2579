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
		{"umlaut", "Search öffnet.", "Search", "Öffnet."},
	} {
		if got := dropSymbol(c.text, c.symbol); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
