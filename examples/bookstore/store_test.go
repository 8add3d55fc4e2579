package bookstore

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// mobyDick is the catalogue number of a book with four copies in stock.
const mobyDick = 2701

// open opens a shop in memory for one test.
func open(t testing.TB) *Store {
	t.Helper()
	s, closeStore, err := OpenMemory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeStore)
	return s
}

// eachKind runs a test with a shop in memory and one in a file.
func eachKind(t *testing.T, test func(*testing.T, *Store)) {
	t.Run("memory", func(t *testing.T) { test(t, open(t)) })
	t.Run("file", func(t *testing.T) {
		s, err := Open(t.Context(), filepath.Join(t.TempDir(), "a shop?#.db"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		test(t, s)
	})
}

// everything searches without filters.
func everything(ctx context.Context, s *Store, query string) ([]Book, int, error) {
	return s.SearchBooks(ctx, query, nil, nil, ByRelevance, 100, 0)
}

func titles(books []Book) []string {
	var all []string
	for _, b := range books {
		all = append(all, b.Title)
	}
	return all
}

func TestSeed(t *testing.T) {
	s := open(t)
	books, err := collect(t.Context(), s.db, scanOne, "SELECT "+bookColumns+" FROM books AS b ORDER BY b.id")
	if err != nil {
		t.Fatal(err)
	}
	if len(books) < 150 {
		t.Errorf("the shop opens with %d books, want some hundred", len(books))
	}
	languages := []Language{English, French, German, Spanish, Italian, Norwegian, Russian}
	for _, b := range books {
		if b.Title == "" || len(b.Authors) == 0 || len(b.Subjects) == 0 || b.ID < 1 || b.ID >= 1000000 ||
			b.Year < 1450 || b.Year > 1930 || b.PriceCents < 1 || b.Available < 0 || b.RepricedAt != nil {
			t.Errorf("not a book: %+v", b)
		}
		if !slices.Contains(languages, b.Language) || b.Format != Paperback && b.Format != Hardback {
			t.Errorf("%s: language %q, format %q", b.Title, b.Language, b.Format)
		}
	}
}

func TestSeedThatIsBroken(t *testing.T) {
	good := []string{"1", "T", "A; B", "1900", "en", "x; y", "paperback", "100", "1"}
	if _, b, err := parseSeed(good); err != nil || len(b.Authors) != 2 || len(b.Subjects) != 2 {
		t.Errorf("%+v, %v", b, err)
	}
	for _, column := range []int{seedID, seedYear, seedPriceCents, seedStock} {
		bad := slices.Clone(good)
		bad[column] = "many"
		if _, _, err := parseSeed(bad); err == nil {
			t.Errorf("column %d: no error", column)
		}
	}
}

func TestReopen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "shop.db")
	for i := range 3 {
		s, err := Open(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		b, err := s.RestockBook(t.Context(), mobyDick, 1)
		if err != nil || b.Available != 5+i {
			t.Errorf("time %d: %d copies, %v", i, b.Available, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Open(t.Context(), filepath.Join(file, "below a file")); err == nil {
		t.Error("opened a database below a file")
	}
}

func TestSearch(t *testing.T) {
	s := open(t)
	french, cents := French, 700
	for _, test := range []struct {
		name     string
		query    string
		language *Language
		cents    *int
		sort     Sort
		first    string
	}{
		{"title before subjects", "sea wolf", nil, nil, ByRelevance, "The Sea-Wolf"},
		{"stem", "whales", nil, nil, ByRelevance, "Moby-Dick; Or, The Whale"},
		{"accent", "bronte jane", nil, nil, ByRelevance, "Jane Eyre"},
		{"case", "MELVILLE WHALING", nil, nil, ByRelevance, "Moby-Dick; Or, The Whale"},
		{"apostrophe", "d'urbervilles", nil, nil, ByRelevance, "Tess of the d'Urbervilles"},
		{"language", "sea", &french, nil, ByYear, "Twenty Thousand Leagues under the Sea"},
		{"oldest", "sea", nil, nil, ByYear, "Robinson Crusoe"},
		{"alphabet", "wells martians", nil, nil, ByTitle, "The War of the Worlds"},
		{"composed accent", "Salammbô", nil, nil, ByRelevance, "Salammbô"},
		{"decomposed accent", "Salammbo\u0302", nil, nil, ByRelevance, "Salammbô"},
		{"no order", "quixote", nil, nil, "", "Don Quixote"},
	} {
		t.Run(test.name, func(t *testing.T) {
			books, total, err := s.SearchBooks(t.Context(), test.query, test.language, test.cents, test.sort, 3, 0)
			if err != nil || len(books) == 0 || books[0].Title != test.first || total < len(books) || len(books) > 3 {
				t.Errorf("got %q of %d, %v, want %q first", titles(books), total, err, test.first)
			}
		})
	}
	cheap, _, err := s.SearchBooks(t.Context(), "sea", nil, &cents, ByPrice, 100, 0)
	if err != nil || len(cheap) == 0 || cheap[len(cheap)-1].PriceCents > cents ||
		!slices.IsSortedFunc(cheap, func(a, b Book) int { return a.PriceCents - b.PriceCents }) {
		t.Errorf("cheap books: %v, %v", titles(cheap), err)
	}
}

func TestSearchPages(t *testing.T) {
	s := open(t)
	all, total, err := everything(t.Context(), s, "sea")
	if err != nil || len(all) != total {
		t.Fatalf("%d of %d, %v", len(all), total, err)
	}
	var paged []Book
	for offset := 0; offset < total; offset += 4 {
		page, n, err := s.SearchBooks(t.Context(), "sea", nil, nil, ByRelevance, 4, offset)
		if err != nil || n != total {
			t.Fatalf("offset %d: total %d, %v", offset, n, err)
		}
		paged = append(paged, page...)
	}
	if !slices.Equal(titles(paged), titles(all)) {
		t.Errorf("pages give %q, want %q", titles(paged), titles(all))
	}
	if page, n, err := s.SearchBooks(t.Context(), "sea", nil, nil, ByRelevance, 4, total); err != nil || page == nil || len(page) > 0 || n != total {
		t.Errorf("behind the last page: %v of %d, %v", page, n, err)
	}
}

// All user input is words, never FTS5 syntax.
func TestSearchTakesAnything(t *testing.T) {
	s := open(t)
	for _, query := range []string{
		`"`, `""`, `sea"`, `"sea`, `sea AND`, `AND`, `NOT sea`, `sea OR`, `NEAR(sea wolf, 2)`, `title:sea`, `{title}: sea`,
		`sea*`, `*`, `^sea`, `sea + wolf`, `-sea`, `(sea`, `sea)`, `'; DROP TABLE books; --`, "sea\x00wolf", "\xff\xfe",
		"日本語", "\u0302", "😀", strings.Repeat("sea ", 5000), strings.Repeat("s", 100000), "ⅷ ①", "%", "_",
	} {
		if _, _, err := everything(t.Context(), s, query); err != nil && !errors.Is(err, ErrNoWords) {
			t.Errorf("%.40q: %v", query, err)
		}
	}
	for _, query := range []string{"", " ", "!?", `"*"`} {
		if _, _, err := everything(t.Context(), s, query); !errors.Is(err, ErrNoWords) {
			t.Errorf("%q: %v, want ErrNoWords", query, err)
		}
	}
}

func FuzzSearch(f *testing.F) {
	for _, query := range []string{"sea", `sea "wolf`, "NEAR(a b)", "title : x*", "é", "\x00"} {
		f.Add(query)
	}
	s := open(f)
	f.Fuzz(func(t *testing.T, query string) {
		if _, _, err := everything(t.Context(), s, query); err != nil && !errors.Is(err, ErrNoWords) {
			t.Errorf("%q: %v", query, err)
		}
	})
}

func TestBook(t *testing.T) {
	s := open(t)
	b, err := s.Book(t.Context(), mobyDick)
	if err != nil || b.Title != "Moby-Dick; Or, The Whale" || b.Authors[0] != "Herman Melville" || b.Year != 1851 ||
		b.Available != 4 || !slices.Contains(b.Subjects, "whaling") {
		t.Errorf("%+v, %v", b, err)
	}
	if _, err := s.Book(t.Context(), 999999); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v, want ErrNotFound", err)
	}
}

func TestAddAndRemove(t *testing.T) {
	eachKind(t, func(t *testing.T, s *Store) {
		abbey := NewBook{
			Title: "Nightmare Abbey", Authors: []string{"Thomas Love Peacock"}, Year: 1818,
			Subjects: []string{"satire", "castles", "satire"}, PriceCents: 1100, Stock: 2,
		}
		b, err := s.AddBook(t.Context(), abbey)
		if err != nil {
			t.Fatal(err)
		}
		if b.ID < 1000000 || b.Language != English || b.Format != Paperback || b.Available != 2 ||
			!slices.Equal(b.Subjects, []string{"castles", "satire"}) || time.Since(b.AddedAt) > time.Minute {
			t.Errorf("%+v", b)
		}
		if found, _, err := everything(t.Context(), s, "peacock castle"); err != nil || len(found) != 1 || found[0].ID != b.ID {
			t.Errorf("search finds %v, %v", titles(found), err)
		}
		if _, err := s.AddBook(t.Context(), abbey); !errors.Is(err, ErrDuplicate) {
			t.Errorf("%v, want ErrDuplicate", err)
		}
		if err := s.RemoveBook(t.Context(), b.ID); err != nil {
			t.Error(err)
		}
		if err := s.RemoveBook(t.Context(), b.ID); !errors.Is(err, ErrNotFound) {
			t.Errorf("%v, want ErrNotFound", err)
		}
		if found, _, err := everything(t.Context(), s, "peacock castle"); err != nil || len(found) != 0 {
			t.Errorf("search finds a removed book: %v, %v", titles(found), err)
		}
		again, err := s.AddBook(t.Context(), abbey)
		if err != nil || again.ID <= b.ID {
			t.Errorf("number %d is used again, %v", again.ID, err)
		}
	})
}

func TestUpdatePrice(t *testing.T) {
	s := open(t)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s.now = func() time.Time { return at }
	before, after, err := s.UpdatePrice(t.Context(), mobyDick, 1195)
	if b, _ := s.Book(t.Context(), mobyDick); before != 1195 || after != 1195 || err != nil || b.RepricedAt != nil {
		t.Errorf("same price: %d to %d at %v, %v", before, after, b.RepricedAt, err)
	}
	before, after, err = s.UpdatePrice(t.Context(), mobyDick, 999)
	if b, _ := s.Book(t.Context(), mobyDick); before != 1195 || after != 999 || err != nil || b.PriceCents != 999 ||
		b.RepricedAt == nil || !b.RepricedAt.Equal(at) {
		t.Errorf("%d to %d at %v, %v", before, after, b.RepricedAt, err)
	}
	if _, _, err := s.UpdatePrice(t.Context(), 999999, 1); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v, want ErrNotFound", err)
	}
	if _, err := s.RestockBook(t.Context(), 999999, 1); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v, want ErrNotFound", err)
	}
}

func TestReserve(t *testing.T) {
	eachKind(t, func(t *testing.T, s *Store) {
		ann, bob, note := Caller{"ann"}, Caller{"bob"}, "on Friday"
		r, err := s.ReserveCopies(t.Context(), ann, mobyDick, 3, &note)
		if err != nil || r.BookID != mobyDick || r.Copies != 3 || r.TotalCents != 3*1195 || r.Note == nil || *r.Note != note {
			t.Fatalf("%+v, %v", r, err)
		}
		if _, err := s.ReserveCopies(t.Context(), bob, mobyDick, 2, nil); !errors.Is(err, ErrOutOfStock) {
			t.Errorf("%v, want ErrOutOfStock", err)
		}
		if _, err := s.ReserveCopies(t.Context(), bob, 999999, 2, nil); !errors.Is(err, ErrNotFound) {
			t.Errorf("%v, want ErrNotFound", err)
		}
		if err := s.RemoveBook(t.Context(), mobyDick); !errors.Is(err, ErrReserved) {
			t.Errorf("%v, want ErrReserved", err)
		}
		if own, err := s.ListReservations(t.Context(), ann); err != nil || len(own) != 1 || own[0].ID != r.ID || own[0].Title != "Moby-Dick; Or, The Whale" {
			t.Errorf("%+v, %v", own, err)
		}
		if other, err := s.ListReservations(t.Context(), bob); err != nil || other == nil || len(other) != 0 {
			t.Errorf("%+v, %v", other, err)
		}
		if err := s.CancelReservation(t.Context(), bob, r.ID); !errors.Is(err, ErrNoReservation) {
			t.Errorf("%v, want ErrNoReservation", err)
		}
		if err := s.CancelReservation(t.Context(), ann, r.ID); err != nil {
			t.Error(err)
		}
		if b, err := s.Book(t.Context(), mobyDick); err != nil || b.Available != 4 {
			t.Errorf("%d copies, %v", b.Available, err)
		}
	})
}

func TestReserveLimit(t *testing.T) {
	s := open(t)
	if _, err := s.RestockBook(t.Context(), mobyDick, 100); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := s.ReserveCopies(t.Context(), localCaller, mobyDick, 9, nil); err != nil {
			t.Fatal(err)
		}
	}
	var limit *LimitError
	_, err := s.ReserveCopies(t.Context(), localCaller, mobyDick, 5, nil)
	if !errors.As(err, &limit) || *limit != (LimitError{Held: 18, Asked: 5, Limit: 20}) {
		t.Errorf("%v, want a LimitError", err)
	}
}

// However many callers reserve at once, exactly the available copies are reserved.
func TestReserveAtOnce(t *testing.T) {
	eachKind(t, func(t *testing.T, s *Store) {
		if _, err := s.RestockBook(t.Context(), mobyDick, 6); err != nil {
			t.Fatal(err)
		}
		const customers = 24
		results := make([]error, customers)
		var wg sync.WaitGroup
		for i := range customers {
			wg.Go(func() {
				caller := Caller{fmt.Sprint("customer ", i)}
				r, err := s.ReserveCopies(t.Context(), caller, mobyDick, 1, nil)
				if err == nil && i%2 == 0 {
					err = errors.Join(s.CancelReservation(t.Context(), caller, r.ID), errGaveBack)
				}
				results[i] = err
			})
		}
		wg.Wait()
		kept := 0
		for i, err := range results {
			switch {
			case err == nil:
				kept++
			case errors.Is(err, ErrOutOfStock), err.Error() == errGaveBack.Error():
			default:
				t.Errorf("customer %d: %v", i, err)
			}
		}
		if b, err := s.Book(t.Context(), mobyDick); err != nil || b.Available != 10-kept {
			t.Errorf("%d copies are left after %d of 10 were kept, %v", b.Available, kept, err)
		}
	})
}

var errGaveBack = errors.New("gave it back")

func TestReport(t *testing.T) {
	s := open(t)
	report, err := s.ReportByDecade(t.Context(), 1450, 2100)
	if err != nil {
		t.Fatal(err)
	}
	var count int
	if err := s.db.QueryRow("SELECT count(*) FROM books").Scan(&count); err != nil {
		t.Fatal(err)
	}
	for name, d := range report {
		sum := 0
		for _, n := range d.Languages {
			sum += n
		}
		if sum != d.Books || d.MeanPriceCents < 500 || d.MeanPriceCents > 4000 || len(name) != 5 || name[3:] != "0s" {
			t.Errorf("%s: %+v", name, d)
		}
		count -= d.Books
	}
	if count != 0 {
		t.Errorf("%d books are in no decade", count)
	}
	if few, err := s.ReportByDecade(t.Context(), 1851, 1851); err != nil || len(few) != 1 || few["1850s"].Languages[English] == 0 {
		t.Errorf("%+v, %v", few, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.ReportByDecade(ctx, 1450, 2100); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
}

func TestSubjects(t *testing.T) {
	s := open(t)
	all, err := s.ListSubjects(t.Context(), nil, 500)
	if err != nil || len(all) < 50 || !slices.IsSortedFunc(all, func(a, b Subject) int { return b.Books - a.Books }) {
		t.Errorf("%d subjects, %v", len(all), err)
	}
	russian := Russian
	few, err := s.ListSubjects(t.Context(), &russian, 1)
	if err != nil || len(few) != 1 || few[0].Name != "Russia" {
		t.Errorf("%+v, %v", few, err)
	}
}

func TestSimilar(t *testing.T) {
	s := open(t)
	books, err := s.SimilarBooks(t.Context(), mobyDick, 5)
	if err != nil || len(books) != 5 || books[0].Title != "Kidnapped" ||
		!slices.Equal(books[0].Shared, []string{"adventure", "sea stories"}) {
		t.Fatalf("%+v, %v", books, err)
	}
	for i, b := range books {
		if b.ID == mobyDick || len(b.Shared) == 0 || i > 0 && len(b.Shared) > len(books[i-1].Shared) {
			t.Errorf("place %d: %s shares %q", i, b.Title, b.Shared)
		}
	}
	if _, err := s.SimilarBooks(t.Context(), 999999, 5); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v, want ErrNotFound", err)
	}
}

func TestDescribe(t *testing.T) {
	s := open(t)
	for id, want := range map[int64]string{
		mobyDick: "Moby-Dick; Or, The Whale by Herman Melville was first published in 1851. Its subjects are adventure, " +
			"sea stories, ship captains and whaling. A paperback costs €11.95; 4 copies are available.",
		175: "The Phantom of the Opera by Gaston Leroux was first published in 1909, in French. Its subjects are Paris, " +
			"horror, mystery and opera. A paperback costs €8.95; none is available at the moment.",
	} {
		if got, err := s.DescribeBook(t.Context(), id); err != nil || got != want {
			t.Errorf("got %q, %v\nwant %q", got, err, want)
		}
	}
	if _, err := s.DescribeBook(t.Context(), 999999); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v, want ErrNotFound", err)
	}
}

func TestWait(t *testing.T) {
	s := open(t)
	if b, err := s.WaitForCopies(t.Context(), mobyDick, 4, 0); b.Available != 4 || err != nil {
		t.Errorf("what is there: %+v, %v", b, err)
	}
	if _, err := s.WaitForCopies(t.Context(), 999999, 1, time.Minute); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v, want ErrNotFound", err)
	}
	if _, err := s.WaitForCopies(t.Context(), mobyDick, 5, time.Millisecond); !errors.Is(err, ErrOutOfStock) {
		t.Errorf("%v, want ErrOutOfStock", err)
	}
	r, err := s.ReserveCopies(t.Context(), localCaller, mobyDick, 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan int)
	for range 3 {
		go func() {
			b, err := s.WaitForCopies(t.Context(), mobyDick, 2, time.Minute)
			if err != nil {
				t.Error(err)
			}
			got <- b.Available
		}()
	}
	if err := s.CancelReservation(t.Context(), localCaller, r.ID); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if n := <-got; n != 4 {
			t.Errorf("woken with %d copies, want 4", n)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.WaitForCopies(ctx, mobyDick, 5, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
}

func TestBell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bell
		b.ring() // no goroutine waits
		woken := 0
		var mu sync.Mutex
		for range 3 {
			go func() {
				<-b.wait()
				mu.Lock()
				defer mu.Unlock()
				woken++
			}()
		}
		synctest.Wait()
		if woken != 0 {
			t.Errorf("%d woke by themselves", woken)
		}
		b.ring()
		synctest.Wait()
		if woken != 3 {
			t.Errorf("%d of 3 woke", woken)
		}
	})
}

func TestCaller(t *testing.T) {
	for _, test := range []struct {
		ctx  context.Context
		want Caller
		err  error
	}{
		{t.Context(), Caller{"local"}, nil},
		{WithCaller(t.Context(), Caller{"ann"}), Caller{"ann"}, nil},
		{WithCaller(t.Context(), Caller{}), Caller{}, ErrNameless},
	} {
		if got, err := CallerFrom(test.ctx); got != test.want || !errors.Is(err, test.err) {
			t.Errorf("%v, %v, want %v, %v", got, err, test.want, test.err)
		}
	}
}

// A memory database lives as long as its connection, which must outlive aborted calls.
func TestCancelledCallsLoseNothing(t *testing.T) {
	s := open(t)
	for i := range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = s.RestockBook(ctx, mobyDick, 1)
			_, _ = s.SimilarBooks(ctx, mobyDick, 50)
		}()
		for range i * 50 {
			runtime.Gosched()
		}
		cancel()
		<-done
	}
	if b, err := s.Book(t.Context(), mobyDick); err != nil || b.Available < 4 {
		t.Errorf("%+v, %v", b, err)
	}
}

func BenchmarkOpenMemory(b *testing.B) {
	for b.Loop() {
		s, err := Open(b.Context(), "")
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
