package mcp

import (
	"strconv"
	"strings"
)

// Completion is the result of a [CompleteFunc].
type Completion struct {
	// Values are candidates. A client gets the first 100.
	Values []string `json:"values"`
	// Total is the number of values in all; 0 means len(Values), unless HasMore is set.
	Total int `json:"total,omitempty"`
	// HasMore means that there are more values than in Values.
	HasMore bool `json:"hasMore,omitempty"`
}

// Candidates returns a completion of all the values.
func Candidates(values []string) Completion { return Completion{Values: values} }

// maxCompletions limits the number of values that a client gets (server/utilities/completion).
const maxCompletions = 100

func (c *Completion) appendTo(b []byte, r *rendering) []byte {
	total, more := c.Total, c.HasMore
	if total == 0 && !more {
		total = len(c.Values)
	}
	values := c.Values[:min(len(c.Values), maxCompletions)]
	more = more || total > len(values)
	b = append(b, `{"completion":{"values":[`...)
	r.bound(b, r.resultLimit())
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = r.text(b, v)
	}
	b = append(b, ']')
	if total >= len(values) && (total > 0 || !more) {
		b = append(b, `,"total":`...)
		b = strconv.AppendInt(b, int64(total), 10)
	}
	b = append(b, `,"hasMore":`...)
	b = strconv.AppendBool(b, more)
	b = append(b, '}')
	return r.closeResult(b, nil, false)
}

// matching returns the values of an enumeration that contain the typed text, regardless of case;
// values that begin with it come first.
func matching(values []string, typed string) Completion {
	typed = strings.ToLower(typed)
	var begin, contain []string
	for _, v := range values {
		switch i := strings.Index(strings.ToLower(v), typed); {
		case i == 0:
			begin = append(begin, v)
		case i > 0:
			contain = append(contain, v)
		}
	}
	return Candidates(append(begin, contain...))
}

func (c *Completion) weight() (size int) {
	for _, value := range c.Values[:min(len(c.Values), maxCompletions)] {
		size += textWeight(len(value))
	}
	return size
}

func (c *Completion) least() (size int) {
	for _, value := range c.Values[:min(len(c.Values), maxCompletions)] {
		size += len(value)
	}
	return size
}
