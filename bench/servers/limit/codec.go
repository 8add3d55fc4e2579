package limit

import (
	"math"
	"time"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/bench/catalog"
)

// once records a member by its bit, and refuses a repeated one.
func (r *reader) once(seen *uint, bit uint) {
	if *seen&bit != 0 {
		r.fail("duplicate key")
	}
	*seen |= bit
}

func (r *reader) require(seen, bits uint) {
	if r.err == "" && seen&bits != bits {
		r.fail("a required member is missing")
	}
}

// query reads the arguments of search, with all constraints of its schema.
func (r *reader) query(q *catalog.Query) {
	if !r.open('{', "an object") {
		return
	}
	var seen uint
	for first := true; r.next(&first, '}'); {
		switch k := r.key(); string(k) {
		case "query":
			r.once(&seen, 1)
			q.Query = r.text()
			if n := utf8.RuneCountInString(q.Query); n < 1 || n > 200 {
				r.fail("query: must have 1 to 200 characters")
			}
		case "limit":
			if r.once(&seen, 2); !r.null() {
				q.Limit = int(r.integer(1, 100))
			}
		case "offset":
			if r.once(&seen, 4); !r.null() {
				q.Offset = r.integer(0, math.MaxInt64)
			}
		case "sort":
			if r.once(&seen, 8); !r.null() {
				q.Sort = r.sort()
			}
		case "exact":
			if r.once(&seen, 16); !r.null() {
				q.Exact = r.boolean()
			}
		case "filters":
			if r.once(&seen, 32); !r.null() {
				q.Filters = r.filters()
			}
		case "labels":
			if r.once(&seen, 64); !r.null() {
				q.Labels = r.labels()
			}
		case "weights":
			if r.once(&seen, 128); !r.null() {
				q.Weights = r.weights()
			}
		case "page":
			if r.once(&seen, 256); !r.null() {
				q.Page = new(catalog.Page)
				r.page(q.Page)
			}
		case "since":
			if r.once(&seen, 512); !r.null() {
				r.time(&q.Since)
			}
		default:
			r.fail("unknown argument")
		}
	}
	r.require(seen, 1)
}

func (r *reader) sort() catalog.Sort {
	if r.peek() != '"' {
		r.fail("sort: must be a string")
		return ""
	}
	switch string(r.str()) {
	case string(catalog.ByRelevance):
		return catalog.ByRelevance
	case string(catalog.ByTitle):
		return catalog.ByTitle
	case string(catalog.ByYear):
		return catalog.ByYear
	}
	r.fail("sort: not one of its values")
	return ""
}

func (r *reader) op() catalog.Op {
	if r.peek() != '"' {
		r.fail("op: must be a string")
		return ""
	}
	switch string(r.str()) {
	case string(catalog.Equal):
		return catalog.Equal
	case string(catalog.NotEqual):
		return catalog.NotEqual
	case string(catalog.In):
		return catalog.In
	case string(catalog.Greater):
		return catalog.Greater
	case string(catalog.Less):
		return catalog.Less
	}
	r.fail("op: not one of its values")
	return ""
}

func (r *reader) filters() []catalog.Filter {
	if !r.open('[', "an array") {
		return nil
	}
	all := make([]catalog.Filter, 0, 4)
	for first := true; r.next(&first, ']'); {
		if len(all) == 10 {
			r.fail("filters: must have at most 10 elements")
			return nil
		}
		all = append(all, catalog.Filter{})
		r.filter(&all[len(all)-1])
	}
	return all
}

func (r *reader) filter(f *catalog.Filter) {
	if !r.open('{', "an object") {
		return
	}
	var seen uint
	for first := true; r.next(&first, '}'); {
		switch k := r.key(); string(k) {
		case "field":
			r.once(&seen, 1)
			if f.Field = r.text(); f.Field == "" {
				r.fail("field: must not be empty")
			}
		case "op":
			r.once(&seen, 2)
			f.Op = r.op()
		case "values":
			if r.once(&seen, 4); !r.null() {
				if f.Values = r.strings(); len(f.Values) == 0 {
					r.fail("values: must not be empty")
				}
			}
		case "boost":
			if r.once(&seen, 8); !r.null() {
				if f.Boost = r.float(); f.Boost <= 0 {
					r.fail("boost: must be more than 0")
				}
			}
		default:
			r.fail("unknown member")
		}
	}
	r.require(seen, 3)
}

func (r *reader) strings() []string {
	if !r.open('[', "an array") {
		return nil
	}
	all := make([]string, 0, 4)
	for first := true; r.next(&first, ']'); {
		all = append(all, r.text())
	}
	return all
}

func (r *reader) labels() map[string]string {
	if !r.open('{', "an object") {
		return nil
	}
	m := make(map[string]string)
	for first := true; r.next(&first, '}'); {
		name := string(r.key())
		if _, twice := m[name]; twice {
			r.fail("duplicate key")
		}
		m[name] = r.text()
	}
	if len(m) > 8 {
		r.fail("labels: must have at most 8 members")
	}
	return m
}

func (r *reader) weights() map[string]float64 {
	if !r.open('{', "an object") {
		return nil
	}
	m := make(map[string]float64)
	for first := true; r.next(&first, '}'); {
		name := string(r.key())
		if _, twice := m[name]; twice {
			r.fail("duplicate key")
		}
		f := r.float()
		if f < 0 || f > 1 {
			r.fail("weights: must be between 0 and 1")
		}
		m[name] = f
	}
	return m
}

func (r *reader) page(p *catalog.Page) {
	if !r.open('{', "an object") {
		return
	}
	var seen uint
	for first := true; r.next(&first, '}'); {
		switch k := r.key(); string(k) {
		case "number":
			if r.once(&seen, 1); !r.null() {
				p.Number = int(r.integer(1, math.MaxInt64))
			}
		case "size":
			if r.once(&seen, 2); !r.null() {
				p.Size = uint8(r.integer(0, 255))
			}
		case "cursor":
			if r.once(&seen, 4); !r.null() {
				p.Cursor = r.text()
			}
		default:
			r.fail("unknown member")
		}
	}
}

func (r *reader) time(t *time.Time) {
	if r.peek() != '"' {
		r.fail("must be a string")
		return
	}
	if t.UnmarshalText(r.str()) != nil {
		r.fail("must be a date and time")
	}
}

// sum reads the arguments of add.
func (r *reader) sum() (a, b int64) {
	if !r.open('{', "an object") {
		return 0, 0
	}
	var seen uint
	for first := true; r.next(&first, '}'); {
		switch k := r.key(); string(k) {
		case "a":
			r.once(&seen, 1)
			a = r.integer(math.MinInt64, math.MaxInt64)
		case "b":
			r.once(&seen, 2)
			b = r.integer(math.MinInt64, math.MaxInt64)
		default:
			r.fail("unknown argument")
		}
	}
	r.require(seen, 3)
	return a, b
}

// count reads the arguments of records.
func (r *reader) count() (n int64) {
	if !r.open('{', "an object") {
		return 0
	}
	var seen uint
	for first := true; r.next(&first, '}'); {
		if string(r.key()) != "count" {
			r.fail("unknown argument")
			return 0
		}
		r.once(&seen, 1)
		n = r.integer(1, catalog.MaxRecords)
	}
	r.require(seen, 1)
	return n
}

// words reads the arguments of text.
func (r *reader) words() (s string) {
	if !r.open('{', "an object") {
		return ""
	}
	var seen uint
	for first := true; r.next(&first, '}'); {
		if string(r.key()) != "text" {
			r.fail("unknown argument")
			return ""
		}
		r.once(&seen, 1)
		s = r.text()
		if len(s) > catalog.MaxText && utf8.RuneCountInString(s) > catalog.MaxText {
			r.fail("text: too long")
		}
	}
	r.require(seen, 1)
	return s
}

// nothing reads the arguments of a tool without arguments.
func (r *reader) nothing() {
	if !r.open('{', "an object") {
		return
	}
	for first := true; r.next(&first, '}'); {
		r.fail("unknown argument")
	}
}
