package suggest

import "testing"

func TestNearest(t *testing.T) {
	candidates := []string{"tool", "arg", "doc", "resource", "timeout", "readonly", "minLength", "maxLength", "title", "search_books", "ok"}
	for _, c := range []struct{ word, want string }{
		{"tol", "tool"}, {"Tool", "tool"}, {"tolo", "tool"}, {"tools", "tool"},
		{"timout", "timeout"}, {"tiemout", "timeout"}, {"read_only", "readonly"}, {"ReadOnly", "readonly"}, {"-readonly", "readonly"},
		{"minlength", "minLength"}, {"lenght", ""}, {"maxLenght", "maxLength"},
		{"searchBooks", "search_books"}, {"serach_book", "search_books"},
		{"resuorce", "resource"}, {"agr", "arg"},
		{"x", ""}, {"", ""}, {"zzz", ""}, {"completely", ""}, {"k", ""}, {"go", ""}, {"--", ""},
	} {
		if got := Nearest(c.word, candidates); got != c.want {
			t.Errorf("Nearest(%q) = %q, want %q", c.word, got, c.want)
		}
	}
	if got := Nearest("tool", []string{"tool"}); got != "" {
		t.Errorf("a word is near to itself: %q", got)
	}
}

func FuzzDistance(f *testing.F) {
	f.Add("tool", "tol")
	f.Add("", "é")
	f.Add("abcd", "badc")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := []rune(a), []rune(b)
		if len(x) > 100 || len(y) > 100 {
			return
		}
		d := distance(x, y)
		if d != distance(y, x) || d > max(len(x), len(y)) || (d == 0) != (string(x) == string(y)) {
			t.Errorf("distance(%q, %q) = %d", a, b, d)
		}
	})
}
