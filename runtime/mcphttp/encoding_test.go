package mcphttp_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"strconv"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// decompress returns the body of a compressed response.
func (a *response) decompress() string {
	a.t.Helper()
	r, err := gzip.NewReader(bytes.NewReader([]byte(a.text())))
	if err != nil {
		a.fatal("no gzip: %v", err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		a.fatal("no gzip: %v", err)
	}
	return string(text)
}

// Large JSON replies are compressed for clients that accept gzip.
func TestCompression(t *testing.T) {
	serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		large := call("large", `{"n":100000}`)
		for accept, want := range map[string]bool{
			"gzip": true, "gzip, deflate, br": true, "*": true, "br;q=1, gzip;q=0.5": true, "GZIP": true,
			"": false, "identity": false, "br": false, "gzip;q=0": false, "*;q=0, identity": false, "gzip;q=0, *": false,
		} {
			var fields []string
			if accept != "" {
				fields = append(fields, "Accept-Encoding: "+accept)
			}
			for _, a := range []*response{s.do(large.post(fields...)), x.do(large.legacy(), fields...)} {
				a.wantStatus(200)
				if lists(a.field("Vary"), "Accept-Encoding") != (accept != "") {
					a.fail("Vary is %q", a.field("Vary"))
				}
				if got := a.field("Content-Encoding"); (got == "gzip") != want || got != "gzip" && got != "" {
					a.fail("Content-Encoding is %q for %q", got, accept)
				}
				if n := a.field("Content-Length"); n != strconv.Itoa(len(a.text())) {
					a.fail("Content-Length is %q", n)
				}
				text := a.text()
				if want {
					if len(text) > 20_000 {
						a.fail("%d bytes are compressed to %d", 100_000, len(text))
					}
					text = a.decompress()
				}
				if got := textOf(t, parse(t, text).Result); len(got) != 100_000 {
					a.fail("the text has %d bytes", len(got))
				}
			}
		}
		// Small replies are not compressed.
		a := s.do(call("echo", "{}").post("Accept-Encoding: gzip"))
		a.wantResult("1")
		if a.field("Content-Encoding") != "" {
			a.fail("a small answer is compressed")
		}
	})
}

// Event streams are not compressed: a compressor would delay events.
func TestStreamsAreNotCompressed(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		p := s.Script("p")
		a := s.start(callScripted(p).post("Accept-Encoding: gzip"))
		p.Started()
		p.Progress(1)
		a.wantStream().wantMessages("notifications/progress")
		if a.field("Content-Encoding") != "" {
			a.fail("the stream is compressed")
		}
		p.Return("done")
		a.wantEnd().wantMessages("result 1")
	})
}

func TestWithoutCompression(t *testing.T) {
	serve(t, setup{handler: []mcphttp.Option{mcphttp.WithCompression(false)}}, func(t *testing.T, s *testServer) {
		a := s.do(call("large", `{"n":100000}`).post("Accept-Encoding: gzip"))
		if got := textOf(t, a.wantResult("1")); len(got) != 100_000 || a.field("Content-Encoding") != "" {
			a.fail("want the answer as it is")
		}
	})
}

// Small and large replies are complete, whatever their size.
func TestSizesOfAnswers(t *testing.T) {
	serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		for _, n := range []int{0, 10, 1000, 2000, 4090, 4100, 32_760, 65_530, 70_000, 600_000} {
			r := call("large", `{"n":`+strconv.Itoa(n)+`}`)
			for _, a := range []*response{s.do(r.post()), x.do(r.legacy())} {
				if got := textOf(t, a.wantResult("1")); len(got) != n {
					t.Errorf("the text has %d bytes, want %d", len(got), n)
				}
			}
		}
	})
}
