package jsonrpc_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

func readAll(c jsonrpc.Conn) string {
	var out []string
	for {
		m, err := c.Read()
		switch _, tooLong := errors.AsType[*jsonrpc.FrameError](err); {
		case tooLong:
			out = append(out, "TOO LONG")
		case err != nil:
			if err != io.EOF {
				out = append(out, err.Error())
			}
			return strings.Join(out, "|")
		default:
			out = append(out, string(m))
		}
	}
}

func TestLines(t *testing.T) {
	for in, want := range map[string]string{
		"":                                  "",
		"\n\r\n \t\n":                       "",
		"a\nb\r\nc":                         "a|b|c",
		"a\n\n\nb\n":                        "a|b",
		"12345678\n":                        "12345678",
		"12345678\r\n":                      "12345678",
		"123456789\nab\n":                   "TOO LONG|ab",
		"123456789":                         "TOO LONG",
		strings.Repeat("x", 300) + "\nab\n": "TOO LONG|ab",
		strings.Repeat("x", 300):            "TOO LONG",
	} {
		for name, wrap := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader,
			"half": iotest.HalfReader, "data with EOF": iotest.DataErrReader,
		} {
			c := jsonrpc.NewLineConn(wrap(strings.NewReader(in)), io.Discard, 8)
			if got := readAll(c); got != want {
				t.Errorf("%s: %.20q gives %q, want %q", name, in, got, want)
			}
		}
	}
}

func TestLongLines(t *testing.T) {
	big := strings.Repeat("y", 200<<10)
	var in, want []string
	for i := range 100 {
		in = append(in, strings.Repeat("x", i*7), big[:i*2000])
	}
	for _, s := range in {
		if s != "" {
			want = append(want, s)
		}
	}
	c := jsonrpc.NewLineConn(strings.NewReader(strings.Join(in, "\r\n")), io.Discard, 0)
	if got := readAll(c); got != strings.Join(want, "|") {
		t.Error("long lines come back otherwise")
	}
}

// endless returns n bytes without a newline, then a short line.
type endless struct {
	n    int
	tail io.Reader
}

func (e *endless) Read(p []byte) (int, error) {
	if e.n <= 0 {
		return e.tail.Read(p)
	}
	n := min(len(p), e.n, len(filler))
	e.n -= n
	return copy(p, filler[:n]), nil
}

// filler is more than a connection reads at once.
var filler = bytes.Repeat([]byte("x"), 1<<20)

// A line is refused when it is too long, not only at its end.
func TestRefusedBeforeTheEnd(t *testing.T) {
	r := &endless{n: 1 << 20, tail: strings.NewReader("\nok\n")}
	c := jsonrpc.NewLineConn(r, io.Discard, 1000)
	if _, err := c.Read(); err == nil || err == io.EOF || r.n < 900<<10 {
		t.Errorf("%v, %d bytes before the end", err, r.n)
	}
	if got := readAll(c); got != "ok" {
		t.Errorf("then %q", got)
	}
}

func TestMemoryStaysFlat(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c := jsonrpc.NewLineConn(&endless{n: 200 << 20, tail: strings.NewReader("\nok\n")}, io.Discard, 0)
	if got := readAll(c); got != "TOO LONG|ok" {
		t.Errorf("got %.100q", got)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 20<<20 {
		t.Errorf("a line of 200 MiB has taken %d MiB", grown>>20)
	}
}

// pipe limits each read, like a pipe of the system.
type pipe struct{ r io.Reader }

func (p pipe) Read(b []byte) (int, error) { return p.r.Read(b[:min(len(b), 64<<10)]) }

// A long line is moved a few times while it arrives, and not for each read.
func TestMovesOfLongLines(t *testing.T) {
	for _, limit := range []int{7 << 20, 64 << 20} { // 8 MiB from the pool, and more than the pool has
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c := jsonrpc.NewLineConn(pipe{&endless{n: limit, tail: strings.NewReader("\nok\n")}}, io.Discard, limit)
		line, err := c.Read()
		if err != nil || len(line) != limit {
			t.Fatalf("%d bytes, %v", len(line), err)
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 4*uint64(limit) {
			t.Errorf("a line of %d MiB has taken %d MiB", limit>>20, used>>20)
		}
		if got := readAll(c); got != "ok" {
			t.Errorf("then %q", got)
		}
	}
}

// stage is a reader that measures the memory in use while the connection waits.
type stage struct {
	lines []string
	used  []int64
}

func (s *stage) Read(p []byte) (int, error) {
	if len(s.lines) == 0 {
		return 0, io.EOF
	}
	if s.lines[0] == "" { // the end of a line, before a pause
		s.lines = s.lines[1:]
		runtime.GC()
		runtime.GC() // the first cycle keeps the pooled buffers
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		s.used = append(s.used, int64(m.HeapAlloc))
		return s.Read(p)
	}
	n := copy(p, s.lines[0])
	if s.lines[0] = s.lines[0][n:]; s.lines[0] == "" {
		s.lines = s.lines[1:]
	}
	return n, nil
}

// The memory for a long line is released before the wait for the next one, even if the line ends
// exactly at the end of the buffer.
func TestMemoryAtRest(t *testing.T) {
	lines := []string{"", "x\n"}
	for _, size := range []int{4 << 10, 64 << 10, 1 << 20, 1<<20 + 4<<10, 3 << 20} {
		lines = append(lines, "", strings.Repeat("x", size-1)+"\n")
	}
	s := &stage{lines: append(lines, "")}
	c := jsonrpc.NewLineConn(s, io.Discard, 0)
	for {
		if _, err := c.Read(); err != nil {
			break
		}
	}
	if len(s.used) != 7 {
		t.Fatalf("%d waits", len(s.used))
	}
	for i, used := range s.used[1:] {
		if more := used - s.used[0]; more > 32<<10 {
			t.Errorf("after line %d: %d bytes more are in use than at first", i+1, more)
		}
	}
}

func TestReadError(t *testing.T) {
	c := jsonrpc.NewLineConn(iotest.TimeoutReader(strings.NewReader("a\nb\nc")), io.Discard, 0)
	if got := readAll(c); got != "a|b|timeout" {
		t.Errorf("got %q", got)
	}
}

func TestPipe(t *testing.T) {
	client, server := jsonrpc.Pipe()
	go func() {
		client.Write([]byte("one\ntwo\n"))
		client.(interface{ CloseWrite() error }).CloseWrite()
	}()
	if got := readAll(server); got != "one|two" {
		t.Errorf("got %q", got)
	}
	if err := server.Write([]byte("three\n")); err != nil {
		t.Error(err)
	}
	if m, err := client.Read(); err != nil || string(m) != "three" {
		t.Errorf("got %q, %v", m, err)
	}
	server.Close()
	if _, err := client.Read(); err != io.EOF {
		t.Errorf("after Close: %v", err)
	}
	if err := client.Write([]byte("x\n")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("write after Close: %v", err)
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nbb\r\n\nccc"), uint8(2))
	f.Add(bytes.Repeat([]byte("x"), 100), uint8(9))
	f.Fuzz(func(t *testing.T, data []byte, limit uint8) {
		if limit == 0 {
			limit = 1
		}
		var want []string
		for line := range strings.SplitSeq(string(data), "\n") {
			line = strings.TrimSuffix(line, "\r")
			switch {
			case len(line) > int(limit):
				want = append(want, "TOO LONG")
			case strings.Trim(line, " \t\r") != "":
				want = append(want, line)
			}
		}
		c := jsonrpc.NewLineConn(iotest.HalfReader(bytes.NewReader(data)), io.Discard, int(limit))
		if got := readAll(c); got != strings.Join(want, "|") {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// charge charges the memory of a connection to a budget.
func charge(c jsonrpc.Conn, b *membudget.Budget) {
	c.(interface{ Charge(*membudget.Budget) }).Charge(b)
}

// TestNoRoomForLines reads lines of all lengths while the budget allows only some of them. The
// others are reported with kind and identifier, wherever these are in the line, and all other lines
// arrive unchanged.
func TestNoRoomForLines(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	lines := []struct{ text, refused string }{
		{`{"id":1,"method":"ping"}`, ""},
		{`{"id":2,"method":"x","params":"` + long + `"}`, "1 2"},
		{`{"method":"x","params":"` + long + `","id":"3"}`, `1 "3"`},
		{`{"id":4,"method":"ping"}`, ""},
		{`{"method":"x","params":"` + long + `"}`, "2 "},
		{`{"result":"` + long + `","id":5}`, "3 5"},
		{`[{"id":6,"method":"x","params":"` + long + `"}]`, "0 "},
		{`{"id":7,"method":"x","params":"` + long[:50_000] + `"}`, ""},
		{`{"id":8,"method":"x","params":"` + long, `1 8`},
	}
	var in, want, all []string
	for _, line := range lines {
		in = append(in, line.text)
		all = append(all, line.text)
		if line.refused != "" {
			want = append(want, "refused "+line.refused)
		} else {
			want = append(want, line.text)
		}
	}
	text := strings.Join(in, "\n")
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"whole": func(r io.Reader) io.Reader { return r }, "half": iotest.HalfReader, "data with EOF": iotest.DataErrReader,
		"pieces": func(r io.Reader) io.Reader { return pieces{r} },
	} {
		for _, room := range []int64{150 << 10, 16 << 20} {
			b := membudget.New(room, 1)
			c := jsonrpc.NewLineConn(wrap(strings.NewReader(text)), io.Discard, 0)
			charge(c, b)
			var got []string
			for {
				m, err := c.Read()
				refused, ok := errors.AsType[*jsonrpc.FrameError](err)
				if ok && refused.Overloaded {
					got = append(got, fmt.Sprintf("refused %d %s", refused.Kind, refused.ID))
				} else if err != nil {
					break
				} else {
					got = append(got, string(m))
				}
				if b.Used() > room {
					t.Fatalf("%s: %d bytes of %d charged", name, b.Used(), room)
				}
			}
			expected := want
			if room > 1<<20 {
				expected = all
			}
			if !slices.Equal(got, expected) {
				for i := range got {
					got[i] = got[i][:min(len(got[i]), 40)]
				}
				t.Errorf("%s, room %d: %q", name, room, got)
			}
			charge(c, nil)
			if b.Used() != 0 {
				t.Errorf("%s: %d bytes are charged at the end", name, b.Used())
			}
		}
	}
}

// An error in a line that exceeds the budget is not the end of that line.
func TestNoRoomAndReadError(t *testing.T) {
	failed := errors.New("failed")
	line := `{"id":1,"method":"x","params":"` + strings.Repeat("x", 300_000)
	c := jsonrpc.NewLineConn(io.MultiReader(strings.NewReader(line), iotest.ErrReader(failed)), io.Discard, 0)
	charge(c, membudget.New(150<<10, 1))
	if _, err := c.Read(); err != failed {
		t.Errorf("got %v, want %v", err, failed)
	}
}

// pieces returns a few bytes in each read.
type pieces struct{ r io.Reader }

func (p pieces) Read(b []byte) (int, error) { return p.r.Read(b[:min(len(b), 1460)]) }

// readAtOnce is larger than any single read of a connection.
const readAtOnce = 128 << 10

// A message that is too long is reported with kind and id, at once if it begins with them, even if
// it never ends.
func TestIdentifyLongLines(t *testing.T) {
	const limit = 1000
	x := strings.Repeat("x", 3*limit)
	endless := strings.Repeat("x", 300*limit)
	for _, c := range []struct {
		text, id string
		kind     jsonrpc.MessageKind
		left     int // bytes of the text that must not be read before the report
	}{
		{`{"jsonrpc":"2.0","id":7,"result":{"x":"` + x + `"}}` + "\n", "7", jsonrpc.Response, 0},
		{`{"id":"a","error":{"x":"` + endless, "a", jsonrpc.Response, 200 * limit},
		{`{"result":{"id":8,"x":"` + x + `"},"jsonrpc":"2.0","id":7}` + "\r\n", "7", jsonrpc.Response, 0},
		{`{"result":{"x":"` + x + `"},"id":7}`, "7", jsonrpc.Response, 0},
		{`{"result":{"x":"` + endless, "", jsonrpc.Invalid, 150 * limit},
		{`{"id":7,"method":"sampling/createMessage","params":{"x":"` + endless, "7", jsonrpc.Request, 200 * limit},
		{`{"method":"notifications/message","params":{"x":"` + x + `"}}`, "", jsonrpc.Notification, 0},
		{`[{"id":7,"result":"` + x + `"}]`, "", jsonrpc.Invalid, 0},
		{`{"id":null,"error":{"message":"` + x + `"}}`, "", jsonrpc.Response, 0},
		{strings.Repeat("y", limit+1) + "\n", "", jsonrpc.Invalid, 0},
	} {
		for name, wrap := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader,
			"half": iotest.HalfReader, "data with EOF": iotest.DataErrReader,
		} {
			text := strings.NewReader("{}\n" + c.text)
			conn := jsonrpc.NewLineConn(wrap(text), io.Discard, limit)
			conn.(interface{ Identify() }).Identify()
			if m, err := conn.Read(); string(m) != "{}" || err != nil {
				t.Fatalf("%s, %v", m, err)
			}
			_, err := conn.Read()
			long, ok := errors.AsType[*jsonrpc.FrameError](err)
			if ok && long.Early {
				// At the limit, and in one piece of the text after it.
				if read := len(c.text) - text.Len(); !long.ID.IsZero() || name != "data with EOF" && read > limit+readAtOnce {
					t.Errorf("%s: %.60q: id %s after %d bytes", name, c.text, long.ID, read)
				}
				_, err = conn.Read()
				long, ok = errors.AsType[*jsonrpc.FrameError](err)
			}
			if !ok || long.Early {
				t.Fatalf("%s: %.60q: %v", name, c.text, err)
			}
			id := strings.Trim(long.ID.String(), `"`)
			if long.Kind != c.kind || long.Limit != limit || long.Overloaded || id != c.id {
				t.Errorf("%s: %.60q: %+v, id %s", name, c.text, long, id)
			}
			if text.Len() < c.left && name != "data with EOF" {
				t.Errorf("%s: %.60q: only %d bytes are left", name, c.text, text.Len())
			}
			if c.left == 0 {
				if _, err := conn.Read(); err != io.EOF {
					t.Errorf("%s: %.60q: then %v", name, c.text, err)
				}
			}
		}
	}
}
