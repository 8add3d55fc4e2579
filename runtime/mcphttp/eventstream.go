package mcphttp

import (
	"strconv"
	"time"
)

// The append functions of this file write the event stream format (WHATWG HTML, 9.2.6, interpreting
// an event stream). The output never begins with a byte order mark, and no value can add a line of
// its own.

// appendEvent appends an event. An event type or an id that is empty is left out. In both, CR, LF
// and NUL are dropped: the format cannot carry them. Each line of the data becomes one field. The
// reader joins the fields by LF, whatever ended the lines here.
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

// appendPriming appends an event without data. It gives the client an id to resume from before
// there is a message.
func appendPriming(b []byte, id string) []byte {
	b = appendField(b, "id: ", id)
	return append(b, "data:\n\n"...)
}

// appendRetry appends the reconnection time, in whole milliseconds, rounded up. An event must
// follow: some readers take a retry field alone for an event.
func appendRetry(b []byte, wait time.Duration) []byte {
	ms := int64(0)
	if wait > 0 {
		ms = int64((wait-1)/time.Millisecond) + 1
	}
	b = strconv.AppendInt(append(b, "retry: "...), ms, 10)
	return append(b, '\n')
}

// appendComment appends a comment, which keeps the stream alive. It must not be inside of an event.
// It is not followed by a blank line, which some readers take for an event without data.
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
