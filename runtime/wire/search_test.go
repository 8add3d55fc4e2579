package wire

import (
	"encoding/json"
	"testing"
	"time"
)

// A codec like the generator writes, for the "search" shape: nested arguments with enums, bounds,
// arrays and maps, and a list of books as the result.

type searchArgs struct {
	Query   string             `json:"query"`
	Limit   int                `json:"limit"`
	Offset  int64              `json:"offset"`
	Sort    sortOrder          `json:"sort"`
	Exact   bool               `json:"exact"`
	Filters []searchFilter     `json:"filters"`
	Labels  map[string]string  `json:"labels"`
	Weights map[string]float64 `json:"weights"`
	Page    *pageArgs          `json:"page"`
	Since   time.Time          `json:"since"`
}

type sortOrder string

type searchFilter struct {
	Field  string   `json:"field"`
	Op     filterOp `json:"op"`
	Values []string `json:"values"`
	Boost  float64  `json:"boost"`
}

type filterOp string

type pageArgs struct {
	Number int    `json:"number"`
	Size   uint8  `json:"size"`
	Cursor string `json:"cursor"`
}

var (
	sortOrders = []sortOrder{"relevance", "title", "year"}
	filterOps  = []filterOp{"eq", "ne", "in", "gt", "lt"}
	argsFields = Fields{
		{Must: "query"}, {Name: "limit"}, {Name: "offset"}, {Name: "sort"}, {Name: "exact"},
		{Name: "filters"}, {Name: "labels"}, {Name: "weights"}, {Name: "page"}, {Name: "since"},
	}
	filterFields = Fields{{Must: "field"}, {Must: "op"}, {Name: "values"}, {Name: "boost"}}
	pageFields   = Fields{{Name: "number"}, {Name: "size"}, {Name: "cursor"}}
)

func decodeSearch(d *Decoder, v *searchArgs) {
	for o := d.Object(argsFields); o.Next(); {
		switch o.Name() {
		case "query":
			String(d, &v.Query)
			MinLength(d, v.Query, 1)
			MaxLength(d, v.Query, 200)
		case "limit":
			Int(d, &v.Limit)
			Minimum(d, v.Limit, 1)
			Maximum(d, v.Limit, 100)
		case "offset":
			Int(d, &v.Offset)
			Minimum(d, v.Offset, 0)
		case "sort":
			StringEnum(d, &v.Sort, sortOrders)
		case "exact":
			Bool(d, &v.Exact)
		case "filters":
			Slice(d, &v.Filters, decodeFilter)
			MaxItems(d, len(v.Filters), 10)
		case "labels":
			Map(d, &v.Labels, String[string])
		case "weights":
			Map(d, &v.Weights, decodeWeight)
		case "page":
			Ptr(d, &v.Page, decodePage)
		case "since":
			Time(d, &v.Since)
		}
	}
}

func decodeWeight(d *Decoder, v *float64) {
	Float(d, v)
	FloatMinimum(d, *v, 0)
	FloatMaximum(d, *v, 1)
}

func decodeFilter(d *Decoder, v *searchFilter) {
	for o := d.Object(filterFields); o.Next(); {
		switch o.Name() {
		case "field":
			String(d, &v.Field)
			MinLength(d, v.Field, 1)
		case "op":
			StringEnum(d, &v.Op, filterOps)
		case "values":
			Slice(d, &v.Values, String[string])
			MinItems(d, len(v.Values), 1)
		case "boost":
			Float(d, &v.Boost)
			FloatExclusiveMinimum(d, v.Boost, 0)
		}
	}
}

func decodePage(d *Decoder, v *pageArgs) {
	for o := d.Object(pageFields); o.Next(); {
		switch o.Name() {
		case "number":
			Int(d, &v.Number)
			Minimum(d, v.Number, 1)
		case "size":
			Int(d, &v.Size)
		case "cursor":
			String(d, &v.Cursor)
		}
	}
}

const searchText = `{"query":"distributed systems and the people who run them","limit":25,"offset":100,"sort":"year","exact":false,` +
	`"filters":[{"field":"language","op":"in","values":["en","de","fr"],"boost":1.5},{"field":"year","op":"gt","values":["1990"]},` +
	`{"field":"publisher","op":"ne","values":["Example Press","Sample House"],"boost":0.25}],` +
	`"labels":{"tenant":"north","trace":"7f3a19c2","source":"assistant"},"weights":{"title":0.75,"author":0.5,"text":0.125},` +
	`"page":{"number":5,"size":25,"cursor":"b2Zmc2V0OjEwMA=="},"since":"2024-02-29T12:30:00+01:00"}`

type searchResult struct {
	Total int          `json:"total"`
	Books []searchBook `json:"books"`
	Took  float64      `json:"took"`
}

type searchBook struct {
	ID      int64             `json:"id"`
	Title   string            `json:"title"`
	Authors []string          `json:"authors"`
	Year    int               `json:"year"`
	Price   float64           `json:"price"`
	InPrint bool              `json:"inPrint"`
	Tags    map[string]string `json:"tags,omitempty"`
}

func encodeResult(e *Encoder, v *searchResult) {
	e.Begin()
	e.Name("total")
	PutInt(e, &v.Total)
	e.Name("books")
	PutSlice(e, v.Books, encodeBook)
	e.Name("took")
	PutFloat(e, &v.Took)
	e.End()
}

func encodeBook(e *Encoder, v *searchBook) {
	e.Begin()
	e.Name("id")
	PutInt(e, &v.ID)
	e.Name("title")
	PutString(e, &v.Title)
	e.Name("authors")
	PutSlice(e, v.Authors, PutString[string])
	e.Name("year")
	PutInt(e, &v.Year)
	e.Name("price")
	PutFloat(e, &v.Price)
	e.Name("inPrint")
	PutBool(e, &v.InPrint)
	if len(v.Tags) > 0 {
		e.Name("tags")
		PutMap(e, v.Tags, PutString[string])
	}
	e.End()
}

var result = func() *searchResult {
	r := &searchResult{Total: 8, Took: 0.0123}
	for i := range 8 {
		b := searchBook{
			ID: 9007199254740993 + int64(i), Title: "The Book of Räume, volume " + string(rune('A'+i)),
			Authors: []string{"Ada Example", "B. \"Bee\" Sample"}, Year: 1990 + i, Price: 12.5 * float64(i+1), InPrint: i%2 == 0,
		}
		if i == 0 {
			b.Tags = map[string]string{"shelf": "7", "colour": "blue"}
		}
		r.Books = append(r.Books, b)
	}
	return r
}()

func TestSearchShape(t *testing.T) {
	var got, want searchArgs
	d := NewDecoder([]byte(searchText), Options{})
	decodeSearch(d, &got)
	if err := d.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(searchText), &want); err != nil {
		t.Fatal(err)
	}
	equal(t, got, want)

	e := NewEncoder(nil)
	encodeResult(e, result)
	if e.Err() != nil {
		t.Fatal(e.Err())
	}
	wanted, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	if string(e.Bytes()) != string(wanted) {
		t.Errorf("got  %s\nwant %s", e.Bytes(), wanted)
	}
}

func TestSearchAllocations(t *testing.T) {
	data := []byte(searchText)
	d := NewDecoder(data, Options{})
	var v searchArgs
	if n := testing.AllocsPerRun(100, func() {
		d.Reset(data, Options{})
		v = searchArgs{}
		decodeSearch(d, &v)
		if err := d.Finish(); err != nil {
			t.Fatal(err)
		}
	}); n > 10 {
		t.Errorf("decoding takes %v allocations, want at most 10", n)
	}
	e := NewEncoder(nil)
	if n := testing.AllocsPerRun(100, func() {
		e.Reset()
		encodeResult(e, result)
	}); n > 0 {
		t.Errorf("encoding takes %v allocations, want none", n)
	}
}

func BenchmarkDecodeSearch(b *testing.B) {
	data := []byte(searchText)
	b.Run("wire", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(data)))
		d := NewDecoder(nil, Options{})
		for b.Loop() {
			var v searchArgs
			d.Reset(data, Options{})
			decodeSearch(d, &v)
			if err := d.Finish(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			var v searchArgs
			if err := json.Unmarshal(data, &v); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkEncodeSearch(b *testing.B) {
	b.Run("wire", func(b *testing.B) {
		b.ReportAllocs()
		e := NewEncoder(nil)
		for b.Loop() {
			e.Reset()
			encodeResult(e, result)
		}
		b.SetBytes(int64(len(e.Bytes())))
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(result); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkValid(b *testing.B) {
	data := []byte(searchText)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if err := Valid(data, 0); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLongString(b *testing.B) {
	text := make([]byte, 200<<10)
	for i := range text {
		text[i] = 'a' + byte(i%26)
	}
	data := AppendString(nil, text)
	b.Run("decode", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		d := NewDecoder(nil, Options{})
		for b.Loop() {
			var s string
			d.Reset(data, Options{})
			String(d, &s)
			if err := d.Finish(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("append", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		buf := make([]byte, 0, len(data))
		for b.Loop() {
			buf = AppendString(buf[:0], text)
		}
	})
}
