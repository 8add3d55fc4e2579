package mcpclient

import (
	"bytes"
	"errors"
	"math"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// reader reads one value that a server has sent. It is as strict as package wire: names are
// compared exactly, and invalid UTF-8 and names that come twice are errors. Members that the
// specification does not have are ignored.
type reader struct {
	d      wire.Decoder
	limits *Limits
	report func(text string) // what is wrong, and does no harm

	left   int           // items that may still come
	blocks []mcp.Content // see readContent
	beyond LimitError

	// Methods as values, which would be allocated at each use.
	collected func(*wire.Decoder, *struct{})
	contents  func(*wire.Decoder, *mcp.ResourceContents)
	message   func(*wire.Decoder, *mcp.PromptMessage)
	item      func(*wire.Decoder, *[]byte)

	annotations func(*wire.Decoder, *mcp.Annotations)
}

var readers = sync.Pool{New: func() any {
	r := new(reader)
	r.collected, r.contents, r.message, r.item, r.annotations = r.collect, r.readContents, r.readPromptMessage, r.readItem, r.readAnnotations
	return r
}}

// read reads a value by a function. What is read refers to data, which must not be changed
// afterwards, and is not complete after an error: a *dial.Violation, or a *LimitError without target
// and method. It has no type parameter, with which it would be linked once for every type.
func read(data []byte, l *Limits, report func(text string), f func(*reader)) error {
	r := readers.Get().(*reader)
	r.begin(data, l, report)
	f(r)
	err := r.end(data)
	readers.Put(r)
	return err
}

// whole returns what was read, unless there is an error.
func whole[T any](v *T, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	return v, nil
}

// elements reads an array by a function for an element, for elements that are rare: [wire.Slice] is
// linked once for every type.
func elements(d *wire.Decoder, f func()) {
	var none []struct{}
	wire.Slice(d, &none, func(*wire.Decoder, *struct{}) { f() })
}

// begin sets up the reader for a value with content.
func (r *reader) begin(data []byte, l *Limits, report func(text string)) {
	r.limits, r.report = l, report
	r.left = l.ContentItems
	r.beyond = LimitError{What: "content", Limit: "ContentItems", Value: l.ContentItems}
	elements := min(l.ContentItems, math.MaxInt/elementsPerItem) * elementsPerItem
	r.d.Reset(data, wire.Options{Alias: true, SkipUnknown: true, MaxDepth: l.Depth, MaxElements: elements, MaxNames: elements})
}

// elementsPerItem is how many elements of arrays and entries of _meta, on average, an item may
// have: icons, sizes, and the like. Each takes several times the memory of its text.
const elementsPerItem = 10

// end ends the reading of data.
func (r *reader) end(data []byte) error {
	err := r.d.Finish()
	items := r.limits.ContentItems
	r.limits, r.report = nil, nil
	if err == nil {
		return nil
	}
	if limit, ok := errors.AsType[*LimitError](err); ok {
		return limit
	}
	if err == wire.ErrElements {
		return &LimitError{What: "content", Limit: "ContentItems", Value: items}
	}
	return &dial.Violation{Text: err.Error(), Bytes: beginning(data)}
}

// beginning is the part of data that an error has.
func beginning(data []byte) []byte { return bytes.Clone(data[:min(len(data), 256)]) }

// count counts an item. It ends the reading at one too many.
func (r *reader) count() bool {
	if r.left--; r.left >= 0 {
		return true
	}
	limit := r.beyond
	r.d.Stop(&limit)
	return false
}

// note reports something that does no harm.
func (r *reader) note(text string) {
	if r.report != nil {
		r.report(text)
	}
}

// null reads a null in the place of an array, which servers with other types send for an
// empty one.
func (r *reader) null(name string) bool {
	if !r.d.Null() {
		return false
	}
	r.note(name + " is null, and must be an array")
	return true
}
