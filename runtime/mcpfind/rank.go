package mcpfind

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Ranker ranks tools by how well they match a query.
type Ranker interface {
	// Index is called with all tools before the first search, and again before a search after tools
	// were registered or removed. No search runs in the meantime.
	Index(tools []mcp.FeatureInfo)
	// Search returns up to n indexes into the tools of Index, best match first. It must be safe for
	// concurrent use. The query has at most [MaxQuery] bytes. Results that the caller must not see
	// are removed afterwards; if too few remain, Search is called again with a larger n.
	Search(ctx context.Context, query string, n int) ([]int, error)
}

// Weights of words by their place.
const (
	inName        = 3
	inTitle       = 2
	inGroup       = 1
	inDescription = 1
	inArgument    = 0.7
	inArgumentDoc = 0.4
)

// Parameters of BM25: how quickly the weight of repeated words decreases, and how much shorter
// texts are preferred.
const (
	saturation = 1.2
	lengthPart = 0.6
)

// Weights of a tool's words that are not equal to a word of the query.
const (
	asAlike  = 0.5
	asPrefix = 0.6
)

// shortestPrefix is the minimum length of a word that matches as a prefix.
const shortestPrefix = 4

// mostWords limits the words of a query.
const mostWords = 64

// bm25 is the default [Ranker]: BM25 over weighted fields. Searches do not change it, and it needs
// no model, so a query has the same result in every process.
type bm25 struct {
	terms map[string]int32
	words []string // the keys of terms, sorted
	lists [][]posting
	size  []float32 // weighted number of words of each tool
	mean  float32
	exact map[string]int
}

// posting is the weighted frequency of a word in a tool.
type posting struct {
	tool  int32
	count float32
}

// indexer collects the words of the tools, one tool after the other.
type indexer struct {
	*bm25
	tool  int32
	seen  []int32 // terms of the current tool
	count []float32
	all   []termPosting
	lens  []int32 // length of the list of each term
}

// termPosting is a posting that is not yet in the list of its term.
type termPosting struct {
	term int32
	posting
}

// Index implements [Ranker].
func (r *bm25) Index(tools []mcp.FeatureInfo) {
	*r = bm25{
		terms: make(map[string]int32, 4*len(tools)), size: make([]float32, len(tools)),
		exact: make(map[string]int, len(tools)),
	}
	x := &indexer{bm25: r, all: make([]termPosting, 0, 50*len(tools))}
	for i := range tools {
		x.tool = int32(i)
		x.add(&tools[i])
	}
	x.makeLists()
	var sum float32
	for _, size := range r.size {
		sum += size
	}
	if len(tools) > 0 {
		r.mean = sum / float32(len(tools))
	}
	r.words = make([]string, 0, len(r.terms))
	for w := range r.terms {
		r.words = append(r.words, w)
	}
	slices.Sort(r.words)
}

// add adds the words of a tool.
func (x *indexer) add(t *mcp.FeatureInfo) {
	x.text(t.Name, inName)
	x.exact[strings.ToLower(t.Name)] = int(x.tool)
	x.text(t.Title, inTitle)
	for _, group := range t.Groups {
		x.text(group, inGroup)
	}
	x.text(cut(t.Description, longestDescription), inDescription)
	x.arguments([]byte(t.InputSchema), 0)
	for _, term := range x.seen {
		x.all = append(x.all, termPosting{term, posting{x.tool, x.count[term]}})
		x.lens[term]++
		x.size[x.tool] += x.count[term]
		x.count[term] = 0
	}
	x.seen = x.seen[:0]
}

// makeLists creates the list of each term, all in one allocation.
func (x *indexer) makeLists() {
	storage := make([]posting, 0, len(x.all))
	x.lists = make([][]posting, len(x.lens))
	for term, n := range x.lens {
		at := len(storage)
		storage = storage[:at+int(n)]
		x.lists[term] = storage[at:at:len(storage)]
	}
	for _, p := range x.all {
		x.lists[p.term] = append(x.lists[p.term], p.posting)
	}
}

// longestDescription limits the indexed bytes of a description.
const longestDescription = 2000

// cut returns the beginning of a text.
func cut(text string, most int) string {
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "")
	}
	return text
}

// text adds the words of a text.
func (x *indexer) text(text string, weight float32) {
	eachWord(text, func(word []byte) bool {
		if frequent[string(word)] {
			return true
		}
		word = stem(word)
		term, ok := x.terms[string(word)]
		if !ok {
			term = int32(len(x.count))
			x.terms[string(word)] = term
			x.count, x.lens = append(x.count, 0), append(x.lens, 0)
		}
		if x.count[term] == 0 {
			x.seen = append(x.seen, term)
		}
		x.count[term] += weight
		return true
	})
}

// mostNested limits the indexed levels of nested arguments.
const mostNested = 2

// arguments adds the names and descriptions of the properties of a schema.
func (x *indexer) arguments(schema []byte, depth int) {
	jsonrpc.Members(schema, func(keyword, value []byte) bool {
		if string(keyword) != "properties" {
			return true
		}
		jsonrpc.Members(value, func(name, property []byte) bool {
			x.text(string(name), inArgument)
			jsonrpc.Members(property, func(keyword, value []byte) bool {
				if string(keyword) == "description" {
					text, _ := jsonrpc.String(value)
					x.text(cut(text, longestDescription), inArgumentDoc)
				}
				return true
			})
			if depth+1 < mostNested {
				x.arguments(property, depth+1)
			}
			return true
		})
		return true
	})
}

// Search implements [Ranker].
func (r *bm25) Search(_ context.Context, query string, n int) ([]int, error) {
	s := &search{bm25: r, scores: make([]float64, len(r.size)), best: make([]float64, len(r.size))}
	for _, w := range queryWords(query) {
		s.word(w)
	}
	return s.result(query, n), nil
}

// queryWords returns the distinct words of a query. It returns frequent words only if the query has
// no others.
func queryWords(query string) []string {
	var words, rest []string
	eachWord(query, func(word []byte) bool {
		to := &words
		if frequent[string(word)] {
			to = &rest
		}
		if w := string(stem(word)); !slices.Contains(*to, w) {
			*to = append(*to, w)
		}
		return len(words) < mostWords
	})
	if len(words) == 0 {
		return rest
	}
	return words
}

// search is the state of one search.
type search struct {
	*bm25
	scores []float64
	best   []float64 // for the current word, by tool
	hit    []int32   // tools that contain the current word or a similar one
}

// word adds the scores for a word of the query. Of several similar words, only the best counts for
// a tool.
func (s *search) word(w string) {
	s.term(w, 1)
	s.prefixes(w)
	for _, like := range alike[w] {
		s.term(like, asAlike)
	}
	for _, tool := range s.hit {
		s.scores[tool] += s.best[tool]
		s.best[tool] = 0
	}
	s.hit = s.hit[:0]
}

// prefixes adds words of tools that begin with w, and words that w begins with.
func (s *search) prefixes(w string) {
	if len(w) < shortestPrefix {
		return
	}
	at, _ := slices.BinarySearch(s.words, w)
	for ; at < len(s.words) && strings.HasPrefix(s.words[at], w); at++ {
		if s.words[at] != w {
			s.term(s.words[at], asPrefix)
		}
	}
	for n := shortestPrefix; n < len(w); n++ {
		s.term(w[:n], asPrefix*float64(n)/float64(len(w)))
	}
}

// term adds the tools that contain a term.
func (s *search) term(w string, weight float64) {
	term, ok := s.terms[w]
	if !ok {
		return
	}
	idf := s.idf(term) * weight
	for _, p := range s.lists[term] {
		length := 1 - lengthPart + lengthPart*float64(s.size[p.tool]/s.mean)
		score := idf * float64(p.count) * (saturation + 1) / (float64(p.count) + saturation*length)
		if s.best[p.tool] == 0 {
			s.hit = append(s.hit, p.tool)
		}
		s.best[p.tool] = max(s.best[p.tool], score)
	}
}

// idf returns the inverse document frequency of a term.
func (s *search) idf(term int32) float64 {
	with, all := float64(len(s.lists[term])), float64(len(s.size))
	return math.Log(1 + (all-with+0.5)/(with+0.5))
}

// result returns the tools with the highest scores. Tools with equal scores are in order of
// registration.
func (s *search) result(query string, n int) []int {
	if i, ok := s.exact[strings.ToLower(strings.TrimSpace(query))]; ok {
		s.scores[i] = math.Inf(1)
	}
	var found []int
	for i, score := range s.scores {
		if score > 0 {
			found = append(found, i)
		}
	}
	slices.SortStableFunc(found, func(a, b int) int { return cmp.Compare(s.scores[b], s.scores[a]) })
	return found[:min(n, len(found))]
}
