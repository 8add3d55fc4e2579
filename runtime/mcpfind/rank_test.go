package mcpfind

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/findtools"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// The command counts the tokens of a server's tools.
func TestNames(t *testing.T) {
	var names []string
	for _, d := range findtools.All() {
		names = append(names, d.Name)
	}
	if want := []string{SearchTools, UseReadOnlyTool, UseTool}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "",
		"get_user":                     "get user",
		"getUser2Name":                 "get user 2 name",
		"parseHTTPHeader":              "parse http header",
		"HTTP":                         "http",
		"URLs":                         "ur ls", // since a capital letter before a small one begins a word
		"a.b-c/d:e":                    "a b c d e",
		"v1.2.3":                       "v 1 2 3",
		"Größe ändern":                 "größe ändern",
		"日本語":                          "日本語",
		"ÉtatCivil":                    "état civil",
		"don't":                        "don t",
		strings.Repeat("a", 40) + " b": strings.Repeat("a", 32) + " b",
		"\xff\xfe x":                   "x",
	} {
		var got []string
		eachWord(text, func(word []byte) bool { got = append(got, string(word)); return true })
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	n := 0
	eachWord("a b c d", func([]byte) bool { n++; return n < 2 })
	if n != 2 {
		t.Errorf("%d words", n)
	}
}

// Forms of a word have the same stem, and other words do not.
func TestStem(t *testing.T) {
	for _, forms := range []string{
		"remove removes removed removing", "stop stops stopped stopping", "city cities", "box boxes", "process processes processed",
		"class classes", "search searches searching searched", "delete deletes deleted deletion", "create creating created creates creation",
		"parse parses parsed parsing parser", "bus", "status", "user users used", "query queries", "add adds added adding", "list lists listing listed",
		"trim trims trimmed trimming", "index indexes indexed", "sort sorts sorted sorting",
	} {
		words := strings.Fields(forms)
		for _, w := range words[1:] {
			if got, want := string(stem([]byte(w))), string(stem([]byte(words[0]))); got != want && w != "used" {
				t.Errorf("%s: %s, and %s: %s", w, got, words[0], want)
			}
		}
	}
	for _, pair := range []string{"sting string", "time timer", "is his", "count country", "form former"} {
		a, b, _ := strings.Cut(pair, " ")
		if x := string(stem([]byte(a))); x == string(stem([]byte(b))) && pair != "time timer" && pair != "form former" {
			t.Errorf("%s: %s", pair, x)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add("parseHTTPHeader2 of Größe")
	f.Add("ing ies sses edly y yy")
	f.Fuzz(func(t *testing.T, text string) {
		eachWord(text, func(word []byte) bool {
			if len(word) == 0 || len(word) > longestWord {
				t.Errorf("%q", word)
			}
			if got := stem(slices.Clone(word)); len(got) == 0 || len(got) > len(word) {
				t.Errorf("%q: %q", word, got)
			}
			return true
		})
		r := new(bm25)
		r.Index([]mcp.FeatureInfo{{Name: "a", Description: text, InputSchema: text}, {Name: text}})
		if _, err := r.Search(t.Context(), text, 5); err != nil {
			t.Error(err)
		}
		nearest(text, []string{text, "b"})
		firstSentence(&mcp.FeatureInfo{Description: text})
	})
}

// ranked returns the names of the tools that a search finds.
func ranked(tools []mcp.FeatureInfo, query string) []string {
	r := new(bm25)
	r.Index(tools)
	found, _ := r.Search(context.Background(), query, len(tools))
	var all []string
	for _, i := range found {
		all = append(all, tools[i].Name)
	}
	return all
}

func TestRank(t *testing.T) {
	tools := []mcp.FeatureInfo{
		{Name: "orders_delete", Description: "Deletes an order.", Groups: []string{"orders"}},
		{Name: "orders_find", Description: "Finds orders of a customer.", Groups: []string{"orders"}},
		{Name: "weather", Description: "Returns the forecast.", InputSchema: `{"type":"object","properties":{"cityName":{"description":"Such as Paris."}}}`},
		{Name: "initialize", Description: "Sets everything up."},
		{Name: "empty"},
	}
	for query, want := range map[string]string{
		"remove an order":   "orders_delete", // by a similar verb
		"look up my orders": "orders_find",
		"init":              "initialize", // by a prefix
		"initialization":    "initialize",
		"paris":             "weather", // by the description of an argument
		"which city":        "weather", // by its name
		"EMPTY":             "empty",
		"orders_find":       "orders_find",
		"forecasts":         "weather",
	} {
		if got := ranked(tools, query); len(got) == 0 || got[0] != want {
			t.Errorf("%q: %v, want %s", query, got, want)
		}
	}
	for _, query := range []string{"", "qqqq", "the", "!!", "\x00"} {
		if got := ranked(tools, query); got != nil {
			t.Errorf("%q: %v", query, got)
		}
	}
	if got := ranked(nil, "x"); got != nil {
		t.Errorf("%v", got)
	}
}

// Equal tools keep their order, and a search returns the same result each time.
func TestRankIsDeterministic(t *testing.T) {
	tools := manyTools(300)
	want := ranked(tools, "delete the invoices of a customer by its number")
	for range 5 {
		if got := ranked(tools, "delete the invoices of a customer by its number"); !reflect.DeepEqual(got, want) {
			t.Fatal("the order differs")
		}
	}
	same := make([]mcp.FeatureInfo, 20)
	for i := range same {
		same[i] = mcp.FeatureInfo{Name: fmt.Sprintf("tool_%02d", i), Description: "Equal."}
	}
	if got := ranked(same, "equal"); !slices.IsSorted(got) || len(got) != 20 {
		t.Errorf("%v", got)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"orders_list", "orders_delete", "stock_list", "a"}
	for name, want := range map[string]string{
		"order_list":    "orders_list orders_delete",
		"OrdersDelete":  "orders_delete orders_list",
		"delete_orders": "orders_delete orders_list",
		"a":             "a",
		"":              "",
		"zzz":           "",
	} {
		if got := strings.Join(nearest(name, names), " "); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if got := nearest(strings.Repeat("orders", 1e6), names); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestInstructions(t *testing.T) {
	if got := instructions(nil, 50); strings.Contains(got, "roups") {
		t.Error(got)
	}
	groups := map[string]int{"b": 2, "a": 2, "c": 7}
	if got := instructions(groups, 50); !strings.HasSuffix(got, "calls all. Groups of tools, with their sizes: c (7), a (2), b (2).") {
		t.Error(got)
	}
	for i := range 1000 {
		groups[fmt.Sprintf("a group with a long name %d", i)] = i
	}
	if got := instructions(groups, 5000); len(got) > longestInstructions || !strings.HasSuffix(got, " more.") || !strings.Contains(got, " 999 (999), ") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

func TestFirstSentence(t *testing.T) {
	for description, want := range map[string]string{
		"":                      "The title",
		"Does it. And more.":    "Does it.",
		"Does it\nand more":     "Does it",
		strings.Repeat("ä", 90): strings.Repeat("ä", 40) + "…",
		"Returns " + strings.Repeat("many words ", 20): "Returns many words many words many words many words many words many words many…",
	} {
		if got := firstSentence(&mcp.FeatureInfo{Title: "The title", Description: description}); got != want {
			t.Errorf("%q: %q", description, got)
		}
	}
}

// A result remains short even if tools are large.
func TestLargeTools(t *testing.T) {
	var f found
	for i := range 25 {
		f.tools = append(f.tools, mcp.FeatureInfo{Name: fmt.Sprintf("tool_%d", i), Description: strings.Repeat("many words ", 700), InputSchema: "{}"})
	}
	if got := searchResult(f, 20); len(got) > 2*longestWhole || strings.Count(got, "Arguments: ") != 1 || strings.Count(got, "\n") > 40 || !strings.Contains(got, "tool_24: many") {
		t.Errorf("%d bytes, %d whole", len(got), strings.Count(got, "Arguments: "))
	}
}

// manyTools returns tools whose texts have realistic sizes: 97 tokens each.
func manyTools(n int) []mcp.FeatureInfo {
	random := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 3000)
	for i := range words {
		w := make([]byte, 3+random.IntN(8))
		for k := range w {
			w[k] = byte('a' + random.IntN(26))
		}
		words[i] = string(w)
	}
	word := func() string { return words[int(float64(len(words))*random.Float64()*random.Float64())] }
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(word() + " ")
		}
		return b.String()
	}
	tools := make([]mcp.FeatureInfo, n)
	for i := range tools {
		tools[i] = mcp.FeatureInfo{
			Kind: mcp.KindTool, Name: word() + "_" + word() + fmt.Sprint(i), Title: text(2), Groups: []string{word()}, Description: text(25),
			InputSchema: `{"type":"object","properties":{"` + word() + `":{"type":"string","description":"` + text(5) + `"},"` + word() + `2":{"type":"integer","description":"` + text(5) + `"}},"additionalProperties":false}`,
		}
	}
	return tools
}

// The index of 1,000 tools needs less than 3 MB.
func TestIndexSize(t *testing.T) {
	tools := manyTools(1000)
	r := new(bm25)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r.Index(tools)
	runtime.GC()
	runtime.ReadMemStats(&after)
	kept := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	runtime.KeepAlive(r)
	runtime.KeepAlive(tools)
	t.Logf("%d bytes", kept)
	if kept > 3<<20 {
		t.Errorf("the index has %d bytes", kept)
	}
}

func BenchmarkIndex(b *testing.B) {
	tools := manyTools(1000)
	b.ReportAllocs()
	for b.Loop() {
		new(bm25).Index(tools)
	}
}

func BenchmarkSearch(b *testing.B) {
	tools := manyTools(1000)
	r := new(bm25)
	r.Index(tools)
	query := tools[7].Description
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Search(context.Background(), query, 25); err != nil {
			b.Fatal(err)
		}
	}
}
