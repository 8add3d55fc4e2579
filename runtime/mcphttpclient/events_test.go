package mcphttpclient

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/httpfield"
)

type plainEvent struct{ name, data, id string }

// referenceEvents reads a whole stream line by line, as the specification of the format defines.
func referenceEvents(stream string) (events []plainEvent, lastID string) {
	stream = strings.ReplaceAll(strings.ReplaceAll(stream, "\r\n", "\n"), "\r", "\n")
	stream = strings.TrimPrefix(stream, "\xef\xbb\xbf")
	lines := strings.Split(stream, "\n")
	var name string
	var data []string
	id := ""
	for _, line := range lines[:len(lines)-1] { // the last one is incomplete
		if line == "" {
			lastID = id
			if text := strings.Join(data, "\n"); text != "" {
				events = append(events, plainEvent{name, text, lastID})
			}
			name, data = "", nil
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "event":
			name = value[:min(len(value), maxEventName)]
		case "data":
			data = append(data, value)
		case "id":
			if httpfield.IsPlain(value) && len(value) <= maxEventID {
				id = value
			}
		}
	}
	return events, lastID
}

func FuzzEventReader(f *testing.F) {
	for _, seed := range []string{
		"data: {}\n\n", "\xef\xbb\xbfdata:a\rdata: b\r\ndata\n\nid: 7\nevent: x\ndata: y\n\n", ": comment\n\nid\ndata:x\n\nid: a\x00b\ndata: z\n\n",
		"retry: 5\nretry: -1\nretry: 99999999999999999999\n\ndata:  two\n\n", "data: cut", "data\ndata\n\ndata:a\r\n\r\n", "data:\n\nid:1\n\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		want, lastID := referenceEvents(stream)
		for _, r := range []io.Reader{strings.NewReader(stream), iotest.OneByteReader(strings.NewReader(stream)), iotest.DataErrReader(strings.NewReader(stream))} {
			e := newEventReader(r, 1<<20)
			var got []plainEvent
			for {
				event, err := e.next()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, plainEvent{event.name, string(event.data), e.lastID})
			}
			if len(got) != len(want) || e.lastID != lastID {
				t.Fatalf("%q: %q, last id %q, want %q, %q", stream, got, e.lastID, want, lastID)
			}
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("%q: %q, want %q", stream, got[i], want[i])
				}
			}
			if e.retry != 0 && (e.retry < minRetry || e.retry > maxRetry) {
				t.Fatalf("retry %v", e.retry)
			}
			e.release()
		}
	})
}

// TestEventLimit sends events and lines beyond the limit. The event after them is read.
func TestEventLimit(t *testing.T) {
	const limit = 10_000
	long := strings.Repeat("x", 20*limit)
	for _, stream := range []string{
		"data: " + long + "\n\n", ": " + long + "\n\n", long + "\r\n\r\n", "data: a\ndata: " + long + "\ndata: b\n\n",
		strings.Repeat("data: "+long[:100]+"\n", 200) + "\n", "data: " + long[:limit+1] + "\n\n", "event: " + long + "\n\n",
	} {
		for _, r := range []io.Reader{strings.NewReader(stream + "data: next\n\n"), iotest.HalfReader(strings.NewReader(stream + "data: next\n\n"))} {
			e := newEventReader(r, limit)
			_, err := e.next()
			if _, ok := errors.AsType[*dial.TooLarge](err); !ok {
				t.Fatalf("%.20q...: %v", stream, err)
			}
			if event, err := e.next(); err != nil || string(event.data) != "next" {
				t.Fatalf("%.20q...: then %q, %v", stream, event.data, err)
			}
			if cap(e.buf) > 4*limit {
				t.Errorf("%.20q...: the buffer has %d bytes", stream, cap(e.buf))
			}
			e.release()
		}
	}
	for _, beginning := range []string{"data: ", ": ", "", "data: a\ndata: ", "id: 7\nevent: x\ndata: "} {
		r := &endlessLine{beginning: strings.NewReader(beginning)}
		e := newEventReader(r, limit)
		_, err := e.next()
		if _, ok := errors.AsType[*dial.TooLarge](err); !ok || r.read > 4*limit {
			t.Errorf("%q and a line without end: %v after %d bytes", beginning, err, r.read)
		}
		e.release()
	}
	exact := "data: " + long[:limit] + "\n\n"
	event, err := newEventReader(strings.NewReader(exact), limit).next()
	if err != nil || !bytes.Equal(event.data, []byte(long[:limit])) {
		t.Errorf("an event of the limit: %d bytes, %v", len(event.data), err)
	}
}

// endlessLine is a beginning and an endless line.
type endlessLine struct {
	beginning *strings.Reader
	read      int
}

func (r *endlessLine) Read(b []byte) (n int, err error) {
	if n, err = r.beginning.Read(b); err != nil {
		for n = range b {
			b[n] = 'x'
		}
		n = len(b)
	}
	r.read += n
	return n, nil
}
