package mcphttp

import (
	"strconv"
	"time"
)

// The Append functions of this file write the event stream format (WHATWG HTML,
// 9.2.6, interpreting an event stream). The stream begins with none of the bytes of
// a byte order mark, and nothing in what is written can be taken for a line of its
// own.

// appendEvent appends an event. An event type or an id that is empty is left out;
// in both, the bytes CR, LF and NUL, which the format cannot carry, are dropped.
// Each line of the data becomes one field, which the reader joins by LF, whatever
// ended the lines here.
func appendEvent(b []byte, event, id string, data []byte) []byte {
	b = appendField(b, "event: ", event)
	b = appendField(b, "id: ", id)
	b = append(b, "data: "...)
	rest := 0
	for i := 0; i < len(data); i++ {
		c := data[i]
		if c != '\n' && c != '\r' {
			continue
		}
		b = append(append(b, data[rest:i]...), "\ndata: "...)
		if c == '\r' && i+1 < len(data) && data[i+1] == '\n' {
			i++
		}
		rest = i + 1
	}
	b = append(b, data[rest:]...)
	return append(b, "\n\n"...)
}

// appendPriming appends an event without data, which gives the reader an id to
// come back with before there is anything to tell.
func appendPriming(b []byte, id string) []byte {
	b = appendField(b, "id: ", id)
	return append(b, "data:\n\n"...)
}

// appendRetry appends how long the reader shall wait before it comes back, in whole
// milliseconds, rounded up. It is a field of the event that must follow: to some
// readers a field by itself is an event.
func appendRetry(b []byte, wait time.Duration) []byte {
	ms := int64(0)
	if wait > 0 {
		ms = int64((wait-1)/time.Millisecond) + 1
	}
	b = strconv.AppendInt(append(b, "retry: "...), ms, 10)
	return append(b, '\n')
}

// appendComment appends a line that readers skip, to show that the stream is alive.
// It must not stand inside an event. No blank line follows: to some readers that is
// an event without data.
func appendComment(b []byte) []byte { return append(b, ":\n"...) }

func appendField(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	b = append(b, name...)
	for i := range len(value) {
		if c := value[i]; c != '\n' && c != '\r' && c != 0 {
			b = append(b, c)
		}
	}
	return append(b, '\n')
}
