package mcphttp

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// event is an event as a reader dispatches it.
type event struct {
	kind, data, id string
}

// reading is the result of reading a stream.
type reading struct {
	events []event
	lastID string
	retry  string
}

// readEvents is the parser of the HTML standard (9.2.6), step by step.
func readEvents(stream string) reading {
	stream = strings.ToValidUTF8(stream, "\ufffd")
	stream = strings.TrimPrefix(stream, "\ufeff")
	var r reading
	var kind, data string
	for stream != "" {
		end := strings.IndexAny(stream, "\r\n")
		if end < 0 {
			break // an incomplete line of an incomplete event
		}
		line := stream[:end]
		if strings.HasPrefix(stream[end:], "\r\n") {
			end++
		}
		stream = stream[end+1:]
		if line == "" {
			if data != "" {
				e := event{kind: "message", data: strings.TrimSuffix(data, "\n"), id: r.lastID}
				if kind != "" {
					e.kind = kind
				}
				r.events = append(r.events, e)
			}
			kind, data = "", ""
			continue
		}
		field, value, colon := strings.Cut(line, ":")
		if colon && field == "" {
			continue
		}
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "event":
			kind = value
		case "data":
			data += value + "\n"
		case "id":
			if !strings.Contains(value, "\x00") {
				r.lastID = value
			}
		case "retry":
			if strings.Trim(value, "0123456789") == "" {
				r.retry = value
			}
		}
	}
	return r
}

func TestEventStream(t *testing.T) {
	for _, test := range []struct{ name, got, want string }{
		{"message", string(appendEvent(nil, "", "", []byte(`{"a":1}`))), "data: {\"a\":1}\n\n"},
		{"id", string(appendEvent(nil, "", "3-7", []byte(`{}`))), "id: 3-7\ndata: {}\n\n"},
		{"type", string(appendEvent(nil, "endpoint", "", []byte("/sse?session=x"))), "event: endpoint\ndata: /sse?session=x\n\n"},
		{"all", string(appendEvent(nil, "message", "1", []byte("x"))), "event: message\nid: 1\ndata: x\n\n"},
		{"appended", string(appendEvent([]byte(":\n"), "", "", []byte("x"))), ":\ndata: x\n\n"},
		{"empty", string(appendEvent(nil, "", "", nil)), "data: \n\n"},
		{"blank first", string(appendEvent(nil, "", "", []byte(" x"))), "data:  x\n\n"},
		{"LF", string(appendEvent(nil, "", "", []byte("a\nb"))), "data: a\ndata: b\n\n"},
		{"CR", string(appendEvent(nil, "", "", []byte("a\rb"))), "data: a\ndata: b\n\n"},
		{"CRLF", string(appendEvent(nil, "", "", []byte("a\r\nb"))), "data: a\ndata: b\n\n"},
		{"LFCR", string(appendEvent(nil, "", "", []byte("a\n\rb"))), "data: a\ndata: \ndata: b\n\n"},
		{"line ends only", string(appendEvent(nil, "", "", []byte("\r\n\n"))), "data: \ndata: \ndata: \n\n"},
		{"line end last", string(appendEvent(nil, "", "", []byte("a\r"))), "data: a\ndata: \n\n"},
		{"type of two lines", string(appendEvent(nil, "a\ndata: b", "", []byte("x"))), "event: adata: b\ndata: x\n\n"},
		{"id of two lines", string(appendEvent(nil, "", "1\r\n2\x00", []byte("x"))), "id: 12\ndata: x\n\n"},
		{"priming", string(appendPriming(nil, "3-0")), "id: 3-0\ndata:\n\n"},
		{"retry", string(appendRetry(nil, 1500*time.Millisecond)), "retry: 1500\n"},
		{"retry rounded up", string(appendRetry(nil, time.Nanosecond)), "retry: 1\n"},
		{"retry at once", string(appendRetry(nil, 0)), "retry: 0\n"},
		{"retry in the past", string(appendRetry(nil, -time.Hour)), "retry: 0\n"},
		{"retry never", string(appendRetry(nil, math.MaxInt64)), "retry: 9223372036855\n"},
		{"comment", string(appendComment(nil)), ":\n"},
	} {
		if test.got != test.want {
			t.Errorf("%s: %q, want %q", test.name, test.got, test.want)
		}
	}
}

// The events of a whole stream, as in a session of 2025-11-25.
func TestEventStreamIsRead(t *testing.T) {
	b := appendPriming(nil, "3-0")
	b = appendComment(b)
	b = appendEvent(b, "", "3-1", []byte(`{"method":"x"}`))
	b = appendComment(b)
	b = appendRetry(b, 2*time.Second)
	b = appendEvent(b, "endpoint", "", []byte("/x"))
	r := readEvents(string(b))
	want := []event{{"message", "", "3-0"}, {"message", `{"method":"x"}`, "3-1"}, {"endpoint", "/x", "3-1"}}
	if len(r.events) != len(want) || r.retry != "2000" || r.lastID != "3-1" {
		t.Fatalf("%+v", r)
	}
	for i, e := range r.events {
		if e != want[i] {
			t.Errorf("event %d: %+v, want %+v", i, e, want[i])
		}
	}
}

// FuzzEventStream checks that a reader gets exactly the events that were written, whatever they
// contain.
func FuzzEventStream(f *testing.F) {
	for _, data := range []string{`{"jsonrpc":"2.0","id":1,"result":{}}`, "", " ", "a\nb", "a\r\nb\r", "\n\n", "data: x\n\nid: 2\n\n", ":", "\ufeff", "\xff", "a\x00b"} {
		f.Add("", "", []byte(data), int64(0))
		f.Add("message", "1-2", []byte(data), int64(1500))
		f.Add("en\rd\n", "1\n\x00data: x", []byte(data), int64(-1))
	}
	f.Fuzz(func(t *testing.T, kind, id string, data []byte, wait int64) {
		var b []byte
		b = appendEvent(b, kind, id, data)
		b = appendComment(b)
		b = appendRetry(b, time.Duration(wait))
		b = appendPriming(b, id)
		b = appendEvent(b, "", "", data)
		r := readEvents(string(b))

		clean := strings.NewReplacer("\r", "", "\n", "", "\x00", "").Replace
		text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(data))
		if !utf8.ValidString(kind) || !utf8.Valid(data) || !utf8.ValidString(id) {
			// The reader replaces the text; the number of events suffices.
			if len(r.events) != 3 {
				t.Fatalf("%q: %+v", b, r)
			}
			return
		}
		want := []event{{clean(kind), text, clean(id)}, {"message", "", clean(id)}, {"message", text, clean(id)}}
		if want[0].kind == "" {
			want[0].kind = "message"
		}
		if len(r.events) != len(want) {
			t.Fatalf("%q: %+v", b, r)
		}
		for i, e := range r.events {
			if e != want[i] {
				t.Fatalf("event %d: %+v, want %+v", i, e, want[i])
			}
		}
		ms, err := strconv.ParseInt(r.retry, 10, 64)
		if err != nil || ms < 0 || float64(ms) < float64(wait)/1e6-1 || float64(ms) > math.Max(0, float64(wait)/1e6)+1.001 {
			t.Fatalf("retry of %d ns: %q", wait, r.retry)
		}
	})
}

func TestEventStreamAllocations(t *testing.T) {
	b := make([]byte, 0, 1<<10)
	data := []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	if n := testing.AllocsPerRun(100, func() {
		b = appendEvent(b[:0], "message", "1-2", data)
		b = appendRetry(b, time.Second)
		b = appendPriming(b, "1-2")
		b = appendComment(b)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
