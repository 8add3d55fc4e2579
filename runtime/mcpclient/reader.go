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

// reader reads one value that a server has sent. It is as strict as package wire: it compares names
// exactly, and invalid UTF-8 and repeated names are errors. It ignores members that the
// specification does not define.
type reader struct {
	d      wire.Decoder
	limits *Limits
	report func(text string) // gets harmless violations

	left   int           // number of items that may still follow
	blocks []mcp.Content // see readContent
	beyond LimitError

	// Method values, which would be allocated at each use.
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

// read reads a value with f. The value refers to data, which must not be modified afterwards, and
// is incomplete after an error: a *dial.Violation, or a *LimitError without target and method. It
// has no type parameter, so that it is linked once instead of once per type.
func read(data []byte, l *Limits, report func(text string), f func(*reader)) error {
	r := readers.Get().(*reader)
	r.begin(data, l, report)
	f(r)
	err := r.end(data)
	readers.Put(r)
	return err
}

// whole returns v, unless err is set.
func whole[T any](v *T, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	return v, nil
}

// elements reads an array with f, which reads one element. It serves rare arrays: [wire.Slice] is
// linked once per type.
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

// elementsPerItem limits the average number of array elements and _meta entries per item: icons,
// sizes, and the like. Each takes several times the memory of its text.
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

// beginning returns the part of data that an error contains.
func beginning(data []byte) []byte { return bytes.Clone(data[:min(len(data), 256)]) }

// count counts an item. Beyond the limit it ends the reading.
func (r *reader) count() bool {
	if r.left--; r.left >= 0 {
		return true
	}
	limit := r.beyond
	r.d.Stop(&limit)
	return false
}

// note reports a harmless violation.
func (r *reader) note(text string) {
	if r.report != nil {
		r.report(text)
	}
}

// null reads a null in place of an array. Servers in other languages send it for an empty one.
func (r *reader) null(name string) bool {
	if !r.d.Null() {
		return false
	}
	r.note(name + " is null, and must be an array")
	return true
}
